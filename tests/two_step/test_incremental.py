"""Laws of learning from more items later."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_digits

import hashlearn
from hashlearn import TwoStepHasher, make_hasher
from hashlearn.affinity import as_labels
from hashlearn.hash_functions import (
    KernelFeaturesHash,
    KernelRidgeHash,
    LinearSVMHash,
    RBFSVMHash,
)
from hashlearn.losses import as_loss
from hashlearn.two_step._incremental import NO_GROUP, extend_groups, groups_of
from tests.processes import alone, peak_memory

FUNCTIONS = {
    "linear-svm": LinearSVMHash(C=1.0),
    "kernel-features": KernelFeaturesHash(n_anchors=200, C=10.0, sigma=25.0),
    "rbf-svm": RBFSVMHash(C=10.0, sigma=25.0),
    "kernel-ridge": KernelRidgeHash(C=10.0, sigma=25.0),
}
CODES = np.array([[0, 0, 1, 1], [1, 1, 0, 0], [0, 0, 1, 1]], dtype=np.uint8)
each_function = pytest.mark.parametrize("name", FUNCTIONS)


@pytest.fixture(scope="module")
def digits():
    return load_digits(return_X_y=True)


def make(name, **params):
    return TwoStepHasher(24, hash_function=FUNCTIONS[name], random_state=0, **params)


def by_batches(hasher, X, y, batches):
    for batch in batches:
        hasher.partial_fit(X[batch], y[batch])
    return hasher


@each_function
def test_batches_of_all_classes_come_near_to_one_fit(name, digits):
    X, y = digits
    whole = make(name).fit(X[:1200], y[:1200])
    batches = [slice(start, start + 300) for start in range(0, 1200, 300)]
    parts = by_batches(make(name), X, y, batches)
    first = make(name).fit(X[:300], y[:300])
    scores = [hasher.score(X[1200:], y[1200:]) for hasher in (first, parts, whole)]
    assert scores[0] < scores[1]
    assert scores[1] > scores[2] - 0.02


@each_function
def test_a_new_class_gets_a_code_and_the_others_keep_theirs(name, digits):
    X, y = digits
    old, new = np.flatnonzero(y[:1200] < 8), np.flatnonzero(y[:1200] >= 8)
    hasher = make(name).fit(X[old], y[old])
    codes, items = hasher.group_codes_.copy(), hasher.codes_.copy()
    hasher.partial_fit(X[new], y[new])
    assert hasher.group_labels_.tolist() == list(range(10))
    np.testing.assert_array_equal(hasher.group_codes_[:8], codes)
    np.testing.assert_array_equal(hasher.codes_[: len(old)], items)
    assert len(np.unique(hasher.group_codes_, axis=0)) == 10
    np.testing.assert_array_equal(hasher.codes_[len(old) :], hasher.group_codes_[y[new]])
    assert hasher.groups_.tolist() == [*y[old], *y[new]]


@each_function
def test_old_and_new_classes_are_found_almost_as_by_one_fit(name, digits):
    X, y = digits
    old, new = np.flatnonzero(y[:1200] < 8), np.flatnonzero(y[:1200] >= 8)

    def found(hasher):
        """Per class how often its code is the nearest of all, on items kept out."""
        bits = hasher.transform(X[1200:])
        nearest = (bits[:, None] != hasher.group_codes_).sum(axis=2).argmin(axis=1)
        return np.array([np.mean(nearest[y[1200:] == cls] == cls) for cls in range(10)])

    # a new class ends the correction of bits
    whole = found(make(name, correct=False).fit(X[:1200], y[:1200]))
    later = found(make(name).fit(X[old], y[old]).partial_fit(X[new], y[new]))
    assert later[:8].mean() > whole[:8].mean() - 0.05
    assert later[8:].mean() > whole[8:].mean() - 0.05


def test_the_first_batch_is_a_fit(digits):
    X, y = digits
    for name in FUNCTIONS:
        first = make(name).partial_fit(X[:300], y[:300])
        whole = make(name).fit(X[:300], y[:300])
        np.testing.assert_array_equal(first.encode(X), whole.encode(X))


def test_label_sets_are_known_too():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 6))
    Y = (X[:, :3] > 0).astype(int)
    Y[:200, 2] = 0  # sets with the third label come later
    hasher = make("linear-svm").fit(X[:200], Y[:200])
    codes = hasher.group_codes_.copy()
    hasher.partial_fit(X[200:], Y[200:])
    assert len(hasher.group_codes_) > len(codes)
    np.testing.assert_array_equal(hasher.group_codes_[: len(codes)], codes)
    sets = hasher.group_labels_.toarray()
    for item in np.flatnonzero(Y.any(axis=1))[-20:]:
        group = hasher.groups_[item]
        np.testing.assert_array_equal(sets[group], Y[item])
        np.testing.assert_array_equal(hasher.codes_[item], hasher.group_codes_[group])
    assert len(hasher.codes_) == len(hasher.groups_) == 400


def test_a_saved_hasher_goes_on_as_the_hasher_itself(digits, tmp_path):
    X, y = digits
    for name in FUNCTIONS:
        hasher = make(name).fit(X[:500], y[:500])
        hasher.save(tmp_path / "model", partial_fit=True)
        loaded = hashlearn.load(tmp_path / "model")
        for one in (hasher, loaded):
            one.partial_fit(X[500:800], y[500:800])
        np.testing.assert_array_equal(loaded.encode(X), hasher.encode(X))


def test_weights_count_as_copies(digits):
    X, y = digits
    weights = np.random.default_rng(0).integers(0, 3, 300)
    copies = np.repeat(np.arange(500, 800), weights)
    by_weight, by_copy = (make("linear-svm").fit(X[:500], y[:500]) for _ in range(2))
    by_weight.partial_fit(X[500:800], y[500:800], sample_weight=weights)
    by_copy.partial_fit(X[copies], y[copies])
    np.testing.assert_allclose(
        by_weight.decision_function(X), by_copy.decision_function(X), atol=1e-4
    )
    np.testing.assert_allclose(by_weight.group_sizes_, by_copy.group_sizes_)
    np.testing.assert_allclose(by_weight.bit_error_, by_copy.bit_error_)


def test_a_batch_that_says_nothing_changes_nothing():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 6))
    Y = (X[:, :3] > 0).astype(int)
    hasher = make("linear-svm").fit(X, Y)
    margins, error = hasher.decision_function(X), hasher.bit_error_
    hasher.partial_fit(X[:5], np.zeros((5, 3)))
    hasher.partial_fit(X[:5], np.zeros((5, 3)), sample_weight=np.arange(5))
    np.testing.assert_array_equal(hasher.decision_function(X), margins)
    np.testing.assert_array_equal(hasher.bit_error_, error)
    assert len(hasher.codes_) == len(hasher.groups_) == 110


def peak_of_partial_fit():
    """Return the peak memory of learning from 4 megabytes of integers."""
    rng = np.random.default_rng(0)
    X = rng.integers(256, size=(20_000, 200)).astype(np.uint8)
    y = (X[:, 0] > 127).astype(int)
    hasher = TwoStepHasher(4, hash_function=LinearSVMHash(C=1.0, max_memory="20MB"))
    hasher.fit(X[:200], y[:200]).partial_fit(X[:200], y[:200])
    return peak_memory(hasher.partial_fit, X, y)


def test_integers_are_read_in_blocks():
    assert alone(peak_of_partial_fit) < 4 * 20_000 * 200


@pytest.mark.parametrize("name", ["sth", "sths", "fasthash"])
def test_methods_whose_items_share_no_code_do_not_offer_it(name):
    assert not hasattr(make_hasher(name), "partial_fit")
    assert not hasattr(TwoStepHasher(hash_function="linear-svm", group=False), "partial_fit")
    assert not hasattr(TwoStepHasher(hash_function="linear-svm", stagewise=True), "partial_fit")


def test_only_hash_functions_that_can_offer_it():
    assert hasattr(TwoStepHasher(hash_function="linear-svm"), "partial_fit")
    assert hasattr(TwoStepHasher(hash_function=KernelFeaturesHash()), "partial_fit")
    assert hasattr(TwoStepHasher(hash_function="rbf-svm"), "partial_fit")
    assert not hasattr(TwoStepHasher(hash_function="boosted-stumps"), "partial_fit")


def test_whether_it_is_offered_does_not_depend_on_the_data(digits, monkeypatch):
    """ "auto" once offered it only after a fit to more than 5,000 items."""
    X, y = digits
    hasher = TwoStepHasher(4, random_state=0)
    assert hasattr(hasher, "partial_fit")
    assert len(hasher.fit(X[:60], y[:60]).partial_fit(X[60:200], y[60:200]).codes_) == 200
    monkeypatch.setattr("hashlearn.hash_functions.choose._MAX_RBF_SVM_ITEMS", 50)
    assert len(hasher.fit(X[:60], y[:60]).partial_fit(X[60:200], y[60:200]).codes_) == 200
    assert hasher.hash_function == "auto"


def test_the_first_batch_needs_labels_too(digits):
    with pytest.raises(ValueError, match="target y is None"):
        make("linear-svm").partial_fit(digits[0], None)


def test_what_has_no_classes_is_refused(digits):
    X, y = digits[0][:200], digits[1][:200]
    affinity = hashlearn.affinity.LabelAffinity(y)
    for hasher in (
        make("linear-svm").fit(X, affinity=affinity),
        make("linear-svm").fit(X),
    ):
        with pytest.raises(ValueError, match="fitted with labels"):
            hasher.partial_fit(X, y)


@pytest.mark.filterwarnings("ignore:invalid value encountered in cast")  # of NaN, refused then
def test_labels_of_another_kind_are_refused(digits):
    X, y = digits[0][:200], digits[1][:200]
    hasher = make("linear-svm").fit(X, y)
    with pytest.raises(ValueError, match="an indicator of 10 labels"):
        hasher.partial_fit(X, np.eye(10)[y])
    with pytest.raises(ValueError, match="dtype"):
        hasher.partial_fit(X, y.astype(str))
    with pytest.raises(ValueError, match="y has 100 items, X has 200"):
        hasher.partial_fit(X, y[:100])
    with pytest.raises(ValueError, match="are missing"):
        hasher.partial_fit(X, np.where(y == 1, np.nan, y))
    with pytest.raises(ValueError, match="target y is None"):
        hasher.partial_fit(X, None)
    with pytest.raises(ValueError, match="0 and 1 only"):
        make("linear-svm").fit(X, np.eye(10)[y]).partial_fit(X, 2 * np.eye(10)[y])
    with pytest.raises(ValueError, match="features"):
        hasher.partial_fit(X[:, :5], y)


def extend(known, y, weights=None, seed=0):
    y = as_labels(y)
    weights = np.ones(y.shape[0]) if weights is None else np.asarray(weights, dtype=float)
    return extend_groups(known, y, weights, as_loss("bre"), np.random.RandomState(seed))


@pytest.fixture
def animals():
    return groups_of(np.array(["cat", "dog", "cat"]), np.array([0, 1, 0]), CODES, None)


def test_groups_are_known_by_label_code_and_size(animals):
    assert animals.labels.tolist() == ["cat", "dog"]
    np.testing.assert_array_equal(animals.codes, CODES[:2])
    assert animals.sizes.tolist() == [2, 1]


def test_items_of_known_classes_take_their_group_and_are_counted(animals):
    known, group = extend(animals, ["dog", "dog", "cat"])
    assert group.tolist() == [1, 1, 0]
    assert known.sizes.tolist() == [3, 3]
    np.testing.assert_array_equal(known.codes, animals.codes)


def test_new_classes_get_codes_of_their_own_and_no_code_changes(animals):
    known, group = extend(animals, ["fox", "dog", "emu", "fox"])
    assert known.labels.tolist() == ["cat", "dog", "emu", "fox"]
    assert group.tolist() == [3, 1, 2, 3]
    assert known.sizes.tolist() == [2, 2, 1, 2]
    np.testing.assert_array_equal(known.codes[:2], animals.codes)
    assert len(np.unique(known.codes, axis=0)) == 4


def test_items_of_weight_0_do_not_make_a_group(animals):
    known, group = extend(animals, ["fox", "cat"], weights=[0, 2.5])
    assert known.labels.tolist() == ["cat", "dog"]
    assert group.tolist() == [NO_GROUP, 0]
    assert known.sizes.tolist() == [4.5, 1]


@pytest.mark.parametrize("as_matrix", [np.asarray, sp.csr_array])
def test_label_sets_are_groups(as_matrix):
    y = as_labels(as_matrix(np.array([[1, 1, 0], [0, 0, 1], [1, 1, 0]])))
    known = groups_of(y, np.array([0, 1, 0]), CODES, np.array([1.0, 1.0, 3.0]))
    assert known.sizes.tolist() == [4, 1]
    known, group = extend(known, [[0, 0, 1], [0, 1, 0], [0, 0, 0]])
    assert group.tolist() == [1, 2, NO_GROUP]
    near = (known.codes[2] != known.codes[0]).sum()
    far = (known.codes[2] != known.codes[1]).sum()
    assert near < far  # the new set shares a label with the first


def test_objects_are_labels_too():
    labels = np.array(["cat", "dog"], dtype=object)
    known = groups_of(labels, np.arange(2), CODES[:2], None)
    known, group = extend(known, np.array(["dog", "emu"], dtype=object))
    assert group.tolist() == [1, 2]
