"""Training on a cluster gives the bits of training on one machine."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from sklearn.linear_model import LogisticRegression

from hashlearn import TwoStepHasher, make_hasher
from hashlearn.hash_functions import AnchorRidgeHash, KernelFeaturesHash

dask_array = pytest.importorskip("dask.array")

HASH_FUNCTIONS = {
    "linear-svm": "linear-svm",
    "kernel-features": KernelFeaturesHash(n_anchors=40),
    "recomputed features": KernelFeaturesHash(n_anchors=40, max_memory="200KB"),
    "anchor-ridge": AnchorRidgeHash(40),
    "rbf-svm": "rbf-svm",
    "any classifier": LogisticRegression(),
}
LONG = ("recomputed features", "rbf-svm")


@pytest.fixture(scope="module")
def blobs():
    X, y = make_blobs(4500, n_features=12, centers=20, cluster_std=4.0, random_state=0)
    return X.astype(np.float32), y


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.slow] if name in LONG else [])
        for name in HASH_FUNCTIONS
    ],
)
def test_every_hash_function_learns_the_same_bits(name, blobs, client):
    from hashlearn.distributed import fit

    n = 400 if name == "rbf-svm" else 4500
    X, y = blobs[0][:n], blobs[1][:n]
    hasher = TwoStepHasher(6, hash_function=HASH_FUNCTIONS[name], random_state=0)
    here = hasher.fit(X, y).decision_function(X)
    np.testing.assert_array_equal(fit(hasher, X, y, client=client).decision_function(X), here)


def test_dask_arrays_and_weights_are_taken(blobs, client):
    from hashlearn.distributed import fit

    X, y = blobs
    weights = np.arange(len(X)) % 3
    hasher = TwoStepHasher(8, hash_function="linear-svm", random_state=0)
    here = hasher.fit(X, y, sample_weight=weights).encode(X)
    there = fit(
        hasher,
        dask_array.from_array(X, chunks=(2000, 12)),
        dask_array.from_array(y, chunks=2000),
        client=client,
        sample_weight=weights,
    ).encode(X)
    np.testing.assert_array_equal(there, here)


def test_other_methods_are_fitted_as_ever(blobs, client):
    from hashlearn.distributed import fit

    X, _ = blobs
    hasher = make_hasher("itq", n_bits=8, random_state=0)
    here = hasher.fit(X).encode(X)
    np.testing.assert_array_equal(fit(hasher, X, client=client).encode(X), here)


def test_one_worker_of_one_thread_is_a_cluster_too(blobs):
    from distributed import Client

    from hashlearn.distributed import fit

    X, y = blobs
    hasher = TwoStepHasher(8, hash_function="linear-svm", random_state=0)
    here = hasher.fit(X, y).decision_function(X)
    with Client(
        n_workers=1, threads_per_worker=1, processes=False, dashboard_address=":0"
    ) as client:
        there = fit(hasher, X, y, client=client).decision_function(X)
    np.testing.assert_array_equal(there, here)
