"""Model files are as large as the hash functions; training codes are in them on request."""

import numpy as np
import pytest

import hashlearn
from hashlearn import TwoStepHasher, make_hasher
from hashlearn.base import METHODS
from hashlearn.hash_functions import KernelFeaturesHash, LinearSVMHash


def model_file(hasher, path, **options):
    hasher.save(path, **options)
    return path.stat().st_size, hashlearn.load(path)


LINEAR = LinearSVMHash(C=1.0)
CHEAP = {
    "tsh": {"hash_function": LINEAR},
    "mixed": {"share": 0.5, "label_hasher": TwoStepHasher(hash_function=LINEAR)},
    "fasthash": {"n_rounds": 2},
    "sdh": {"n_anchors": 300},
}
LONG = ("agh", "bre", "bres", "cghash", "fasthash", "imh", "ksh", "mlh", "sth")  # for 5,000 items
SUPPORT = ("sths-rbf",)  # its support vectors are training items


@pytest.mark.parametrize(
    "method",
    [
        pytest.param(name, marks=pytest.mark.slow if name in LONG else ())
        for name in METHODS.names()
        if name not in SUPPORT
    ],
)
def test_a_model_file_does_not_grow_with_the_training_items(method, tmp_path):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 5, 5_000)
    X = 3 * rng.normal(size=(5, 6))[y] + rng.normal(size=(5_000, 6))
    few, more = (
        model_file(
            make_hasher(method, n_bits=4, random_state=0, **CHEAP.get(method, {})).fit(
                X[:n], y[:n]
            ),
            tmp_path / "model",
        )[0]
        for n in (500, 5_000)
    )
    assert abs(more - few) < 1_000  # longer numbers, and other numbers of rounds; no codes


@pytest.mark.parametrize("hash_function", [LINEAR, KernelFeaturesHash(40, C=1.0, sigma=2.0)])
def test_what_only_partial_fit_needs_is_in_the_file_if_asked_for(hash_function, tmp_path):
    """It was 4.0 of 6.2 MB with 1,000 anchors."""
    X, y = np.random.default_rng(0).normal(size=(100, 40)), np.arange(100) % 3
    hasher = TwoStepHasher(4, hash_function=hash_function, random_state=0).fit(X[:80], y[:80])
    light, loaded = model_file(hasher, tmp_path / "light")
    full, growing = model_file(hasher, tmp_path / "full", partial_fit=True)
    assert full - light == pytest.approx(41 * 41 * 4, abs=500)
    np.testing.assert_array_equal(loaded.encode(X), hasher.encode(X))
    assert loaded.fingerprint() == growing.fingerprint() == hasher.fingerprint()
    with pytest.raises(ValueError, match=r"save\(path, partial_fit=True\)"):
        loaded.partial_fit(X[80:], y[80:])
    expected = hasher.partial_fit(X[80:], y[80:]).decision_function(X)
    np.testing.assert_array_equal(
        growing.partial_fit(X[80:], y[80:]).decision_function(X), expected
    )
    assert hasher.hash_function_.curvature_.shape == (41, 41)  # saving took nothing from it


def test_a_file_for_partial_fit_is_refused_where_there_is_none(tmp_path):
    hasher = make_hasher("lsh", n_bits=4).fit(np.eye(5))
    with pytest.raises(ValueError, match="partial_fit must be False: LSHHasher"):
        hasher.save(tmp_path / "model", partial_fit=True)


def test_a_stagewise_hasher_keeps_nothing_for_partial_fit_which_it_lacks():
    y = np.arange(40) % 3
    X = np.eye(3)[y] + np.random.default_rng(0).normal(scale=0.1, size=(40, 3))
    hasher = TwoStepHasher(2, hash_function=LINEAR, stagewise=True, random_state=0).fit(X, y)
    assert not any(hasattr(part, "curvature_") for part in hasher.hash_function_.parts_)


def test_codes_are_in_the_file_if_asked_for(tmp_path):
    X = np.random.default_rng(0).normal(size=(4000, 8))
    hasher = make_hasher("itq", n_bits=8, random_state=0).fit(X)
    assert hasher.packed_codes_.nbytes == 4000
    light, without = model_file(hasher, tmp_path / "light")
    full, with_codes = model_file(hasher, tmp_path / "full", codes=True)
    assert full - light == pytest.approx(4000, abs=1000)
    np.testing.assert_array_equal(with_codes.codes_, hasher.codes_)
    np.testing.assert_array_equal(without.encode(X), hasher.encode(X))
    assert str(without.summary()) == str(with_codes.summary()) == str(hasher.summary())
    assert not hasattr(without, "codes_")
    with pytest.raises(AttributeError, match=r"save\(path, codes=True\)"):
        _ = without.codes_


def test_a_hasher_without_codes_learns_more_and_can_be_fitted_again(tmp_path):
    X, y = np.random.default_rng(0).normal(size=(60, 5)), np.arange(60) % 3
    hasher = TwoStepHasher(n_bits=4, hash_function="linear-svm", random_state=0).fit(X, y)
    _, loaded = model_file(hasher, tmp_path / "model", partial_fit=True)
    loaded.partial_fit(X[:10], y[:10])
    np.testing.assert_array_equal(
        loaded.decision_function(X), hasher.partial_fit(X[:10], y[:10]).decision_function(X)
    )
    assert len(hasher.codes_) == 70
    with pytest.raises(AttributeError, match="without the codes"):  # those of 60 items are unknown
        loaded.summary()
    assert loaded.fit(X, y).summary().n_items == 60
