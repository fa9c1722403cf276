"""A worker that is killed in the middle of its work costs time, not a result."""

import logging
import os
import signal

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from hashlearn import HammingIndex, TwoStepHasher, make_hasher, metrics
from hashlearn.distributed import DistributedHammingIndex, encode, evaluate, fit
from tests.distributed.conftest import OPTIONS, random_codes
from tests.distributed.stalling import StallingHasher, killing_the_stalled, stall_in

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
distributed = pytest.importorskip("distributed")

N_BITS = 20
CODES = random_codes(400, N_BITS)
QUERIES = random_codes(15, N_BITS, seed=1)


@pytest.fixture(scope="module")
def cluster():
    """A cluster of its own, since others need not see its workers die; deaths are not logged."""
    with distributed.LocalCluster(silence_logs=logging.CRITICAL + 1, **OPTIONS) as cluster:
        yield cluster


@pytest.fixture(params=[pytest.param("memory", marks=pytest.mark.slow), "chunks"])
def codes(request):
    return CODES if request.param == "memory" else da.from_array(CODES, chunks=(70, 3))


def check_same(given, wanted):
    for part, wanted_part in zip(given, wanted, strict=True):
        np.testing.assert_array_equal(part, wanted_part, strict=True)


def local_index():
    index = HammingIndex(N_BITS)
    index.add(CODES)
    return index


def test_encode_outlives_a_worker(client, tmp_path):
    X = np.random.default_rng(0).normal(size=(500, 6))
    hasher = make_hasher("lsh", n_bits=N_BITS, random_state=0).fit(X)
    codes = encode(StallingHasher(hasher, tmp_path), da.from_array(X, chunks=(50, 6)))
    given = killing_the_stalled(tmp_path, lambda: client.compute(codes).result())
    np.testing.assert_array_equal(given, hasher.encode(X), strict=True)


@pytest.mark.slow
def test_search_outlives_a_worker(client, tmp_path, codes):
    index = DistributedHammingIndex(N_BITS, client)
    index.add(codes)
    client.run(stall_in, "hashlearn.search.index", "HammingIndex", "search", str(tmp_path))
    given = killing_the_stalled(tmp_path, lambda: index.search(QUERIES, k=90))
    check_same(given, local_index().search(QUERIES, k=90))
    check_same(index.radius_search(QUERIES, 3), local_index().radius_search(QUERIES, 3))


@pytest.mark.slow
def test_training_that_lost_a_worker_says_so_and_goes_on_from_its_checkpoint(client, tmp_path):
    X, y = make_blobs(4500, n_features=12, centers=20, cluster_std=4.0, random_state=0)
    hasher = TwoStepHasher(8, hash_function="linear-svm", random_state=0)
    here = hasher.fit(X, y).decision_function(X)
    client.run(stall_in, "hashlearn._numerics.row_blocks", "RowBlocks", "__iter__", str(tmp_path))
    words = {"client": client, "checkpoint": tmp_path / "checkpoint"}

    def work():
        with pytest.raises(RuntimeError, match="A worker died during training") as caught:
            fit(hasher, X, y, **words)
        return caught

    killing_the_stalled(tmp_path, work)
    client.wait_for_workers(2, timeout=60)
    np.testing.assert_array_equal(fit(hasher, X, y, **words).decision_function(X), here)


@pytest.mark.slow
def test_radius_search_outlives_a_worker(client, tmp_path):
    index = DistributedHammingIndex(N_BITS, client)
    index.add(CODES)
    client.run(stall_in, "hashlearn.search.index", "HammingIndex", "radius_search", str(tmp_path))
    given = killing_the_stalled(tmp_path, lambda: index.radius_search(QUERIES, 3))
    check_same(given, local_index().radius_search(QUERIES, 3))


@pytest.mark.slow
def test_adding_outlives_a_worker(client, tmp_path):
    index = DistributedHammingIndex(N_BITS, client)
    client.run(stall_in, "hashlearn.search.index", "HammingIndex", "add", str(tmp_path))
    killing_the_stalled(tmp_path, lambda: index.add(CODES))
    check_same(index.search(QUERIES, k=90), local_index().search(QUERIES, k=90))


@pytest.mark.slow
def test_evaluate_outlives_a_worker(client, tmp_path):
    labels, query_labels = np.arange(400) % 7, np.arange(15) % 7
    client.run(stall_in, "hashlearn.metrics._rankings", "Rankings", "map", str(tmp_path))
    options = {"ties": "insertion", "n_bits": N_BITS}
    given = killing_the_stalled(
        tmp_path, lambda: evaluate(QUERIES, CODES, query_labels, labels, client=client, **options)
    )
    relevance = metrics.relevance_from_labels(query_labels, labels)
    assert given == metrics.evaluate(QUERIES, CODES, relevance, **options)


@pytest.mark.slow
def test_shards_of_a_worker_that_died_between_searches_are_made_again(client, codes):
    index = DistributedHammingIndex(N_BITS, client)
    index.add(codes)
    os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)
    check_same(index.search(QUERIES, k=90), local_index().search(QUERIES, k=90))


@pytest.mark.slow
def test_a_task_that_kills_every_worker_is_given_up(client, cluster, monkeypatch):
    monkeypatch.setattr(cluster.scheduler, "allowed_failures", 1)
    index = DistributedHammingIndex(N_BITS, client)
    deadly = da.from_array(CODES[:10], chunks=(10, 3)).map_blocks(kill_own_worker, dtype=np.uint8)
    with pytest.raises(RuntimeError, match="workers that ran it died one after another"):
        index.add(deadly)
    assert len(index) == 0


def kill_own_worker(block):
    if len(block) > 1:  # not where Dask asks what a block looks like
        os.kill(os.getpid(), signal.SIGKILL)
    return block
