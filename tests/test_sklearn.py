"""scikit-learn's own checks, for every hash function, and its tools around a hasher."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn import config_context
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from hashlearn import TwoStepHasher
from hashlearn.affinity import DenseAffinity, LabelAffinity
from hashlearn.hash_functions import (
    HASH_FUNCTIONS,
    KernelFeaturesHash,
    LinearSVMHash,
    RBFSVMHash,
)
from hashlearn.methods import LSHHasher
from tests.sklearn_checks import scikit_learn_checks

HASHERS = [TwoStepHasher(n_bits=4), TwoStepHasher(n_bits=4, hash_function="linear-svm")]
FURTHER = [
    *(
        TwoStepHasher(n_bits=4, hash_function=name)
        for name in HASH_FUNCTIONS.names()
        if name != "linear-svm"
    ),
    TwoStepHasher(n_bits=4, hash_function=LinearSVMHash(C=1.0, tol=1e-12)),
    TwoStepHasher(n_bits=4, hash_function=RBFSVMHash(C=1.0, sigma=1.0, tol=1e-12)),
    TwoStepHasher(n_bits=4, hash_function=KernelFeaturesHash(C=1.0, sigma=1.0)),
    TwoStepHasher(n_bits=4, hash_function=LogisticRegression(tol=1e-12)),
    TwoStepHasher(n_bits=4, loss="splh", inference="spectral-lbfgsb"),
]


@scikit_learn_checks(HASHERS)
@pytest.mark.filterwarnings("ignore:The hash function gives")  # some checks draw noise
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.slow
@scikit_learn_checks(FURTHER)
@pytest.mark.filterwarnings("ignore:The hash function gives")
def test_scikit_learn_checks_of_every_hash_function(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X[:200], y[:200]


def test_pipeline(digits):
    X, y = digits
    pipeline = make_pipeline(StandardScaler(), TwoStepHasher(n_bits=12, random_state=0))
    bits = pipeline.fit_transform(X, y)
    assert bits.shape == (200, 12)
    assert pipeline.score(X, y) > 0.9
    assert pipeline[:-1].transform(X).shape == X.shape


def test_grid_search_over_parts(digits):
    X, y = digits
    search = GridSearchCV(
        TwoStepHasher(hash_function="linear-svm", random_state=0),
        {"n_bits": [2, 16], "loss": ["bre", "ee"]},
        cv=2,
    ).fit(X, y)
    assert search.best_params_["n_bits"] == 16
    assert 0.5 < search.best_score_ <= 1


def test_cross_validation_splits_an_affinity_with_its_items(digits):
    X, y = digits
    hasher = TwoStepHasher(n_bits=8, hash_function="linear-svm", random_state=0)
    result = cross_validate(hasher, X, y, cv=2, params={"affinity": LabelAffinity(y)})
    assert (result["test_score"] > 0.5).all()
    np.testing.assert_array_equal(
        result["test_score"], cross_validate(hasher, X, y, cv=2)["test_score"]
    )


def routed(hasher):
    return hasher.set_fit_request(affinity=True).set_score_request(affinity=True)


def test_cross_validation_scores_by_the_affinity_of_the_fold(digits):
    """It once measured neighbours in X, without a word."""
    X, y = digits
    hasher = TwoStepHasher(n_bits=8, hash_function="linear-svm", random_state=0)
    expected = cross_validate(hasher, X, y, cv=2, params={"affinity": LabelAffinity(y)})
    with config_context(enable_metadata_routing=True):
        for affinity in (LabelAffinity(y), DenseAffinity(np.where(y[:, None] == y, 1, -1))):
            found = cross_validate(routed(hasher), X, cv=2, params={"affinity": affinity})
            np.testing.assert_array_equal(found["test_score"], expected["test_score"])


def test_cross_validation_without_an_affinity_to_score_by_is_refused(digits):
    X, y = digits
    hasher = TwoStepHasher(n_bits=4, hash_function="linear-svm", random_state=0)
    given = {"params": {"affinity": LabelAffinity(y)}, "cv": 2, "error_score": "raise"}
    with pytest.raises(ValueError, match=r"score needs y or affinity.*set_score_request"):
        cross_validate(hasher, X, **given)
    with (
        config_context(enable_metadata_routing=True),
        pytest.raises(ValueError, match=r"TwoStepHasher.set_score_request"),
    ):
        cross_validate(hasher.set_fit_request(affinity=True), X, **given)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_rows_of_a_plain_matrix_are_refused_in_a_cross_validation(form, digits):
    X, y = digits
    affinity = form(np.where(y[:, None] == y, 1, -1))
    hasher = TwoStepHasher(n_bits=4, hash_function="linear-svm")
    with pytest.raises(ValueError, match=r"got shape \(100, 200\).*pass it as \w+Affinity"):
        cross_validate(hasher, X, y, cv=2, params={"affinity": affinity}, error_score="raise")


def test_score_without_labels_takes_neighbours(digits):
    X, _ = digits
    hasher = TwoStepHasher(n_bits=16, random_state=0).fit(X)
    baseline = LSHHasher(n_bits=16, center=True, random_state=0).fit(X)
    assert hasher.score(X) > 1.5 * baseline.score(X)


def test_set_output_gives_frames(digits):
    X, y = digits
    hasher = TwoStepHasher(n_bits=5, hash_function="linear-svm", random_state=0)
    frame = hasher.set_output(transform="pandas").fit_transform(X, y)
    assert isinstance(frame, pd.DataFrame)
    assert list(frame.columns) == [f"twostephasher{k}" for k in range(5)]
    assert isinstance(hasher.set_output(transform="polars").transform(X), pl.DataFrame)
    assert isinstance(hasher.encode(X), np.ndarray)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_frames_are_taken_as_arrays(frame, digits):
    X, y = digits
    named = frame(X, columns=list(range(64))) if frame is pd.DataFrame else frame(X)
    named.columns = [f"pixel{i}" for i in range(64)]
    hasher = TwoStepHasher(n_bits=6, hash_function="linear-svm", random_state=0)
    expected = hasher.fit(X, y).encode(X)
    assert np.array_equal(hasher.fit(named, y).encode(named), expected)
    assert hasher.feature_names_in_[3] == "pixel3"
    with warnings.catch_warnings(action="error"):  # an array has no names that could be wrong
        assert np.array_equal(hasher.encode(X), expected)
        assert 0 < hasher.score(X, y) <= 1
        hasher.transform(sp.csr_array(X)), hasher.decision_function(X.tolist())
    assert hasher.feature_names_in_[3] == "pixel3"
    named.columns = named.columns[::-1]
    with pytest.raises(ValueError, match="feature names should match"):
        hasher.encode(named)


@pytest.mark.parametrize("name", ["linear-svm", "rbf-svm", "kernel-features"])
def test_sparse_items_get_about_the_bits_of_dense_ones(name, digits):
    X, y = digits
    hasher = TwoStepHasher(n_bits=8, hash_function=name, random_state=0)
    dense = hasher.fit(X, y).transform(X)
    sparse = hasher.fit(sp.csr_matrix(X), y).transform(sp.csr_matrix(X))
    assert np.mean(dense != sparse) < 0.02


def test_stumps_refuse_sparse_items_in_one_sentence(digits):
    X, y = digits
    hasher = TwoStepHasher(hash_function="boosted-stumps")
    with pytest.raises(TypeError, match=r"[Ss]parse"):
        hasher.fit(sp.csr_matrix(X), y)
