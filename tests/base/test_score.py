"""The score of a hasher: by labels, by an affinity, or by neighbours."""

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.metrics import average_precision_score

import hashlearn
from hashlearn import MixedHasher, TwoStepHasher, make_hasher
from hashlearn.affinity import DenseAffinity, LabelAffinity, SparseAffinity
from hashlearn.hash_functions import LinearSVMHash
from tests.methods.quick import quick


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X[:120], y[:120]


@pytest.fixture(scope="module")
def hasher(digits):
    return make_hasher("lsh", n_bits=64, center=True, random_state=0).fit(digits[0])


def test_an_affinity_of_labels_is_as_good_as_the_labels(hasher, digits):
    X, y = digits
    matrix = np.where(y[:, None] == y, 1, -1)
    for affinity in (LabelAffinity(y), DenseAffinity(matrix), matrix):
        assert hasher.score(X, affinity=affinity) == hasher.score(X, y)
        assert hasher.score(X, y % 2, affinity=affinity) == hasher.score(X, y)


def test_undefined_pairs_are_left_out_of_a_ranking(hasher, digits):
    X, y = digits
    defined = np.random.default_rng(0).random((120, 120)) < 0.2
    defined |= defined.T
    matrix = np.where(defined, np.where(y[:, None] == y, 1, -1), 0)
    np.fill_diagonal(matrix, 0)
    bits = hasher.transform(X).astype(int)
    near = -(bits[:, None] != bits).sum(axis=2) + 1e-9 * np.arange(120)
    expected = [
        average_precision_score(matrix[i][defined[i] & (matrix[i] != 0)] > 0, row[matrix[i] != 0])
        for i, row in enumerate(near)
        if (matrix[i] > 0).any()
    ]
    score = hasher.score(X, affinity=matrix)
    assert score == pytest.approx(np.mean(expected), abs=0.02)  # ties in one order here
    assert score > hasher.score(X, affinity=np.where(matrix == 0, -1, matrix)) + 0.1


def test_an_affinity_without_a_similar_pair_is_refused(hasher):
    pairs = SparseAffinity.from_pairs([(0, 1, -1)], n_items=3)
    with pytest.raises(ValueError, match="no similar pair"):
        hasher.score(np.zeros((3, 64)), affinity=pairs)


def test_an_affinity_of_other_items_is_refused(hasher, digits):
    X, y = digits
    with pytest.raises(ValueError, match="affinity has 120 items, X has 60"):
        hasher.score(X[:60], affinity=LabelAffinity(y))


@pytest.mark.parametrize("method", ["tsh", "ksh", "mlh", "splh", "bres", "cghash", "mixed"])
def test_what_learned_from_an_affinity_is_not_scored_by_neighbours(method, digits, tmp_path):
    X, y = digits
    hasher = quick(method, n_bits=4)
    if method == "mixed":
        hasher.set_params(share=0.5, label_hasher=TwoStepHasher(hash_function="linear-svm"))
    hasher.fit(X, affinity=LabelAffinity(y))
    hasher.save(tmp_path / "model")
    for one in (hasher, hashlearn.load(tmp_path / "model")):
        with pytest.raises(ValueError, match="score needs y or affinity"):
            one.score(X)
        assert one.score(X, y) == one.score(X, affinity=LabelAffinity(y))
    assert hasher.fit(X, y).score(X) > 0


def test_a_mixed_hasher_is_scored_by_pairs():
    X, y = load_digits(return_X_y=True)
    X, y = X[:100], y[:100]
    label_hasher = TwoStepHasher(hash_function=LinearSVMHash(C=1.0))
    hasher = MixedHasher(8, label_hasher, share=0.5, random_state=0).fit(X, y)
    assert hasher.score(X, affinity=LabelAffinity(y)) == hasher.score(X, y)
