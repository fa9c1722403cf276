"""Graded label sets: products and Step 1 are those of the dense matrix, whatever stores it."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.feature_extraction.text import TfidfTransformer

from hashlearn.affinity import (
    MultilabelAffinity,
    as_affinity,
    as_labels,
    check_dissimilar,
    label_set_affinity,
)

GRADED = ("jaccard", "idf-cosine")


def random_indicator(n, seed, n_labels=9):
    """Return items of which some have no labels and some share their label set."""
    return np.random.default_rng(seed).random((n, n_labels)) < 0.2


def brute_force(indicator, similarity, weights=None):
    """Return Y with a zero diagonal; copies of an item for its weight."""
    counts = indicator.astype(float)
    if similarity == "jaccard":
        shared = counts @ counts.T
        union = counts.sum(axis=1)[:, None] + counts.sum(axis=1) - shared
        s = shared / np.maximum(union, 1)
    else:
        copies = np.repeat(counts, 1 if weights is None else weights, axis=0)
        rows = TfidfTransformer().fit(copies).transform(counts)
        s = (rows @ rows.T).toarray()
    Y = 2 * s - 1
    np.fill_diagonal(Y, 0)
    return Y


@pytest.mark.parametrize("is_sparse", [False, True])
@pytest.mark.parametrize("similarity", GRADED)
@pytest.mark.parametrize("n", [2, 65, 130])
def test_rows_entries_products_and_counts_are_those_of_the_labels(similarity, n, is_sparse):
    indicator = random_indicator(n, n)
    Y = brute_force(indicator, similarity)
    given = sp.csr_array(indicator) if is_sparse else indicator
    affinity = MultilabelAffinity(given, similarity=similarity)
    np.testing.assert_allclose(affinity.block(slice(None)), Y, atol=1e-12)
    np.testing.assert_allclose(affinity.block(np.array([n - 1, 0])), Y[[n - 1, 0]], atol=1e-12)
    i, j = np.random.default_rng(0).integers(n, size=(2, 5, 7))
    np.testing.assert_allclose(affinity.at(i, j), Y[i, j], atol=1e-12)
    V = np.random.default_rng(1).normal(size=(n, 3))
    np.testing.assert_allclose(affinity.dot(V), Y @ V, atol=1e-11)
    np.testing.assert_allclose(affinity.similar_dot(V), (Y + 1 - np.eye(n)) @ V / 2, atol=1e-11)
    weights = np.random.default_rng(2).uniform(0.5, 3, n)
    squares = np.outer(weights, weights) * Y**2
    assert affinity.sum_of_squares(weights) == pytest.approx(squares.sum())
    assert affinity.n_similar == (Y > 1e-12).sum() // 2
    assert affinity.n_dissimilar == (Y < -1e-12).sum() // 2
    assert affinity.n_defined == n * (n - 1) // 2


@pytest.mark.parametrize("similarity", GRADED)
def test_taken_items_keep_their_affinity(similarity):
    indicator = random_indicator(200, 1)
    affinity = MultilabelAffinity(indicator, similarity=similarity)
    items = np.random.default_rng(2).permutation(200)[:90]
    whole = affinity.block(slice(None))
    taken = affinity[items]
    np.testing.assert_allclose(taken.block(slice(None)), whole[np.ix_(items, items)], atol=1e-12)
    assert repr(taken) == f"MultilabelAffinity(90 items, {taken._pairs.n_sets} label sets, " + (
        f"similarity={similarity!r})"
    )


@pytest.mark.parametrize("similarity", GRADED)
def test_equal_label_sets_are_one_group_and_items_without_labels_none(similarity):
    indicator = random_indicator(200, 3, n_labels=5)
    labels = MultilabelAffinity(indicator, similarity=similarity).groups().labels
    same = (indicator[:, None] == indicator).all(axis=2) & indicator.any(axis=1)
    np.fill_diagonal(same, True)
    assert np.array_equal(labels[:, None] == labels, same)


def test_weights_count_as_copies_in_the_weights_of_labels():
    indicator, weights = random_indicator(60, 0), np.random.default_rng(0).integers(1, 5, 60)
    affinity = MultilabelAffinity(indicator, similarity="idf-cosine", sample_weight=weights)
    expected = brute_force(indicator, "idf-cosine", weights)
    np.testing.assert_allclose(affinity.block(slice(None)), expected, atol=1e-12)


@pytest.mark.parametrize("similarity", ["shared", *GRADED])
def test_one_label_set_has_the_affinity_that_it_has_among_all(similarity):
    indicator = random_indicator(80, 4)
    labels = as_labels(indicator[indicator.any(axis=1)])
    affinity = MultilabelAffinity(
        labels, similarity=similarity, sample_weight=np.r_[np.ones(labels.shape[0] - 1), 0.0]
    )
    y = label_set_affinity(labels[-1:], labels[:-1], similarity=similarity)
    np.testing.assert_allclose(y, affinity.block(np.array([-1]))[0, :-1], atol=1e-12)


@pytest.mark.parametrize("similarity", GRADED)
def test_only_equal_label_sets_of_all_items_are_refused(similarity):
    check_dissimilar(MultilabelAffinity([[1, 1], [1, 0]], similarity=similarity))
    with pytest.raises(ValueError, match="items without a common label"):
        check_dissimilar(MultilabelAffinity([[1, 1], [1, 1]], similarity=similarity))
    with pytest.warns(UserWarning, match="no similar pair"):
        check_dissimilar(MultilabelAffinity([[1, 0], [0, 1]], similarity=similarity))


def test_similarity_is_checked():
    with pytest.raises(ValueError, match=r"similarity must be one of 'shared', .*; got 'cosine'"):
        MultilabelAffinity([[1, 0], [0, 1]], similarity="cosine")
    with pytest.raises(ValueError, match=r"jaccard=0.5 decides .* is graded: give only one"):
        MultilabelAffinity([[1, 0], [0, 1]], jaccard=0.5, similarity="jaccard")


def test_too_many_pairs_for_a_list_name_the_similarity_that_needs_none(monkeypatch):
    monkeypatch.setattr("hashlearn.affinity._graded_sets.MAX_LISTED_PAIRS", 100)
    indicator = random_indicator(100, 0)
    with pytest.raises(ValueError, match=r"more than 100 ordered pairs .*'idf-cosine'"):
        MultilabelAffinity(indicator, similarity="jaccard")
    MultilabelAffinity(indicator, similarity="idf-cosine")


def test_labels_as_a_vector_have_no_grades():
    affinity = as_affinity(None, [0, 0, 1], np.zeros((3, 1)), similarity="idf-cosine")
    assert affinity.block([0]).tolist() == [[0, 1, -1]]


def test_sampled_pairs_keep_the_sign_of_a_grade():
    affinity = MultilabelAffinity(random_indicator(100, 6), similarity="jaccard")
    sample = affinity.sample_pairs(np.random.RandomState(0)).block(slice(None))
    Y = affinity.block(slice(None))
    assert (sample > 0).any()
    assert (sample < 0).any()
    assert np.array_equal(np.sign(Y[sample != 0]), sample[sample != 0])


def test_similarity_is_checked_for_one_label_per_item_too():
    with pytest.raises(ValueError, match="similarity must be one of"):
        as_affinity(None, [0, 0, 1], np.zeros((3, 1)), similarity="cosine")
