"""Several labels per item: codes follow how much items share."""

import numpy as np
import pytest
from scipy.stats import spearmanr

from hashlearn import TwoStepHasher, load
from hashlearn.affinity import MultilabelAffinity
from hashlearn.methods import KSHHasher
from hashlearn.metrics import ndcg


def items_with_labels(n, seed, n_labels=8):
    """Return items near the sum of their labels' directions."""
    directions = np.random.default_rng(0).normal(size=(n_labels, 20))
    rng = np.random.default_rng(seed)
    labels = (rng.random((n, n_labels)) < np.linspace(0.15, 0.5, n_labels)).astype(int)
    labels[np.arange(n), rng.integers(n_labels, size=n)] = 1
    return labels @ directions + 0.3 * rng.normal(size=(n, 20)), labels


X, Y = items_with_labels(400, 1)


def fit(n_bits=32, **params):
    return TwoStepHasher(n_bits, hash_function="linear-svm", random_state=0, **params).fit(X, Y)


@pytest.mark.parametrize("similarity", ["jaccard", "idf-cosine"])
def test_distances_follow_the_similarity(similarity):
    codes = fit(similarity=similarity).codes_.astype(int)
    distances = (codes[:, None] != codes).sum(axis=2)
    y = MultilabelAffinity(Y, similarity=similarity).block(slice(None))
    pairs = np.triu_indices(len(Y), k=1)
    assert spearmanr(distances[pairs], y[pairs]).statistic < -0.75


def test_graded_codes_rank_what_shares_more_labels_first():
    queries, labels = items_with_labels(200, 2)
    reached = {}
    for similarity in ("shared", "idf-cosine"):
        hasher = fit(similarity=similarity)
        shared = labels @ Y.T
        reached[similarity] = ndcg(hasher.encode(queries), hasher.encode(X), shared, k=50).mean()
    assert reached["idf-cosine"] > reached["shared"] + 0.03


@pytest.mark.parametrize(
    ("params", "similarity"),
    [
        ({}, "idf-cosine"),
        ({"loss": "ksh"}, "idf-cosine"),
        ({"loss": "splh"}, "shared"),
        ({"loss": lambda s, y: -s * y}, "shared"),
        ({"stagewise": True}, "shared"),
    ],
)
def test_auto_is_graded_where_no_pairs_are_needed(params, similarity):
    params = {"n_bits": 8, **params}
    assert np.array_equal(fit(**params).codes_, fit(similarity=similarity, **params).codes_)


def test_an_affinity_and_the_similarity_mean_the_same():
    affinity = MultilabelAffinity(Y, similarity="jaccard")
    for hasher in (
        TwoStepHasher(8, hash_function="linear-svm", random_state=0),
        KSHHasher(8, n_anchors=50, random_state=0),
    ):
        given = hasher.fit(X, affinity=affinity).codes_
        named = hasher.set_params(similarity="jaccard").fit(X, Y).codes_
        assert np.array_equal(given, named)


def test_one_label_per_item_has_no_grades():
    y = Y.argmax(axis=1)
    hashers = [
        TwoStepHasher(8, hash_function="linear-svm", similarity=name, random_state=0).fit(X, y)
        for name in ("shared", "idf-cosine")
    ]
    assert np.array_equal(hashers[0].codes_, hashers[1].codes_)


@pytest.mark.parametrize("similarity", ["shared", "jaccard", "idf-cosine"])
def test_a_new_label_set_lies_near_those_that_it_shares_most_with(similarity, tmp_path):
    pair = Y[np.argmax(Y.sum(axis=1) == 2)]
    is_new = (pair == Y).all(axis=1)
    hasher = TwoStepHasher(32, hash_function="linear-svm", similarity=similarity, random_state=0)
    hasher.fit(X[~is_new], Y[~is_new]).save(tmp_path / "model", partial_fit=True)
    hasher = load(tmp_path / "model").partial_fit(X[is_new], Y[is_new])
    new, known = hasher.group_codes_[-1].astype(int), hasher.group_codes_[:-1].astype(int)
    y = MultilabelAffinity(hasher.group_labels_, similarity=similarity).block([-1])[0, :-1]
    assert spearmanr((known != new).sum(axis=1), y).statistic < -0.5


def test_a_wrong_similarity_is_refused():
    with pytest.raises(ValueError, match="similarity must be one of 'auto', 'shared'"):
        fit(similarity="cosine")
