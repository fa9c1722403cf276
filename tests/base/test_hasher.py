"""A row's bits are its own: whatever comes with it, wherever it stands, whoever computes them."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_digits
from threadpoolctl import threadpool_limits

from hashlearn import TwoStepHasher
from hashlearn.hash_functions import KernelFeaturesHash
from hashlearn.methods import ITQHasher, KLSHHasher, LSHHasher, SPHERHasher
from tests.processes import alone, peak_memory

HASHERS = {
    "lsh": LSHHasher(n_bits=13, center=True, random_state=0),
    "itq": ITQHasher(n_bits=24, random_state=0),
    "klsh": KLSHHasher(n_bits=13, random_state=0),
    "spher": SPHERHasher(n_bits=12, random_state=0),
    "linear-svm": TwoStepHasher(n_bits=13, hash_function="linear-svm", random_state=0),
    "kernel-features": TwoStepHasher(
        n_bits=13, hash_function=KernelFeaturesHash(77, C=1.0), random_state=0
    ),
}


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X[:300].astype(np.float32), y[:300]


@pytest.fixture(scope="module", params=HASHERS)
def hasher(request, digits):
    return HASHERS[request.param].fit(*digits)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
def test_margins_depend_on_neither_the_batch_nor_the_place(hasher, digits, container, dtype):
    X = digits[0].astype(dtype)
    whole = hasher.decision_function(container(X))
    for batch in (slice(1), slice(10, 17), slice(17, 150), slice(63, 299), slice(299, 300)):
        rows = hasher.decision_function(container(X[batch]))
        np.testing.assert_array_equal(rows, whole[batch])


def test_bits_depend_on_neither_n_jobs_nor_the_threads_of_the_matrix_library(hasher, digits):
    X = np.tile(digits[0], (20, 1))
    margins, packed = hasher.decision_function(X), hasher.encode(X)
    for threads in (1, 2):
        with threadpool_limits(limits=threads, user_api="blas"):
            for n_jobs in (None, 1, 3, -1):
                hasher.set_params(n_jobs=n_jobs)
                np.testing.assert_array_equal(hasher.decision_function(X), margins)
                np.testing.assert_array_equal(hasher.encode(X), packed)
    hasher.set_params(n_jobs=None)
    np.testing.assert_array_equal(np.packbits(margins > 0, axis=1), packed)
    np.testing.assert_array_equal(np.packbits(hasher.transform(X), axis=1), packed)


@pytest.mark.parametrize("dtype", [np.uint8, np.int64, np.float16])
def test_numbers_of_any_type_have_the_bits_of_float32(hasher, digits, dtype):
    X = digits[0]
    np.testing.assert_array_equal(hasher.encode(X.astype(dtype)), hasher.encode(X))


def peak_of_encode(hasher, path):
    """Return the memory that encoding a mapped file takes, and the codes."""
    mapped = np.load(path, mmap_mode="r")
    packed = hasher.encode(mapped)
    return peak_memory(hasher.encode, mapped), packed


@pytest.mark.parametrize("dtype", [np.uint8, np.float32])
def test_a_mapped_file_is_encoded_in_bounded_memory(dtype, digits, tmp_path):
    X = np.tile(digits[0].astype(dtype), (400, 1))
    np.save(tmp_path / "items.npy", X)
    hasher = LSHHasher(n_bits=64, n_jobs=1, random_state=0).fit(digits[0])
    peak, packed = alone(peak_of_encode, hasher, tmp_path / "items.npy")
    np.testing.assert_array_equal(packed, hasher.encode(X))
    margins = len(X) * hasher.n_bits * 4
    assert peak < min(X.size * 4, margins + packed.nbytes)


class AsItIs(LSHHasher):
    """A hasher whose fit converts items itself."""

    def _reads_blocks(self, n_samples):
        return True

    def fit(self, X, y=None):
        self.seen_, _ = self._begin(X)
        return super().fit(X.astype(np.float32))


def test_a_hasher_that_reads_blocks_is_given_numbers_as_they_are(digits):
    X = digits[0].astype(np.uint8)
    assert np.shares_memory(AsItIs().fit(X).seen_, X)
    assert AsItIs()._validate(X.tolist(), reset=True).dtype == np.float32
    bad = digits[0].astype(np.float16)
    bad[7, 7] = np.nan
    with pytest.raises(ValueError, match="Input X contains NaN"):
        AsItIs().fit(bad)


@pytest.mark.parametrize("name", ["linear-svm", "kernel-features"])
def test_a_single_number_is_refused_in_the_words_of_scikit_learn(name):
    with pytest.raises(ValueError, match="Expected 2D array, got scalar array instead"):
        TwoStepHasher(8, hash_function=name).fit(np.array(5.0), [1])
