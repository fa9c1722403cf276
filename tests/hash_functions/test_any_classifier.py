import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.cluster import KMeans
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.validation import check_is_fitted

from hashlearn import TwoStepHasher
from hashlearn.affinity import DenseAffinity
from hashlearn.hash_functions.any_classifier import ClassifierHash


class SignOfFirst(ClassifierMixin, BaseEstimator):
    """A classifier that can only predict."""

    def fit(self, X, y):
        self.flip_ = bool(((X[:, 0] > 0) != y).mean() > 0.5)
        return self

    def predict(self, X):
        return ((X[:, 0] > 0) != self.flip_).astype(int)


class Outsider:
    """A classifier that knows of scikit-learn only how to be cloned."""

    def get_params(self, deep=True):
        return {}

    def fit(self, X, y):
        self.majority_ = int(y.mean() > 0.5)
        return self

    def predict(self, X):
        return np.full(len(X), self.majority_)


def problem(n_samples=80, n_features=3):
    X = np.random.default_rng(0).normal(size=(n_samples, n_features))
    codes = (X > 0).astype(np.uint8)
    return X, np.column_stack([codes, 1 - codes[:, 0], np.ones(n_samples, dtype=np.uint8)])


def bits(hash_function, X):
    return hash_function.decision_function(X) > 0


CLASSIFIERS = [
    LogisticRegression(),
    LinearSVC(),
    GaussianNB(),
    DecisionTreeClassifier(),
    make_pipeline(StandardScaler(), LogisticRegression()),
]


@pytest.mark.parametrize("classifier", CLASSIFIERS, ids=lambda c: type(c).__name__)
def test_a_bit_is_what_its_clone_predicts(classifier):
    X, codes = problem()
    hash_function = ClassifierHash(classifier).fit(X, codes)
    predicted = np.column_stack([clone(classifier).fit(X, bit).predict(X) for bit in codes.T[:3]])
    np.testing.assert_array_equal(bits(hash_function, X)[:, :3], predicted)
    assert len(hash_function.classifiers_) == 3  # opposite bits share one, constant ones need none


def test_margins_are_the_decision_function():
    X, codes = problem()
    margins = ClassifierHash(LogisticRegression()).fit(X, codes[:, :1]).decision_function(X)
    sign = 1 if codes[0, 0] else -1
    machine = LogisticRegression().fit(X, codes[:, 0])
    np.testing.assert_allclose(margins[:, 0], machine.decision_function(X), rtol=1e-6)
    assert sign * margins[0, 0] > 0


def test_margins_without_a_decision_function_are_probabilities_less_one_half():
    X, codes = problem()
    margins = ClassifierHash(GaussianNB()).fit(X, codes[:, :1]).decision_function(X)
    machine = GaussianNB().fit(X, codes[:, 0])
    np.testing.assert_allclose(margins[:, 0], machine.predict_proba(X)[:, 1] - 0.5)


def test_margins_of_a_classifier_that_only_predicts_are_its_bits():
    X, codes = problem()
    margins = ClassifierHash(SignOfFirst()).fit(X, codes[:, :1]).decision_function(X)
    np.testing.assert_array_equal(margins[:, 0], np.where(X[:, 0] > 0, 1, -1))


def test_a_classifier_from_outside_scikit_learn_works():
    X, codes = problem()
    codes[:70, 0] = 1
    codes[70:, 0] = 0
    assert np.all(bits(ClassifierHash(Outsider()).fit(X, codes[:, :1]), X))


def test_the_given_classifier_stays_unfitted():
    X, codes = problem()
    classifier = LogisticRegression()
    ClassifierHash(classifier).fit(X, codes)
    with pytest.raises(NotFittedError):
        check_is_fitted(classifier)


@pytest.mark.parametrize("n_jobs", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_the_same_random_state_gives_the_same_margins(n_jobs):
    X, codes = problem()
    forest = RandomForestClassifier(n_estimators=3)
    first = ClassifierHash(forest, random_state=7).fit(X, codes)
    second = ClassifierHash(forest, n_jobs=n_jobs, random_state=7).fit(X, codes)
    np.testing.assert_array_equal(first.decision_function(X), second.decision_function(X))
    assert forest.random_state is None
    assert len({machine.random_state for machine in first.classifiers_}) == 3


def test_a_random_state_reaches_the_parts_of_a_pipeline():
    X, codes = problem()
    pipeline = make_pipeline(StandardScaler(), DecisionTreeClassifier())
    machines = ClassifierHash(pipeline, random_state=0).fit(X, codes).classifiers_
    assert all(machine[-1].random_state is not None for machine in machines)


def test_a_random_state_of_the_classifiers_own_stays():
    X, codes = problem()
    tree = DecisionTreeClassifier(random_state=3)
    machines = ClassifierHash(tree, random_state=0).fit(X, codes).classifiers_
    assert {machine.random_state for machine in machines} == {3}


def test_sparse_items_work_where_the_classifier_takes_them():
    X, codes = problem()
    X[np.abs(X) < 0.3] = 0
    dense = ClassifierHash(LogisticRegression(tol=1e-8)).fit(X, codes)
    sparse = ClassifierHash(LogisticRegression(tol=1e-8)).fit(sp.csr_matrix(X), codes)
    np.testing.assert_allclose(
        sparse.decision_function(sp.csr_matrix(X)), dense.decision_function(X), atol=1e-3
    )


def test_a_classifier_that_needs_dense_items_says_so_itself():
    X, codes = problem()
    with pytest.raises(TypeError, match="Sparse data was passed"):
        ClassifierHash(GaussianNB()).fit(sp.csr_matrix(X), codes)


@pytest.mark.parametrize(
    "thing", ["linear", None, StandardScaler(), LinearRegression(), KMeans(), object()]
)
def test_what_is_not_a_classifier_is_refused(thing):
    with pytest.raises(TypeError, match="must be a classifier"):
        ClassifierHash(thing).fit(*problem())


def test_a_class_instead_of_an_instance_is_refused():
    with pytest.raises(TypeError, match=r"such as GaussianNB\(\)"):
        ClassifierHash(GaussianNB).fit(*problem())


def test_it_can_be_cloned():
    hash_function = clone(ClassifierHash(LogisticRegression(C=3), random_state=1))
    assert hash_function.classifier.C == 3
    assert hash_function.random_state == 1


class Watched(GaussianNB):
    """A classifier that says how many rows it was given in each call."""

    calls = ()

    def predict_proba(self, X):
        self.calls = (*self.calls, len(X))
        return super().predict_proba(X)


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_a_classifier_is_given_all_rows_in_one_call(n_jobs):
    """Blocks of them were once given to it from several threads at once."""
    rng = np.random.default_rng(0)
    y = rng.integers(4, size=5000)
    X = (rng.normal(size=(4, 300))[y] + rng.normal(size=(5000, 300))).astype(np.float32)
    hasher = TwoStepHasher(4, hash_function=Watched(), n_jobs=n_jobs, random_state=0)
    hasher.fit(X[:500], y[:500])
    machines = hasher.hash_function_.classifiers_
    for machine in machines:
        machine.calls = ()
    packed = hasher.encode(X)
    assert [machine.calls for machine in machines] == [(5000,)] * len(machines)
    expected = hasher.hash_function_.decision_function(X) > 0
    assert np.array_equal(packed, np.packbits(expected, axis=1))


def test_rows_that_are_given_whole_are_converted_and_checked():
    X, codes = problem()
    hasher = TwoStepHasher(4, hash_function=GaussianNB(), random_state=0).fit(X, codes[:, 0])
    X = (10 * X).astype(np.int64)
    assert np.array_equal(hasher.encode(X), hasher.encode(X.astype(np.float32)))
    with pytest.raises(ValueError, match="Input X contains NaN"):
        hasher.encode(np.full((2, 3), np.nan))


def travellers(frame, n=80):
    rng = np.random.default_rng(0)
    age, city = rng.normal(size=n), rng.choice(["Bern", "Oslo", "Rome"], n)
    y = 2 * (age > 0) + (city == "Oslo")
    return frame({"city": city, "age": age, "fare": rng.normal(size=n)}), y


def by_name():
    columns = ColumnTransformer(
        [("number", StandardScaler(), ["age"]), ("word", OneHotEncoder(), ["city"])]
    )
    return make_pipeline(columns, DecisionTreeClassifier(random_state=0))


@pytest.mark.parametrize("stagewise", [False, True])
@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_a_classifier_is_given_the_frame_and_selects_columns_by_name(frame, stagewise, recwarn):
    """It was once given a bare array, and a frame with words was refused."""
    X, y = travellers(frame)
    hasher = TwoStepHasher(6, hash_function=by_name(), stagewise=stagewise, random_state=0)
    assert hasher.fit(X, y).score(X, y) > 0.95
    assert hasher.feature_names_in_.tolist() == ["city", "age", "fare"]
    np.testing.assert_array_equal(hasher.encode(X)[:7], hasher.encode(X[:7]))
    np.testing.assert_array_equal(hasher.decision_function(X) > 0, hasher.transform(X))
    assert not [warning for warning in recwarn if "names" in str(warning.message)]
    with pytest.raises(ValueError, match="feature names"):
        hasher.encode(X.rename({"age": "years"}, **({"axis": 1} if frame is pd.DataFrame else {})))


def test_some_rows_of_a_frame_are_a_frame():
    X, y = travellers(pd.DataFrame)
    weights = (np.arange(80) % 4 > 0).astype(float)
    hasher = TwoStepHasher(6, hash_function=by_name(), random_state=0)
    pairs = DenseAffinity(np.where(y[:, None] == y, 1, -1) * np.outer(weights, weights))
    assert hasher.fit(X, affinity=pairs).score(X, y) > 0.8


def test_arrays_are_encoded_after_a_frame_without_a_word(recwarn):
    X, y = load_digits(return_X_y=True, as_frame=True)
    X, y = X[:100], y[:100]
    hasher = TwoStepHasher(4, hash_function=GaussianNB(), random_state=0).fit(X, y)
    np.testing.assert_array_equal(hasher.encode(X.to_numpy()), hasher.encode(X))
    assert not recwarn


def test_one_row_of_a_frame_is_refused():
    X, y = travellers(pd.DataFrame)
    with pytest.raises(ValueError, match="minimum of 2"):
        TwoStepHasher(2, hash_function=by_name()).fit(X[:1], y[:1])
