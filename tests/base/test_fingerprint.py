"""The fingerprint of a model, and codes that carry it."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression

import hashlearn
from hashlearn import TwoStepHasher
from hashlearn.methods import ITQHasher
from hashlearn.search import PackedCodes, joint_model

X, y = load_digits(return_X_y=True)
X, y = X[:200] / 16, y[:200]


def test_equal_for_a_model_its_copy_and_its_file(tmp_path: Path) -> None:
    hasher = TwoStepHasher(8, random_state=0).fit(X, y)
    hasher.save(tmp_path / "m.hashlearn")
    loaded = hashlearn.load(tmp_path / "m.hashlearn")
    again = TwoStepHasher(8, random_state=0, verbose=0, n_jobs=2).fit(X, y)
    fingerprints = {hasher.fingerprint(), loaded.fingerprint(), again.fingerprint()}
    loaded.feature_names_in_ = np.array([f"x{i}" for i in range(64)], dtype=object)
    fingerprints.add(loaded.fingerprint())  # names of columns do not change bits
    fingerprints.add(pickle.loads(pickle.dumps(hasher)).fingerprint())
    assert len(fingerprints) == 1
    assert len(fingerprints.pop() or "") == 16


def test_differs_for_another_seed_and_other_data() -> None:
    fits = [
        ITQHasher(8, random_state=seed).fit(X[:n]) for seed, n in ((0, 200), (1, 200), (0, 150))
    ]
    assert len({hasher.fingerprint() for hasher in fits}) == 3


def test_changes_with_every_fit() -> None:
    hasher = TwoStepHasher(8, hash_function="linear-svm", random_state=0).fit(X, y)
    first = hasher.fingerprint()
    hasher.partial_fit(X[:50], y[:50])
    second = hasher.fingerprint()
    hasher.fit(X[:100], y[:100])
    assert len({first, second, hasher.fingerprint()}) == 3


def test_none_for_a_model_that_no_file_can_hold() -> None:
    hasher = TwoStepHasher(2, hash_function=LogisticRegression(max_iter=1000), random_state=0).fit(
        X, y
    )
    assert hasher.fingerprint() is None
    assert hasher.encode(X).model is None


def test_codes_keep_the_model_of_views_and_copies_only() -> None:
    hasher = ITQHasher(16, random_state=0).fit(X)
    codes = hasher.encode(X)
    kept = [codes[3:5], codes[[1, 2]], codes.copy(), pickle.loads(pickle.dumps(codes))]
    assert {part.model for part in kept} == {hasher.fingerprint()}
    assert type(codes ^ 1) is np.ndarray
    assert type(codes == codes) is np.ndarray
    assert isinstance(codes.sum(), np.integer)
    assert type(np.asarray(codes)) is np.ndarray


def test_codes_of_two_models_have_no_joint_model() -> None:
    first, second = (PackedCodes(np.zeros((1, 1), dtype=np.uint8), model) for model in "ab")
    assert joint_model(queries=first, index=None) == "a"
    assert joint_model(queries=np.asarray(first), index="b") == "b"
    with pytest.raises(ValueError, match="queries are codes of model a and index of model b"):
        joint_model(queries=first, index=second)
