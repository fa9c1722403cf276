"""Items in a file are read in blocks: no step of a fit copies or converts them whole."""

import numpy as np
import pytest

from hashlearn import TwoStepHasher
from hashlearn.hash_functions import KernelFeaturesHash, LinearSVMHash
from tests.processes import alone, peak_memory

N, N_FEATURES, N_BITS = 16_000, 512, 8
HASH_FUNCTIONS = {
    "linear-svm": LinearSVMHash(C=1.0, max_memory="20MB"),
    "kernel-features": KernelFeaturesHash(n_anchors=256, C=1.0, sigma=400.0, max_memory="5MB"),
}


@pytest.fixture(scope="module", params=[np.uint8, pytest.param(np.float32, marks=pytest.mark.slow)])
def mapped(request, tmp_path_factory):
    rng = np.random.default_rng(0)
    y = rng.integers(4, size=N)
    X = rng.integers(100, size=(4, N_FEATURES))[y] + rng.integers(60, size=(N, N_FEATURES))
    path = tmp_path_factory.mktemp("items") / "X.npy"
    np.save(path, X.astype(request.param))
    return np.load(path, mmap_mode="r"), y


def peaks_of_fits(name, path, y):
    """Return the memory of a fit to half of the items and to all, and the bit error."""
    X = np.load(path, mmap_mode="r")
    hasher = TwoStepHasher(N_BITS, hash_function=HASH_FUNCTIONS[name], random_state=0)
    hasher.fit(X[:500], y[:500])  # what is compiled and imported does not count
    half = peak_memory(hasher.fit, X[: N // 2], y[: N // 2])
    return half, peak_memory(hasher.fit, X, y), hasher.bit_error_.mean()


@pytest.mark.parametrize(
    "name", ["linear-svm", pytest.param("kernel-features", marks=pytest.mark.slow)]
)
def test_memory_does_not_grow_by_a_copy_of_mapped_items(mapped, name):
    X, y = mapped
    half, whole, error = alone(peaks_of_fits, name, X.filename, y)
    assert whole - half < X[N // 2 :].nbytes / 2
    assert error < 0.01


@pytest.mark.parametrize("name", HASH_FUNCTIONS)
def test_numbers_of_any_type_give_the_bits_of_floats(mapped, name):
    X, y = mapped
    hasher = TwoStepHasher(N_BITS, hash_function=HASH_FUNCTIONS[name], random_state=0)
    as_floats = np.array(X[:2000], dtype=np.float64 if X.dtype == np.float64 else np.float32)
    np.testing.assert_array_equal(
        hasher.fit(X[:2000], y[:2000]).encode(X), hasher.fit(as_floats, y[:2000]).encode(X)
    )
