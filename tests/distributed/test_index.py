"""A distributed index answers as one index of all codes does."""

import time

import numpy as np
import pandas as pd
import pytest

from hashlearn import HammingIndex
from hashlearn.distributed import DistributedHammingIndex
from hashlearn.distributed import _shards as shards
from hashlearn.search import CodeTerms, FloatQueries, PackedCodes
from tests.distributed.conftest import random_codes

da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")
pytest.importorskip("distributed")

SIZES = (40, 1, 3, 56, 0, 25)  # shards smaller than k, of one row, and of none


def both(n_bits, *parts, ties="neutral"):
    """Return a local and a distributed index of the same codes and ids."""
    local, far = HammingIndex(n_bits, ties=ties), DistributedHammingIndex(n_bits, ties=ties)
    for packed, ids in parts:
        far.add(packed, ids=ids)
        local.add(np.asarray(packed), ids=None if ids is None else np.asarray(ids))
    return local, far


def check_same(local, far, queries, k, radius):
    assert len(far) == len(local)
    for given, wanted in (
        (far.search(queries, k), local.search(queries, k)),
        (far.radius_search(queries, radius), local.radius_search(queries, radius)),
    ):
        assert type(given) is type(wanted)
        for part, wanted_part in zip(given, wanted, strict=True):
            np.testing.assert_array_equal(part, wanted_part, strict=True)


@pytest.mark.parametrize(("n_bits", "k"), [(5, 1), (8, 7), (13, 125), (64, 7), (100, 125)])
def test_shards_of_any_size_answer_as_one_index(client, n_bits, k):
    codes = random_codes(sum(SIZES), n_bits)
    chunked = da.from_array(codes, chunks=(SIZES, -1))
    check_same(*both(n_bits, (chunked, None)), random_codes(9, n_bits, seed=1), k, radius=2)


@pytest.mark.parametrize("ties", ["neutral", "insertion"])
def test_float_queries_are_answered_as_by_one_index(client, ties):
    random = np.random.default_rng(0)
    codes = random_codes(sum(SIZES), 13)
    local, far = both(13, (da.from_array(codes, chunks=(SIZES, -1)), None), ties=ties)
    margins = np.sign(random.normal(size=(5, 13))) * [0.1, *[0.5] * 12]  # many ties
    check_same(local, far, margins, k=30, radius=1.5)
    terms = CodeTerms(random.normal(size=(4, 13)), np.zeros(4), lengths=(1, 20), use="scale")
    check_same(local, far, FloatQueries(margins, terms=terms), k=30, radius=0.2)
    check_same(*both(13), margins[:1], k=3, radius=1.5)
    with pytest.raises(ValueError, match="margins of 12 bits; the codes have n_bits=13"):
        far.search(margins[:, 1:], k=1)


def test_codes_in_memory_are_cut_into_shards(client, monkeypatch):
    monkeypatch.setattr(shards, "SHARD_BYTES", 64)
    codes = random_codes(301, 20)
    local, far = both(20, (codes, None))
    assert "in 15 shards" in repr(far)
    check_same(local, far, codes[:5], k=50, radius=1)


def test_each_worker_gets_a_shard(client):
    index = DistributedHammingIndex(8)
    index.add(random_codes(10, 8))
    holders = client.who_has(index._shards.futures)
    assert len(holders) == 2
    assert len({worker for workers in holders.values() for worker in workers}) == 2


def test_batches_of_queries_change_nothing(client, monkeypatch):
    codes = random_codes(100, 12)
    local, far = both(12, (codes, None))
    monkeypatch.setattr(shards, "BATCH_BYTES", 16 * 10 * 2 * 3)
    check_same(local, far, codes[:10], k=10, radius=2)
    monkeypatch.setattr(shards, "BATCH_QUERIES", 3)
    check_same(local, far, codes[:10], k=2, radius=2)
    check_same(local, far, codes[:0], k=2, radius=2)


def test_ids_are_given_and_numbered_as_in_one_index(client):
    codes = random_codes(50, 10)
    parts = [
        (codes[:10], None),
        (codes[10:30], np.arange(500, 480, -1)),
        (da.from_array(codes[30:40], chunks=(4, 1)), da.arange(900, 910, chunks=5)),
        (codes[40:], None),
    ]
    for ties in ("neutral", "insertion"):
        check_same(*both(10, *parts, ties=ties), codes[:8], k=50, radius=3)


def test_ids_may_be_text(client):
    codes = random_codes(50, 10)
    ids = [f"item {i % 7} {i}" for i in range(50)]
    parts = [(codes[:20], ids[:20]), (da.from_array(codes[20:], chunks=(9, 2)), ids[20:])]
    for ties in ("neutral", "insertion"):
        local, far = both(10, *parts, ties=ties)
        check_same(local, far, codes[:8], k=50, radius=3)
        check_same(local, far, codes[:0], k=50, radius=3)


def test_codes_of_a_dataframe_may_be_of_unknown_length(client):
    codes = random_codes(20, 16)
    frame = dd.from_pandas(pd.DataFrame(codes), npartitions=3)
    unknown = frame.to_dask_array()
    assert np.isnan(unknown.shape[0])
    far = DistributedHammingIndex(16)
    far.add(unknown, ids=range(100, 120))
    local = HammingIndex(16)
    local.add(codes, ids=range(100, 120))
    check_same(local, far, codes[:3], k=20, radius=4)


def test_an_empty_index_finds_nothing(client):
    local, far = both(8)
    check_same(local, far, random_codes(3, 8), k=5, radius=8)
    check_same(*both(8, (random_codes(0, 8), None)), random_codes(3, 8), k=5, radius=8)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda index, codes: index.search(codes, k=0),
        lambda index, codes: index.search(codes, k=11),
        lambda index, codes: index.search(codes, k=2.0),
        lambda index, codes: index.search(codes.astype(int), k=1),
        lambda index, codes: index.radius_search(codes, radius=-1),
        lambda index, codes: index.radius_search(codes, radius=1.5),
        lambda index, codes: index.add(codes[:, :1]),
        lambda index, codes: index.add(codes | 1),
        lambda index, codes: index.add(codes, ids=[1, 2]),
        lambda index, codes: index.add(codes[:2], ids=[70, 70]),
        lambda index, codes: index.add(codes[:2], ids=[-1, 70]),
        lambda index, codes: index.add(codes[:1], ids=[9]),
        lambda index, codes: index.add(codes[:1], ids=["a"]),
    ],
)
def test_what_one_index_refuses_is_refused_alike(client, wrong):
    codes = random_codes(10, 12)
    local, far = both(12, (codes, None))
    with pytest.raises((ValueError, TypeError)) as wanted:
        wrong(local, codes)
    with pytest.raises(wanted.type) as given:
        wrong(far, codes)
    assert str(given.value) == str(wanted.value)
    check_same(local, far, codes, k=3, radius=1)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda codes: codes.astype(np.int64), "packed has dtype int64"),
        (lambda codes: codes[:, :1], "packed is 1 bytes wide; n_bits=12 needs 2"),
        (lambda codes: codes[:, 0], "packed has shape"),
        (lambda codes: codes | 1, "packed has bits set after n_bits=12"),
    ],
)
def test_wrong_chunks_are_refused_and_change_nothing(client, change, words):
    index = DistributedHammingIndex(12)
    with pytest.raises(ValueError, match=words):
        index.add(change(da.from_array(random_codes(10, 12), chunks=(4, 2))))
    assert len(index) == 0


def test_codes_of_another_model_are_refused(client):
    one, other = (PackedCodes(random_codes(10, 12), model) for model in ("aa", "bb"))
    index, unchecked = DistributedHammingIndex(12), DistributedHammingIndex(12, check_model=False)
    for each in (index, unchecked):
        each.add(da.from_array(random_codes(10, 12), chunks=(4, 2)).map_blocks(PackedCodes, "aa"))
        assert each.model == "aa"
    index.search(one, 1)
    for act in (lambda i: i.search(other, 1), lambda i: i.radius_search(other, 1)):
        with pytest.raises(ValueError, match="are codes of model bb and index of model aa"):
            act(index)
        act(unchecked)
    chunked = da.from_array(random_codes(10, 12), chunks=(4, 2)).map_blocks(PackedCodes, "bb")
    for codes in (other, chunked):
        with pytest.raises(ValueError, match="model bb and index of model aa"):
            index.add(codes)
    assert len(index) == 10


def test_n_bits_is_checked(client):
    with pytest.raises(ValueError, match=r"n_bits must be .*; got 0"):
        DistributedHammingIndex(0)


def test_a_shard_tells_dask_its_size(client):
    index = DistributedHammingIndex(64)
    index.add(da.from_array(random_codes(1000, 64), chunks=(1000, 8)))
    (shard,) = client.gather(index._shards.futures)
    assert shard.__sizeof__() == 8000


def test_the_codes_leave_the_cluster_with_the_index(client, cluster):
    index = DistributedHammingIndex(8)
    index.add(random_codes(10, 8))
    keys = [future.key for future in index._shards.futures]
    del index
    end = time.monotonic() + 10
    while any(key in cluster.scheduler.tasks for key in keys):
        assert time.monotonic() < end
        time.sleep(0.02)
