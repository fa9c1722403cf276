"""Codes and ids survive the way to faiss and back."""

import sys

import numpy as np
import pytest

from hashlearn import HammingIndex
from tests.search.brute_force import random_codes

faiss = pytest.importorskip("faiss")


@pytest.mark.parametrize("n_bits", [8, 21, 64, 128])
@pytest.mark.parametrize("ids", [None, np.arange(200)[::-1] * 3])
def test_index_survives_the_exchange(n_bits, ids):
    codes = random_codes(np.random.default_rng(0), 200, n_bits)
    index = HammingIndex(n_bits)
    index.add(codes, ids)
    peer = index.to_faiss()
    distances, found = index.search(codes[:9], 5)
    np.testing.assert_array_equal(peer.search(codes[:9], 5)[0], distances)
    whole = peer.search(codes[:9], 200)
    for row, (near, others) in enumerate(zip(*whole, strict=True)):
        assert set(found[row][distances[row] < distances[row, -1]]) == set(
            others[near < distances[row, -1]]
        )
    back = HammingIndex.from_faiss(peer, n_bits)
    np.testing.assert_array_equal(back.ids, index.ids)
    np.testing.assert_array_equal(back.reconstruct(back.ids), codes)


def test_index_read_by_faiss_can_be_taken_over(tmp_path):
    codes = random_codes(np.random.default_rng(0), 20, 32)
    index = HammingIndex(32)
    index.add(codes, ids=np.arange(20) + 7)
    faiss.write_index_binary(index.to_faiss(), str(tmp_path / "index"))
    back = HammingIndex.from_faiss(faiss.read_index_binary(str(tmp_path / "index")))
    np.testing.assert_array_equal(back.ids, index.ids)
    np.testing.assert_array_equal(back.reconstruct(back.ids), codes)


def test_empty_index_is_exchanged():
    assert len(HammingIndex.from_faiss(HammingIndex(16).to_faiss())) == 0


@pytest.mark.parametrize("other", [faiss.IndexFlatL2(4), faiss.IndexBinaryHNSW(16), 3])
def test_other_indexes_are_refused(other):
    with pytest.raises(TypeError, match="IndexBinaryFlat"):
        HammingIndex.from_faiss(other)


def test_missing_faiss_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "faiss", None)
    with pytest.raises(ImportError, match=r"pip install 'hashlearn\[faiss\]'"):
        HammingIndex(8).to_faiss()
