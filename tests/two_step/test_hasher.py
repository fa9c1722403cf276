"""Laws of the estimator: both steps, every kind of supervision, saving."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_digits, make_blobs
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.tree import DecisionTreeClassifier

import hashlearn
from hashlearn import TwoStepHasher
from hashlearn.affinity import LabelAffinity, MultilabelAffinity, SparseAffinity
from hashlearn.hash_functions import (
    HASH_FUNCTIONS,
    KernelFeaturesHash,
    KernelRidgeHash,
    RBFSVMHash,
    choose,
)
from hashlearn.inference import SOLVERS, CoordinateDescent, Inference, StepOne
from hashlearn.losses import LOSSES, HingeLoss

LINEAR = {"hash_function": "linear-svm", "random_state": 0}


@pytest.fixture(scope="module")
def blobs():
    return make_blobs(120, n_features=5, centers=4, random_state=0)


@pytest.mark.filterwarnings("ignore:.* bits are the same")  # four classes need fewer bits
@pytest.mark.parametrize("loss", LOSSES.names())
def test_every_loss_separates_blobs(loss, blobs):
    X, y = blobs
    hasher = TwoStepHasher(n_bits=3 if loss == "laplacian" else 16, loss=loss, random_state=0)
    assert hasher.fit(X, y).score(X, y) > 0.9


@pytest.mark.parametrize("inference", SOLVERS.names())
def test_every_solver_separates_blobs(inference, blobs):
    X, y = blobs
    hasher = TwoStepHasher(n_bits=16, inference=inference, **LINEAR)
    assert hasher.fit(X, y).score(X, y) > 0.9


@pytest.mark.parametrize("name", HASH_FUNCTIONS.names())
def test_every_hash_function_predicts_its_bits(name, blobs):
    X, y = blobs
    hasher = TwoStepHasher(8, hash_function=name, correct=False, random_state=0).fit(X, y)
    assert hasher.bit_error_.mean() < 0.02
    np.testing.assert_array_equal(
        hasher.bit_error_, (hasher.transform(X) != hasher.codes_).mean(axis=0)
    )


def test_any_classifier_is_a_hash_function(blobs):
    X, y = blobs
    tree = DecisionTreeClassifier(max_depth=4)
    hasher = TwoStepHasher(n_bits=6, hash_function=tree, random_state=0).fit(X, y)
    assert hasher.score(X, y) > 0.9
    assert not hasattr(tree, "tree_")


def test_outputs_have_the_documented_shapes(blobs):
    X, y = blobs
    hasher = TwoStepHasher(n_bits=13, **LINEAR).fit(X, y)
    bits = hasher.transform(X)
    assert bits.shape == hasher.codes_.shape == (120, 13)
    assert bits.dtype == hasher.codes_.dtype == np.uint8
    assert set(np.unique(bits)) <= {0, 1}
    assert np.array_equal(hasher.encode(X), np.packbits(bits, axis=1))
    assert np.array_equal(bits, hasher.decision_function(X) > 0)
    assert hasher.bit_error_.shape == (13,)


def test_supervision_of_every_kind_is_one_thing(blobs):
    """Labels as labels, indicator, dense, sparse and pairs give the same codes."""
    X, y = blobs
    Y = LabelAffinity(y).block(slice(None))
    i, j = np.triu_indices(120, 1)
    pairs = SparseAffinity.from_pairs(np.c_[i, j, Y[i, j]], n_items=120)
    hasher = TwoStepHasher(n_bits=8, loss="splh", **LINEAR)
    expected = hasher.fit(X, y).codes_
    indicator = np.eye(4, dtype=int)[y]
    assert np.array_equal(hasher.fit(X, indicator).codes_, expected)
    for affinity in (Y, sp.csr_array(Y), pairs, LabelAffinity(y), MultilabelAffinity(indicator)):
        assert np.array_equal(hasher.fit(X, affinity=affinity).codes_, expected)


def test_an_affinity_takes_precedence_over_labels(blobs):
    X, y = blobs
    hasher = TwoStepHasher(n_bits=8, **LINEAR)
    expected = hasher.fit(X, y % 2).codes_
    assert np.array_equal(hasher.fit(X, y, affinity=LabelAffinity(y % 2)).codes_, expected)


@pytest.mark.filterwarnings("ignore:.* bits are the same")  # four classes need fewer bits
def test_parts_may_be_instances_and_functions(blobs):
    X, y = blobs
    hasher = TwoStepHasher(
        n_bits=8,
        loss=HingeLoss(rho=3),
        inference=CoordinateDescent(n_cycles=3, start="empty"),
        hash_function=KernelFeaturesHash(n_anchors=20),
        random_state=0,
    )
    assert hasher.fit(X, y).score(X, y) > 0.9
    assert hasher.hash_function_.random_state is not None  # seeded by the hasher
    assert hasher.hash_function.random_state is None  # the given part is left as it was
    custom = TwoStepHasher(n_bits=8, loss=lambda s, y: (s - 8 * y) ** 2, **LINEAR).fit(X, y)
    ksh = TwoStepHasher(n_bits=8, loss="ksh", **LINEAR).fit(X, y)
    np.testing.assert_allclose(custom.objective_[-1], ksh.objective_[-1])


@pytest.mark.parametrize("name", HASH_FUNCTIONS.names())
def test_bits_do_not_depend_on_n_jobs(name):
    X, y = load_digits(return_X_y=True)
    one, two = (
        TwoStepHasher(n_bits=5, hash_function=name, random_state=0, n_jobs=n_jobs)
        .fit(X[:200], y[:200])
        .decision_function(X)
        for n_jobs in (1, 2)
    )
    assert np.array_equal(one, two)


@pytest.mark.parametrize("name", HASH_FUNCTIONS.names())
def test_a_rows_bits_do_not_depend_on_its_company(name):
    X, y = load_digits(return_X_y=True)
    hasher = TwoStepHasher(n_bits=5, hash_function=name, random_state=0).fit(X[:200], y[:200])
    together = hasher.decision_function(X[:700])
    for n in (1, 7, 128, 300):  # how many rows came with it: not one digit changes
        assert np.array_equal(hasher.decision_function(X[:n]), together[:n])
    for rows in (slice(3, 10), slice(100, 613)):
        # at which place of a block it stood: a matrix product may round its last digit otherwise
        margins = hasher.decision_function(X[rows])
        np.testing.assert_allclose(margins, together[rows], rtol=0, atol=1e-12)
        assert np.array_equal(margins > 0, together[rows] > 0)


def test_auto_goes_by_the_number_of_items_and_says_so(blobs, monkeypatch):
    X, y = blobs
    hasher = TwoStepHasher(n_bits=4, random_state=0).fit(X, y)
    assert isinstance(hasher.hash_function_, RBFSVMHash)
    assert "RBFSVMHash" in str(hasher.summary())
    assert choose._MAX_RBF_SVM_ITEMS == 5_000
    monkeypatch.setattr(choose, "_MAX_RBF_SVM_ITEMS", len(X) - 1)  # 5,001 items would take long
    hasher = TwoStepHasher(n_bits=4, random_state=0).fit(X, y)
    assert isinstance(hasher.hash_function_, KernelRidgeHash)
    hasher = TwoStepHasher(n_bits=4, max_memory=4 * len(X) ** 2 - 1, random_state=0).fit(X, y)
    assert isinstance(hasher.hash_function_, KernelFeaturesHash)
    monkeypatch.setattr(choose, "_MAX_KERNEL_RIDGE_ITEMS", len(X) - 1)
    hasher = TwoStepHasher(n_bits=4, random_state=0).fit(X, y)
    assert isinstance(hasher.hash_function_, KernelFeaturesHash)


def test_verbose_tells_what_runs(blobs, capsys):
    X, y = blobs
    TwoStepHasher(n_bits=4, verbose=1, **LINEAR).fit(X, y)
    output = capsys.readouterr()
    assert "Step 1" in output.err
    assert "LinearSVMHash" in output.err
    assert "Newton step" in output.err
    TwoStepHasher(n_bits=4, **LINEAR).fit(X, y)
    assert capsys.readouterr() == ("", "")


class HalfConstant(Inference):
    """Step 1 whose second bit is the same for all items."""

    def check(self, loss):
        pass

    def check_affinity(self, affinity, loss):
        pass

    def infer(self, affinity, loss, n_bits, **_):
        varying = np.arange(affinity.n_items) % 2
        codes = np.c_[varying, np.ones_like(varying)].astype(np.uint8)
        return StepOne(codes, np.array([0.0]), None)


@pytest.mark.parametrize("name", HASH_FUNCTIONS.names())
def test_a_constant_bit_warns_and_gets_a_constant_hash_function(name, blobs):
    X, y = blobs
    hasher = TwoStepHasher(n_bits=2, inference=HalfConstant(), hash_function=name, random_state=0)
    with pytest.warns(ConvergenceWarning, match="1 of 2 bits"):
        hasher.fit(X, y)
    assert hasher.summary().constant_bits == 1
    assert (hasher.transform(X)[:, 1] == 1).all()


def test_a_million_labelled_items_cost_step_one_nothing():
    y = np.random.default_rng(0).integers(0, 50, 1_000_000)
    step_one = CoordinateDescent().infer(
        LabelAffinity(y),
        LOSSES.create("bre"),
        32,
        random_state=np.random.RandomState(0),
    )
    assert step_one.codes.shape == (1_000_000, 32)
    assert np.unique(np.packbits(step_one.codes, axis=1), axis=0).shape[0] == 50


@pytest.mark.parametrize("name", HASH_FUNCTIONS.names())
def test_items_that_look_all_the_same_are_told(name):
    with pytest.warns(ConvergenceWarning, match="same code"):
        TwoStepHasher(n_bits=4, hash_function=name, random_state=0).fit(
            np.ones((40, 3)), np.arange(40) % 2
        )


def test_codes_that_collapse_onto_a_large_class_are_not_blamed_on_the_features():
    """With unlabelled items as a class, the scale of good features was once blamed."""
    X = np.random.default_rng(0).normal(size=(100, 2))
    y = np.where(np.arange(100) < 90, -1, np.arange(100) % 5)
    minus_one = pytest.warns(UserWarning, match="-1, the label of 90 of 100 items")
    with minus_one, pytest.warns(ConvergenceWarning, match="90% of them.*MixedHasher") as caught:
        TwoStepHasher(n_bits=4, hash_function="linear-svm", random_state=0).fit(X, y)
    assert not any("scale" in str(warning.message) for warning in caught)


def test_output_names_are_those_of_the_fitted_bits(blobs):
    X, y = blobs
    hasher = TwoStepHasher(n_bits=6, **LINEAR).fit(X, y).set_params(n_bits=3)
    assert hasher.get_feature_names_out().size == 6 == hasher.transform(X).shape[1]


def test_an_unfitted_hasher_is_not_saved(tmp_path):
    with pytest.raises(NotFittedError):
        TwoStepHasher().save(tmp_path / "model.hashlearn")


@pytest.mark.parametrize("params", [{}, {"group": False}, {"stagewise": True}], ids=str)
def test_a_fit_calls_its_loss_once_per_entry_of_the_table_and_checks_once(params, blobs):
    class Counted(CoordinateDescent):
        def check(self, loss):
            checked.append("loss")
            super().check(loss)

        def check_affinity(self, affinity, loss):
            checked.append("affinity")
            super().check_affinity(affinity, loss)

    calls, checked = [], []
    hasher = TwoStepHasher(
        6,
        loss=lambda s, y: calls.append(1) or abs(s - 6 * y),
        inference=Counted(),
        hash_function="boosted-trees" if "stagewise" in params else "linear-svm",
        random_state=0,
        **params,
    )
    hasher.fit(*blobs)
    assert len(calls) == 2 * 13
    assert checked == ["loss", "affinity"]


@pytest.mark.parametrize("name", HASH_FUNCTIONS.names())
def test_save_and_load_give_the_same_bits(name, blobs, tmp_path):
    X, y = blobs
    hasher = TwoStepHasher(n_bits=9, hash_function=name, random_state=0).fit(X, y)
    hasher.save(tmp_path / "model.hashlearn")
    loaded = hashlearn.load(tmp_path / "model.hashlearn")
    assert loaded.get_params() == hasher.get_params()
    assert np.array_equal(loaded.decision_function(X), hasher.decision_function(X))
    assert str(loaded.summary()) == str(hasher.summary())
    assert np.array_equal(loaded.encode(X), hasher.encode(X))


def test_sparse_models_are_saved_too(blobs, tmp_path):
    X, y = blobs
    X = sp.csr_matrix(X)
    hasher = TwoStepHasher(n_bits=9, random_state=0).fit(X, y)
    hasher.save(tmp_path / "model.hashlearn")
    loaded = hashlearn.load(tmp_path / "model.hashlearn")
    assert np.array_equal(loaded.decision_function(X), hasher.decision_function(X))


def test_parts_given_as_instances_are_saved(blobs, tmp_path):
    X, y = blobs
    hasher = TwoStepHasher(
        n_bits=4, loss=HingeLoss(rho=1), inference=CoordinateDescent(n_cycles=1), random_state=0
    ).fit(X, y)
    hasher.save(tmp_path / "model.hashlearn")
    loaded = hashlearn.load(tmp_path / "model.hashlearn")
    assert repr(loaded) == repr(hasher)


def test_a_users_own_classifier_cannot_be_saved_and_says_so(blobs, tmp_path):
    X, y = blobs
    hasher = TwoStepHasher(n_bits=4, hash_function=DecisionTreeClassifier(), random_state=0)
    with pytest.raises(TypeError, match="DecisionTreeClassifier"):
        hasher.fit(X, y).save(tmp_path / "model.hashlearn")
    assert not list(tmp_path.iterdir())
