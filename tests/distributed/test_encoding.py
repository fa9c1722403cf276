"""Codes made on a cluster are those made here."""

import os

import numpy as np
import pandas as pd
import pytest

from hashlearn import TwoStepHasher, make_hasher
from hashlearn.distributed import encode, encode_blocks, encoding

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")
distributed = pytest.importorskip("distributed")

N_FEATURES = 7


def items(n=300, seed=0):
    return np.random.default_rng(seed).normal(size=(n, N_FEATURES))


def as_frame(X):
    return pd.DataFrame(X, columns=[f"feature {i}" for i in range(X.shape[1])])


@pytest.fixture(scope="module", params=["itq", "tsh", "spher", "bae"])
def hasher(request):
    X = items(400)
    labels = (X[:, 0] > 0) + 2 * (X[:, 1] > 0)
    n_bits = 5 if request.param == "itq" else 13
    return make_hasher(request.param, n_bits=n_bits, random_state=0).fit(X, labels)


@pytest.fixture(scope="module")
def named_hasher():
    return make_hasher("lsh", n_bits=9, random_state=0).fit(as_frame(items(50)))


def check_same(codes, hasher, X):
    wanted = hasher.encode(X)
    assert codes.dtype == wanted.dtype
    assert codes.shape[1] == wanted.shape[1]
    np.testing.assert_array_equal(codes.compute(), wanted, strict=True)


@pytest.mark.parametrize("dtype", [np.float32, np.int16])
def test_blocks_are_encoded_as_the_whole(client, hasher, dtype):
    X = (10 * items()).astype(dtype)
    codes = encode(hasher, da.from_array(X, chunks=((100, 1, 0, 129, 70), (3, 4))))
    assert codes.chunks == ((100, 1, 0, 129, 70), (-(-hasher.n_bits // 8),))
    check_same(codes, hasher, X)


@pytest.mark.parametrize(
    "scheduler", ["threads", "synchronous", pytest.param("processes", marks=pytest.mark.slow)]
)
def test_any_scheduler_will_do(named_hasher, scheduler):
    frame = as_frame(items(90))
    with dask.config.set(scheduler=scheduler, num_workers=1):
        check_same(encode(named_hasher, dd.from_pandas(frame, npartitions=3)), named_hasher, frame)


def test_blocks_that_are_read_here_come_back_in_order(client, named_hasher):
    X = items()
    blocks = (X[start : start + 17] for start in range(0, 300, 17))
    given = list(encode_blocks(named_hasher, blocks))
    assert len(given) == 18
    np.testing.assert_array_equal(np.concatenate(given), named_hasher.encode(X), strict=True)
    assert hasattr(named_hasher, "feature_names_in_")


def test_blocks_under_way_are_bounded(client, named_hasher, monkeypatch):
    for most in (4, 3):  # two for each of two threads, or the limit
        read = []
        monkeypatch.setattr(encoding, "MOST_UNDER_WAY", min(most, encoding.MOST_UNDER_WAY))
        blocks = (read.append(i) or items(5, seed=i) for i in range(12))
        for done, _ in enumerate(encode_blocks(named_hasher, blocks)):
            assert len(read) - done <= most
        assert len(read) == 12


def test_a_dataframe_keeps_unknown_lengths_and_names(client, named_hasher):
    frame = as_frame(items())
    codes = encode(named_hasher, dd.from_pandas(frame, npartitions=4))
    assert codes.numblocks == (4, 1)
    assert np.isnan(codes.shape[0])
    check_same(codes, named_hasher, frame)  # no warning of missing names either


def test_a_partition_may_be_empty(client, named_hasher):
    frame = as_frame(items())
    frame.iloc[:100, 0] = -1e3
    parts = dd.from_pandas(frame, npartitions=4)
    codes = encode(named_hasher, parts[parts["feature 0"] > -1e2])
    np.testing.assert_array_equal(codes.compute(), named_hasher.encode(frame.iloc[100:]))


@pytest.mark.parametrize(
    ("X", "error", "words"),
    [
        (da.zeros((10, 6), chunks=5), ValueError, "X has 6 features, but .* is expecting 7"),
        (da.zeros(10, chunks=5), ValueError, "X must have shape"),
        (np.zeros((10, 7)), TypeError, "X must be a dask array or dataframe; got a ndarray"),
        (dd.from_pandas(as_frame(items(5))[["feature 0"]]), ValueError, "feature names"),
        (dd.from_pandas(as_frame(items(5)).rename(columns=str.upper)), ValueError, "feature names"),
        (dd.from_pandas(as_frame(items(5)).astype(str)), ValueError, "convert string"),
    ],
    ids=["columns", "one dimension", "in memory", "missing", "other names", "text"],
)
def test_wrong_items_are_refused_before_any_work(named_hasher, X, error, words):
    with pytest.raises(error, match=words):
        encode(named_hasher, X)


def test_an_unfitted_hasher_is_refused_at_once():
    with pytest.raises(ValueError, match="not fitted"):
        encode(TwoStepHasher(), da.zeros((10, 6), chunks=5))


def test_nothing_is_computed_before_the_codes_are(named_hasher):
    def fail():
        raise AssertionError

    X = da.from_delayed(dask.delayed(fail)(), shape=(5, N_FEATURES), dtype=float)
    codes = encode(named_hasher, X)
    assert codes.shape == (5, 2)


class CountingHasher:
    """A hasher that notes where it is unpacked."""

    def __init__(self, hasher, path):
        self.hasher, self.path = hasher, str(path)

    def __setstate__(self, state):
        vars(self).update(state)
        with open(self.path, "a") as file:
            file.write(f"{os.getpid()}\n")

    def encode(self, X):
        return self.hasher.encode(X)


@pytest.mark.parametrize("how", ["array", "table", "blocks"])
def test_a_worker_does_not_receive_the_model_with_every_block(client, hasher, tmp_path, how):
    X = items(400)
    counting = CountingHasher(hasher, tmp_path / "unpacked")
    if how == "table":
        chunked = dd.from_pandas(pd.DataFrame(X), npartitions=40)
    else:
        chunked = da.from_array(X, chunks=(10, N_FEATURES))
    if how == "blocks":
        given = np.concatenate(list(encode_blocks(counting, np.split(X, 40))))
    else:
        given = encode(counting, chunked).compute()
    np.testing.assert_array_equal(given, hasher.encode(X))
    pids = [int(pid) for pid in (tmp_path / "unpacked").read_text().split()]
    workers = set(client.run(os.getpid).values())
    # twice where Dask moves the task that holds the model of blocks to an idle worker
    most = 2 if how == "blocks" else 1
    assert 1 <= max(pids.count(worker) for worker in workers) <= most


def test_the_codes_of_training_items_do_not_travel(hasher):
    codes = encode(hasher, da.zeros((10, N_FEATURES), chunks=5))
    (model,) = (
        task()
        for key, task in codes.__dask_graph__().to_dict().items()
        if str(key).startswith(type(hasher).__name__)
    )
    assert not hasattr(model, "codes_")
    assert hasher.codes_.shape == (400, hasher.n_bits)


def test_the_same_model_and_items_are_the_same_task(hasher):
    X = da.zeros((10, N_FEATURES), chunks=5)
    assert encode(hasher, X).name == encode(hasher, X).name
