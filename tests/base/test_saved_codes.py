"""Model files are as large as the hash functions; training codes are in them on request."""

import numpy as np
import pytest

import hashlearn
from hashlearn import TwoStepHasher, make_hasher
from hashlearn.hash_functions import LinearSVMHash


def model_file(hasher, path, **options):
    hasher.save(path, **options)
    return path.stat().st_size, hashlearn.load(path)


@pytest.mark.parametrize("method", ["itq", "tsh", "mixed"])
def test_a_model_file_does_not_grow_with_the_training_items(method, tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 5))
    y = np.arange(40) % 3
    many = np.tile(X, (50, 1))
    two_step = TwoStepHasher(hash_function=LinearSVMHash(C=1.0))
    params = {
        "itq": {},
        "tsh": {"hash_function": LinearSVMHash(C=1.0)},
        "mixed": {"share": 0.5, "label_hasher": two_step},
    }[method]
    few, more = (
        model_file(
            make_hasher(method, n_bits=4, random_state=0, **params).fit(items, labels),
            tmp_path / "model",
        )[0]
        for items, labels in ((X, y), (many, np.tile(y, 50)))
    )
    assert more < few + 500  # numbers with more digits, and no codes


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
    _, loaded = model_file(hasher, tmp_path / "model")
    loaded.partial_fit(X[:10], y[:10])
    np.testing.assert_array_equal(
        loaded.decision_function(X), hasher.partial_fit(X[:10], y[:10]).decision_function(X)
    )
    assert len(hasher.codes_) == 70
    with pytest.raises(AttributeError, match="without the codes"):  # those of 60 items are unknown
        loaded.summary()
    assert loaded.fit(X, y).summary().n_items == 60
