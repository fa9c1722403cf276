"""Wrong parameters and wrong data are refused, before any work where that is possible."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression
from sklearn.tree import DecisionTreeClassifier

import hashlearn
from hashlearn import TwoStepHasher
from hashlearn.hash_functions import (
    BoostedStumpsHash,
    BoostedTreesHash,
    KernelFeaturesHash,
    LinearSVMHash,
    RBFSVMHash,
)
from hashlearn.inference import CoordinateDescent

LINEAR = {"hash_function": "linear-svm", "random_state": 0}


@pytest.fixture(scope="module")
def blobs():
    return make_blobs(120, n_features=5, centers=4, random_state=0)


@pytest.mark.parametrize("part", ["loss", "inference", "hash_function"])
def test_an_unknown_part_is_found_before_the_items_are(part):
    with pytest.raises(ValueError, match="nothing"):
        TwoStepHasher(**{part: "nothing"}).check_parts()


def test_known_parts_pass_without_items():
    TwoStepHasher().check_parts()
    hashlearn.make_hasher("lsh").check_parts()  # it has none


@pytest.mark.parametrize(
    ("params", "error", "message"),
    [
        ({"n_bits": 0}, ValueError, "n_bits must be .*; got 0"),
        ({"n_bits": 2.5}, TypeError, "n_bits must be .*; got 2.5"),
        ({"n_bits": 5000}, ValueError, "1 to 4096"),
        ({"loss": "mse"}, ValueError, "loss must be .*; got 'mse'"),
        ({"inference": "magic"}, ValueError, "inference='magic'"),
        ({"hash_function": "magic"}, ValueError, "hash_function must be .*; got 'magic'"),
        ({"hash_function": 3}, TypeError, "classifier"),
        ({"group": "yes"}, ValueError, "group must be 'auto' or False; got 'yes'"),
        ({"loss": "laplacian", "inference": "sign-flip"}, ValueError, "eigenmap"),
        ({"loss": lambda s: s}, TypeError, "must accept"),
        ({"loss": lambda s, y: "a"}, ValueError, "finite number"),
        ({"inference": CoordinateDescent(n_cycles=1.5)}, TypeError, "n_cycles"),
        ({"hash_function": None}, TypeError, "hash_function must be .*; got None"),
        ({"hash_function": RBFSVMHash(C=-1)}, ValueError, "C must be .*; got -1"),
        ({"hash_function": RBFSVMHash(sigma="big")}, ValueError, "sigma must be .*; got 'big'"),
        ({"hash_function": LinearSVMHash(tol=0)}, ValueError, "tol must be .*; got 0"),
        ({"hash_function": LinearSVMHash(max_iter=0)}, ValueError, "max_iter must be .*; got 0"),
        ({"hash_function": KernelFeaturesHash(n_anchors=2.5)}, TypeError, "n_anchors"),
        (
            {"hash_function": KernelFeaturesHash(anchors="x")},
            ValueError,
            "anchors must be .*; got 'x'",
        ),
        ({"hash_function": BoostedStumpsHash(n_rounds=0)}, ValueError, "n_rounds"),
        ({"hash_function": BoostedTreesHash(max_depth=0)}, ValueError, "max_depth"),
        ({"stagewise": "yes"}, ValueError, "stagewise must be .*; got 'yes'"),
        ({"hash_function": LinearRegression()}, TypeError, "LinearRegression"),
        ({"hash_function": DecisionTreeClassifier}, TypeError, "DecisionTreeClassifier"),
        ({"n_jobs": 0}, ValueError, "n_jobs"),
        ({"group": np.array([1, 2])}, ValueError, "group must be"),
    ],
)
def test_wrong_parameters_are_refused_before_any_work(params, error, message, blobs, monkeypatch):
    X, y = blobs
    monkeypatch.setattr("hashlearn.base.hasher.as_affinity", None)  # any work would fail
    with pytest.raises(error, match=message):
        TwoStepHasher(**{"n_bits": 4, **params}).fit(X, y)


@pytest.mark.parametrize("name", ["rbf-svm", "kernel-ridge"])
def test_too_many_items_for_a_gram_matrix_are_refused_before_any_work(name, monkeypatch):
    monkeypatch.setattr("hashlearn.base.hasher.as_affinity", None)
    with pytest.raises(ValueError, match="anchor-ridge"):
        TwoStepHasher(hash_function=name).fit(np.zeros((20_001, 1)))


@pytest.mark.parametrize(
    "name", ["rbf-svm", "kernel-ridge", "anchor-ridge", "kernel-features", "linear-svm"]
)
@pytest.mark.parametrize("factor", [1e25, 1e-30])
def test_magnitudes_whose_squares_do_not_fit_are_refused(name, factor, blobs):
    X, y = blobs
    X = (X * factor).astype(np.float32)
    with pytest.raises(ValueError, match="scale X or use float64"):
        TwoStepHasher(n_bits=4, hash_function=name, random_state=0).fit(X, y)
    hasher = TwoStepHasher(n_bits=8, hash_function=name, random_state=0)
    assert hasher.fit(X.astype(np.float64), y).score(X.astype(np.float64), y) > 0.9


def test_missing_labels_are_named(blobs):
    X, _ = blobs
    with pytest.raises(ValueError, match="Labels of 60 of 120 items are missing"):
        TwoStepHasher(n_bits=4).fit(X, np.array(["a", None] * 60, dtype=object))


def test_a_named_loss_is_given_once():
    with pytest.raises(TypeError, match="already names a loss"):
        hashlearn.make_hasher("tsh-ksh", loss="bre")


def test_wrong_data_is_refused(blobs):
    X, y = blobs
    hasher = TwoStepHasher(n_bits=4, **LINEAR)
    with pytest.raises(NotFittedError):
        hasher.transform(X)
    with pytest.raises(ValueError, match="one class only"):
        hasher.fit(X, np.zeros(120, dtype=int))
    with pytest.raises(ValueError, match="NaN"):
        hasher.fit(np.where(X > 2, np.nan, X), y)
    with pytest.raises(ValueError, match="infinity"):
        hasher.fit(np.where(X > 2, np.inf, X), y)
    with pytest.raises(ValueError, match="y has 100 items"):
        hasher.fit(X, y[:100])
    with pytest.raises(ValueError, match="affinity has 2 items"):
        hasher.fit(X, affinity=np.array([[0, -1], [-1, 0]]))
    with pytest.raises(ValueError, match="symmetric"):
        hasher.fit(X, affinity=np.triu(np.ones((120, 120))))
    hasher.fit(X, y)
    with pytest.raises(ValueError, match="3 features"):
        hasher.transform(X[:, :3])
    with pytest.raises(ValueError, match="NaN"):
        hasher.encode(np.full((2, 5), np.nan))


@pytest.mark.parametrize(
    ("hasher", "params", "message"),
    [
        (
            TwoStepHasher(hash_function="linear-svm"),
            {"hash_function__C": 1.0},
            r"hash_function is 'linear-svm'; pass hash_function=LinearSVMHash\(\.\.\.\)",
        ),
        (TwoStepHasher(), {"hash_function__C": 1.0}, "is 'auto'; pass hash_function=an instance"),
        (TwoStepHasher(), {"inference__n_cycles": 3}, "inference is 'auto'"),
        (TwoStepHasher(), {"loss__margin": 3}, r"pass loss=BRELoss\(\.\.\.\)"),
        (TwoStepHasher(), {"loss": "ksh", "loss__margin": 3}, r"pass loss=KSHLoss"),
        (
            hashlearn.make_hasher("mixed"),
            {"label_hasher__loss": "ksh"},
            r"label_hasher is 'tsh'; pass label_hasher=TwoStepHasher\(",
        ),
    ],
)
def test_parameters_of_a_named_part_are_refused_with_its_class(hasher, params, message):
    """They once failed with "'str' object has no attribute 'set_params'"."""
    with pytest.raises(ValueError, match=message):
        hasher.set_params(**params)


def test_parameters_of_instances_are_set():
    hasher = TwoStepHasher().set_params(hash_function=LinearSVMHash(), hash_function__C=3.0)
    assert hasher.hash_function.C == 3.0
    with pytest.raises(ValueError, match="Invalid parameter"):
        hasher.set_params(nothing__C=3.0)
