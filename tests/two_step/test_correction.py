"""Laws of the correction of bits: its minimum, where there is one, what it depends on."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.special import softmax
from sklearn.datasets import load_digits, make_blobs

import hashlearn
from hashlearn import TwoStepHasher
from hashlearn.hash_functions import HASH_FUNCTIONS, KernelRidgeHash, LinearSVMHash, RBFSVMHash
from hashlearn.two_step._correction import FLATTENING, LENGTHENING, MAX_ITEMS, ClassCorrection
from hashlearn.two_step._posterior import N_FOLDS, deal_folds, fit_posterior

N_BITS = 16
LINEAR = LinearSVMHash(C=1.0)


@pytest.fixture(scope="module")
def blobs():
    """Items of five classes that overlap."""
    return make_blobs(400, n_features=5, centers=5, cluster_std=3.0, random_state=0)


@pytest.fixture(scope="module")
def fitted(blobs):
    return make().fit(*blobs)


def make(**params):
    params = {"hash_function": LINEAR, "correct": True, "random_state": 0, **params}
    return TwoStepHasher(N_BITS, **params)


def energy(correction, margins, b):
    """Return what the correction minimises, by its formula."""
    Z, P, tau = correction.codes_, correction.projection_, correction.scale_
    p = softmax(margins / tau @ correction.weights_ + correction.intercepts_) ** FLATTENING
    v = p / p.sum() @ Z
    v *= (np.sqrt(v.size) / np.linalg.norm(v)) ** LENGTHENING
    strength = np.abs(margins).mean() ** 2 / tau
    return strength / 2 * np.sum((P @ (b - v)) ** 2) - margins @ b


def test_no_flip_of_a_bit_lowers_the_energy_and_margins_are_half_of_what_it_rises(blobs, fitted):
    correction = fitted.correction_
    for margins in fitted.hash_function_.decision_function(blobs[0][:20]):
        corrected = correction.margins(margins[None])[0]
        b = np.where(corrected > 0, 1.0, -1.0)
        least = energy(correction, margins, b)
        assert least <= energy(correction, margins, np.where(margins > 0, 1.0, -1.0)) + 1e-9
        for k in range(N_BITS):
            flipped = b.copy()
            flipped[k] *= -1
            rise = energy(correction, margins, flipped) - least
            assert rise >= -1e-9
            assert rise / 2 == pytest.approx(b[k] * corrected[k], abs=1e-9)


def test_margins_of_a_class_code_that_is_certain_stay():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 2, (5, N_BITS))
    groups = np.repeat(np.arange(5), 20)
    margins = 2.0 * codes[groups] - 1
    correction = ClassCorrection().fit(margins, codes, groups)
    np.testing.assert_array_equal(correction.margins(margins) > 0, codes[groups] == 1)


def test_corrected_codes_are_those_of_the_margins(blobs, fitted):
    X, _ = blobs
    margins = fitted.decision_function(X)
    np.testing.assert_array_equal(fitted.transform(X), margins > 0)
    raw = fitted.hash_function_.decision_function(X)
    np.testing.assert_array_equal(margins, fitted.correction_.margins(raw))
    assert ((margins > 0) != (raw > 0)).any()


def test_an_item_is_corrected_alone(blobs, fitted):
    X, _ = blobs
    together = fitted.decision_function(X[:30])
    np.testing.assert_array_equal(
        together, np.vstack([fitted.decision_function(x) for x in X[:30, None]])
    )


def test_false_gives_the_bits_of_the_hash_function(blobs):
    X, y = blobs
    hasher = make(correct=False).fit(X, y)
    assert hasher.correction_ is None
    np.testing.assert_array_equal(hasher.transform(X), hasher.hash_function_.bits(X))


@pytest.mark.parametrize("correct", ["auto", None, 1.0, np.array([1])])
def test_other_values_are_refused(correct, blobs):
    with pytest.raises(TypeError, match="correct must be True or False"):
        make(correct=correct).fit(*blobs)


@pytest.mark.filterwarnings("ignore:.* bits are the same")
@pytest.mark.parametrize(
    "reason", ["pairs", "neighbours", "sets", "ungrouped", "bits", "few", "two", "many"]
)
def test_without_a_basis_there_is_none_and_fit_says_so(reason, blobs):
    X, y = blobs
    similar = np.where(y[:, None] == y, 1, -1)
    hasher, given = make(), {"y": y}
    if reason == "pairs":
        given = {"affinity": similar}
    elif reason == "neighbours":
        given = {}
    elif reason == "sets":
        given = {"y": (y[:, None] == np.arange(5)).astype(int)}
    elif reason == "ungrouped":
        hasher = make(group=False)
    elif reason == "bits":
        hasher = make().set_params(n_bits=5)
    elif reason == "few":
        X, given = X[:90], {"y": y[:90]}
    elif reason == "two":
        given = {"y": y > 2}
    elif reason == "many":
        copies = MAX_ITEMS // len(X) + 1
        X, given = np.tile(X, (copies, 1)), {"y": np.tile(y, copies)}
    with pytest.warns(UserWarning, match="correct=True has no effect: it needs"):
        assert hasher.fit(X, **given).correction_ is None


@pytest.mark.parametrize("name", HASH_FUNCTIONS.names())
def test_every_hash_function_can_be_corrected(name, blobs, tmp_path):
    X, y = blobs
    hasher = make(hash_function=name).fit(X, y)
    assert hasher.correction_ is not None
    hasher.save(tmp_path / "model")
    np.testing.assert_array_equal(
        hashlearn.load(tmp_path / "model").transform(X), hasher.transform(X)
    )


def test_bits_do_not_depend_on_threads(blobs):
    X, y = blobs
    one, two = (make(hash_function=RBFSVMHash(), n_jobs=n).fit(X, y).transform(X) for n in (1, 2))
    np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize("function", [LINEAR, KernelRidgeHash(C=1.0, sigma=3.0)])
def test_weights_count_as_copies(function, blobs):
    X, y = blobs
    weights = np.random.default_rng(0).integers(0, 3, len(X))
    copies = np.repeat(np.arange(len(X)), weights)
    by_weight = make(hash_function=function).fit(X, y, sample_weight=weights)
    by_copy = make(hash_function=function).fit(X[copies], y[copies])
    np.testing.assert_allclose(
        by_weight.decision_function(X), by_copy.decision_function(X), atol=1e-3
    )


def test_a_sparse_array_is_corrected_as_a_dense_one(blobs):
    X, y = blobs
    dense, sparse = make().fit(X, y), make().fit(sp.csr_array(X), y)
    assert (dense.transform(X) == sparse.transform(sp.csr_array(X))).mean() > 0.98


def test_a_checkpoint_continues_to_the_same_bits(blobs, tmp_path, monkeypatch):
    X, y = blobs
    whole = make().fit(X, y)

    def stopped(*args):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(ClassCorrection, "fit", stopped)
        with pytest.raises(KeyboardInterrupt):
            make().fit(X, y, checkpoint=tmp_path / "steps")
    resumed = make().fit(X, y, checkpoint=tmp_path / "steps")
    np.testing.assert_array_equal(resumed.decision_function(X), whole.decision_function(X))


def test_a_new_class_ends_the_correction_and_known_ones_do_not(blobs):
    X, y = blobs
    hasher = make().fit(X[y < 4], y[y < 4]).partial_fit(X[y < 4][:50], y[y < 4][:50])
    assert hasher.correction_ is not None
    assert hasher.partial_fit(X, y).correction_ is None
    np.testing.assert_array_equal(hasher.transform(X), hasher.hash_function_.bits(X))


def test_folds_deal_each_group_evenly_and_keep_copies_together():
    rng = np.random.default_rng(0)
    margins, groups = rng.normal(size=(60, 4)), np.repeat([0, 1, 2], 20)
    copies = rng.integers(0, 60, 200)
    fold = deal_folds(margins, groups)
    counts = np.array([np.bincount(fold[groups == g], minlength=N_FOLDS) for g in range(3)])
    assert np.ptp(counts) <= 1
    again = deal_folds(margins[copies], groups[copies])
    assert all(np.ptp(again[copies == i]) == 0 for i in np.unique(copies))


def test_a_posterior_of_many_items_is_calibrated():
    rng = np.random.default_rng(0)
    codes = rng.choice([-1.0, 1.0], (4, 8))
    groups = rng.integers(0, 4, 4000)
    margins = codes[groups] + 3 * rng.normal(size=(4000, 8))
    posterior = fit_posterior(margins, codes, groups, None)
    p = softmax(margins @ posterior.weights + posterior.intercepts, axis=1)
    np.testing.assert_allclose(p.mean(axis=0), np.bincount(groups) / 4000, atol=1e-3)
    # by Bayes' rule, the logarithms of normal densities of equal spread are linear in the margins
    exact = softmax(margins @ codes.T / 9, axis=1)
    assert np.abs(p - exact).mean() < 0.02


def test_digits_of_no_training_item_are_found_better():
    X, y = load_digits(return_X_y=True)
    plain, corrected = (
        make(correct=correct).fit(X[:600], y[:600]).score(X[600:], y[600:])
        for correct in (False, True)
    )
    assert corrected > plain + 0.01
