"""Laws of pseudo-labels by distance."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashlearn.experiments import nearest_share as module
from hashlearn.experiments.protocol import nearest_share


@pytest.mark.parametrize("block", [1, 7, 1000])
def test_blocks_do_not_change_the_result(block, monkeypatch):
    X = np.random.RandomState(0).normal(size=(60, 4)).astype(np.float32)
    queries, database = np.arange(10), np.arange(10, 60)
    expected = nearest_share(X, queries, database, 0.1).toarray()
    monkeypatch.setattr(module, "_BLOCK_ENTRIES", block * 10)
    assert (nearest_share(X, queries, database, 0.1).toarray() == expected).all()


@given(
    values=st.lists(st.integers(0, 3), min_size=2, max_size=30),
    share=st.floats(0.01, 1),
)
def test_equally_distant_items_are_taken_by_position(values, share):
    X = np.array([0, *values], dtype=np.float64)[:, None]
    database = np.arange(1, X.shape[0])
    n_near = int(np.ceil(round(share * database.size, 9)))
    expected = np.argsort(np.array(values), kind="stable")[:n_near]
    found = nearest_share(X, np.array([0]), database, share).toarray()[0]
    assert np.flatnonzero(found).tolist() == sorted(expected)


def test_a_memory_map_is_taken(tmp_path):
    X = np.random.RandomState(0).normal(size=(40, 3)).astype(np.float32)
    np.save(tmp_path / "x.npy", X)
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
    parts = np.arange(5), np.arange(5, 40), 0.2
    assert (nearest_share(mapped, *parts) != nearest_share(X, *parts)).nnz == 0
