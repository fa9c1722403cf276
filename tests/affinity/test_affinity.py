"""Laws that every affinity obeys."""

import re
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from hashlearn.affinity import (
    Affinity,
    DenseAffinity,
    MultilabelAffinity,
    NeighborAffinity,
    SparseAffinity,
    as_affinity,
    check_dissimilar,
)
from tests.affinities import KINDS, random_affinity

seeds = st.integers(0, 10_000)
ALL_KINDS = (*KINDS, "graded")
FEW = settings(max_examples=10)  # of each kind


def full(affinity):
    return np.asarray(affinity.block(slice(None)), dtype=float)


@pytest.mark.parametrize("kind", ALL_KINDS)
@FEW
@given(n=st.integers(3, 12), seed=seeds)
def test_matrix_is_symmetric_with_zero_diagonal(kind, n, seed):
    Y = full(random_affinity(kind, n, seed))
    assert np.array_equal(Y, Y.T)
    assert not np.diagonal(Y).any()


@pytest.mark.parametrize("kind", ALL_KINDS)
@FEW
@given(n=st.integers(3, 12), seed=seeds)
def test_counts_are_those_of_the_matrix(kind, n, seed):
    affinity = random_affinity(kind, n, seed)
    Y = full(affinity)
    assert affinity.n_similar == (Y > 0).sum() / 2
    assert affinity.n_dissimilar == (Y < 0).sum() / 2
    assert affinity.n_defined == (Y != 0).sum() / 2
    if affinity.complete:
        assert affinity.n_defined == n * (n - 1) / 2


@pytest.mark.parametrize("kind", ALL_KINDS)
@FEW
@given(n=st.integers(3, 12), seed=seeds)
def test_products_are_those_of_the_matrix(kind, n, seed):
    affinity = random_affinity(kind, n, seed)
    Y = full(affinity)
    V = np.random.default_rng(seed).normal(size=(n, 3))
    np.testing.assert_allclose(affinity.dot(V), Y @ V, atol=1e-12)
    np.testing.assert_allclose(affinity.dot(V[:, 0]), Y @ V[:, 0], atol=1e-12)
    np.testing.assert_allclose(affinity.similar_dot(V), np.maximum(Y, 0) @ V, atol=1e-12)


@pytest.mark.parametrize("kind", ALL_KINDS)
@FEW
@given(n=st.integers(4, 12), seed=seeds)
def test_indexing_takes_rows_and_columns(kind, n, seed):
    affinity = random_affinity(kind, n, seed)
    items = np.random.default_rng(seed).permutation(n)[: n - 1]
    expected = full(affinity)[np.ix_(items, items)]
    assert np.array_equal(full(affinity[items]), expected)
    assert np.array_equal(full(affinity[items, ...]), expected)  # as scikit-learn indexes
    mask = np.isin(np.arange(n), items)
    assert np.array_equal(full(affinity[mask]), full(affinity)[np.ix_(mask, mask)])


@pytest.mark.parametrize("kind", ALL_KINDS)
@FEW
@given(n=st.integers(3, 12), seed=seeds)
def test_members_of_a_group_are_exchangeable(kind, n, seed):
    affinity = random_affinity(kind, n, seed)
    groups = affinity.groups()
    if groups is None:
        return
    Y = full(affinity)
    for group, representative in enumerate(groups.representatives):
        members = np.flatnonzero(groups.labels == group)
        assert representative in members
        outside = np.flatnonzero(groups.labels != group)
        assert (Y[np.ix_(members, outside)] == Y[representative, outside]).all()
        inside = Y[np.ix_(members, members)]
        assert (inside >= 0).all()
        assert (inside != 0).sum() == groups.inside[group]


@pytest.mark.parametrize("entries", [1, 7, 1 << 22])
def test_blocks_of_any_size_give_the_same_products(entries, monkeypatch):
    for module in ("_numerics.integer_products", "affinity._label_sets"):
        monkeypatch.setattr(f"hashlearn.{module}.BLOCK_ENTRIES", entries)
    affinity = random_affinity("multilabel", 12, 3)
    V = np.random.default_rng(0).normal(size=(12, 2))
    np.testing.assert_allclose(affinity.dot(V), full(affinity) @ V, atol=1e-12)


@given(n=st.integers(2, 12), seed=seeds)
def test_a_sparse_indicator_is_the_same_as_a_dense_one(n, seed):
    indicator = (np.random.default_rng(seed).random((n, 5)) < 0.4).astype(int)
    sparse = sp.csr_matrix(indicator)
    sparse.data[:1] = 0  # an explicit zero is not a label
    dense = MultilabelAffinity(sparse.toarray())
    assert np.array_equal(full(MultilabelAffinity(sparse)), full(dense))
    assert sparse.nnz == indicator.sum()  # the caller's matrix stays as it is


def test_items_without_labels_stay_alone():
    affinity = as_affinity(None, np.array([[0, 0], [0, 0], [1, 0], [1, 0]]), np.zeros((4, 1)))
    assert np.unique(affinity.groups().labels).size == 3
    assert full(affinity)[0, 1] == -1


def test_undefined_pairs_can_be_inside_a_group():
    Y = np.array([[0, 0, -1], [0, 0, -1], [-1, -1, 0]])
    for affinity in (as_affinity(Y, None, Y), as_affinity(sp.csr_matrix(Y), None, Y)):
        groups = affinity.groups()
        assert groups.labels[0] == groups.labels[1] != groups.labels[2]
        assert not groups.inside.any()


def test_a_jaccard_index_reaches_its_own_value():
    """In float32, 7 / 13 once fell short of 7 / 13."""
    for union in (1, 7, 13, 26, 39):
        for shared in range(1, union + 1):
            sets = np.zeros((2, union), dtype=int)
            sets[0], sets[1, :shared] = 1, 1
            assert full(MultilabelAffinity(sets, jaccard=shared / union))[0, 1] == 1


def test_jaccard_threshold_decides():
    sets = [[1, 1, 0], [1, 1, 1], [0, 0, 1], [0, 0, 0], [0, 0, 0]]
    assert full(MultilabelAffinity(sets, jaccard=0.6))[0].tolist() == [0, 1, -1, -1, -1]
    assert full(MultilabelAffinity(sets, jaccard=0.3))[1].tolist() == [1, 0, 1, -1, -1]
    assert full(MultilabelAffinity(sets))[3].tolist() == [-1, -1, -1, 0, -1]


@FEW
@given(n=st.integers(3, 30), k=st.integers(1, 40), seed=seeds)
def test_neighbours_are_similar_if_either_is_near_the_other(n, k, seed):
    X = np.random.default_rng(seed).normal(size=(n, 2))
    distances = np.linalg.norm(X[:, None] - X, axis=2)
    np.fill_diagonal(distances, np.inf)
    near = np.argsort(distances, axis=1)[:, : min(k, n - 1)]
    expected = np.full((n, n), -1)
    np.put_along_axis(expected, near, 1, axis=1)
    expected = np.maximum(expected, expected.T)
    np.fill_diagonal(expected, 0)
    assert np.array_equal(full(NeighborAffinity.from_data(X, n_neighbors=k)), expected)


def test_default_neighbours_are_two_percent():
    X = np.random.default_rng(0).normal(size=(300, 3))
    given_fraction = NeighborAffinity.from_data(X, fraction=0.02)
    assert np.array_equal(full(NeighborAffinity.from_data(X)), full(given_fraction))
    assert given_fraction.n_similar >= 300 * 6 / 2


def test_sampled_pairs_hold_all_similar_and_true_dissimilar_ones():
    X = np.random.default_rng(0).normal(size=(60, 2))
    affinity = NeighborAffinity.from_data(X, n_neighbors=4)
    Y, sampled = full(affinity), full(affinity.sample_pairs(np.random.RandomState(0)))
    assert np.array_equal(sampled > 0, Y > 0)
    assert ((sampled < 0) <= (Y < 0)).all()
    assert (sampled < 0).sum() > 5 * (sampled > 0).sum()


def test_sampling_is_bounded(monkeypatch):
    monkeypatch.setattr("hashlearn.affinity.neighbors.MAX_SAMPLED_PAIRS", 500)
    X = np.random.default_rng(0).normal(size=(100, 2))
    sampled = NeighborAffinity.from_data(X, n_neighbors=4).sample_pairs(np.random.RandomState(0))
    assert sampled.n_dissimilar <= 600


def test_the_given_graph_is_left_as_it_was():
    graph = sp.csr_array(np.eye(3) + np.diag([1.0, 1.0], 1))
    before = graph.toarray()
    NeighborAffinity(graph)
    assert np.array_equal(graph.toarray(), before)


def test_a_fraction_is_not_rounded_up_by_float_noise():
    X = np.random.default_rng(0).normal(size=(100, 2))
    assert np.array_equal(
        full(NeighborAffinity.from_data(X, fraction=0.07)),
        full(NeighborAffinity.from_data(X, n_neighbors=7)),
    )
    assert NeighborAffinity.from_data(X.tolist(), fraction=0.07).n_items == 100


def test_copies_of_an_item_are_similar_or_undefined_never_dissimilar():
    X = np.array([[0.0], [1.0], [5.0], [6.0]])
    affinities = (
        as_affinity(None, [0, 0, 1, 1], X),
        NeighborAffinity.from_data(X, n_neighbors=1),
        DenseAffinity(-np.ones((4, 4))),
        SparseAffinity(sp.csr_array(-np.ones((4, 4)))),
    )
    assert [full(a[[0, 0, 2]])[0, 1] for a in affinities] == [1, 1, 0, 0]


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "lil", "dok", "bsr"])
@pytest.mark.parametrize("dtype", [np.int64, np.float32])
def test_every_sparse_form_is_accepted(form, dtype):
    Y = np.array([[1, 1, -1], [1, 0, 0], [-1, 0, 0]], dtype=dtype)
    affinity = as_affinity(sp.csr_matrix(Y).asformat(form), None, Y)
    assert full(affinity).tolist() == [[0, 1, -1], [1, 0, 0], [-1, 0, 0]]


def test_pairs_fill_the_matrix_both_ways():
    affinity = SparseAffinity.from_pairs([(0, 2, 1), (2, 1, -1), (2, 0, 1)], n_items=3)
    assert full(affinity).tolist() == [[0, 0, 1], [0, 0, -1], [1, -1, 0]]


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        (np.ones((2, 3)), "square"),
        ([[0, 1, -1], [-1, 0, 1], [1, 1, 0]], "symmetric"),
        ([[0, 2], [2, 0]], r"\[-1, 1\]"),
        ([[0, np.nan], [np.nan, 0]], "NaN"),
        ([["a", "b"], ["b", "a"]], "numbers"),
    ],
)
def test_wrong_matrices_are_refused(matrix, message):
    with pytest.raises(ValueError, match=message):
        DenseAffinity(matrix)


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        (sp.csr_array(np.ones((2, 3))), "square"),
        (sp.csr_array(np.array([[0, 1], [-1, 0]])), "symmetric"),
        (sp.csr_array(np.array([[0, 0.5], [0.5, 0]])), "dense"),
        (sp.coo_array(([1, 1, 1, 1], ([0, 0, 1, 1], [1, 1, 0, 0])), shape=(2, 2)), "once"),
    ],
)
def test_wrong_sparse_matrices_are_refused(matrix, message):
    with pytest.raises(ValueError, match=message):
        as_affinity(matrix, None, np.zeros((2, 1)))


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ([(0, 1)], "rows"),
        ([(0, 1, 2)], "must have y"),
        ([(0, 5, 1)], "0 to 2"),
        ([(1, 1, 1)], "itself"),
        ([(0, 1, 1), (1, 0, -1)], "both"),
        ([(0.5, 1, 1)], "integer positions"),
    ],
)
def test_wrong_pairs_are_refused(pairs, message):
    with pytest.raises(ValueError, match=message):
        SparseAffinity.from_pairs(pairs, n_items=3)


def test_wrong_number_of_items_is_refused():
    with pytest.raises(ValueError, match="3 items, X has 4"):
        as_affinity(np.zeros((3, 3)), None, np.zeros((4, 2)))
    with pytest.raises(ValueError, match="y has 3 items"):
        as_affinity(None, [0, 1, 1], np.zeros((4, 2)))


def test_labels_that_are_measurements_are_refused():
    with pytest.raises(ValueError, match="continuous"):
        as_affinity(None, [0.1, 0.2, 0.3], np.zeros((3, 2)))


def test_a_nearly_symmetric_graded_matrix_is_accepted():
    Y = np.array([[0, 0.5], [0.5 + 1e-12, 0]])
    affinity = DenseAffinity(Y)
    assert np.array_equal(full(affinity), full(affinity).T)


def test_rounding_beyond_one_is_clipped():
    """Duplicates once gave 1.0000004 in a float32 matrix of cosines, and it was refused."""
    Y = np.array([[1, 1.0000004, -1.00001], [1.0000004, 1, 0.5], [-1.00001, 0.5, 1]], np.float32)
    assert full(DenseAffinity(Y)).tolist() == [[0, 1, -1], [1, 0, 0.5], [-1, 0.5, 0]]
    signs = DenseAffinity(np.float32([[0, 1.0000004], [1.0000004, 0]]))
    assert not signs.graded


@pytest.mark.parametrize("value", [-1.4, 1.4, 1.0001])
def test_values_beyond_one_are_named_as_they_are(value):
    with pytest.raises(ValueError, match=rf"in \[-1, 1\]; got {re.escape(str(value))}"):
        DenseAffinity([[0, value], [value, 0]])


@pytest.mark.parametrize("n_pairs", [1, 2, 3, 5])
@pytest.mark.parametrize("width", [2, 3])
def test_a_list_of_pairs_is_told_of_from_pairs(n_pairs, width):
    pairs = [(i, i + 1, (-1) ** i)[:width] for i in range(n_pairs)]
    if n_pairs == width == 2:
        return  # [(0, 1), (1, 2)] looks like any matrix
    with pytest.raises(ValueError, match=r"SparseAffinity.from_pairs\(pairs, n_items\)"):
        as_affinity(pairs, None, np.zeros((9, 2)))


def test_rows_of_a_matrix_without_their_columns_are_told_of_affinity_objects():
    with pytest.raises(ValueError, match=r"square; got shape \(5, 9\).*DenseAffinity"):
        as_affinity(np.ones((5, 9)), None, np.zeros((5, 2)))
    with pytest.raises(ValueError, match=r"square; got shape \(5, 9\).*SparseAffinity"):
        as_affinity(sp.csr_array(np.ones((5, 9))), None, np.zeros((5, 2)))


@pytest.mark.parametrize(
    "labels",
    [
        ["a", None, "b", "a"],
        [0, None, 1, 0],
        [0, np.nan, 1, 0],
        np.array(["a", np.nan, "b", "a"], dtype=object),
        pd.Series([0, None, 1, 0], dtype="Int64"),
        pd.Series(["a", None, "b", "a"], dtype="string"),
        pd.Categorical(["a", None, "b", "a"]),
    ],
)
def test_missing_labels_are_counted_and_mixed_is_named(labels):
    with pytest.raises(ValueError, match=r"Labels of 1 of 4 items are missing.*MixedHasher"):
        as_affinity(None, labels, np.zeros((4, 1)))


def test_labels_of_two_types_are_refused():
    with pytest.raises(ValueError, match="must be of one type; got int and str"):
        as_affinity(None, np.array([0, "a", 1], dtype=object), np.zeros((3, 1)))


def test_numbers_in_an_array_of_objects_are_labels():
    affinity = as_affinity(None, np.array([3, 5, 3], dtype=object), np.zeros((3, 1)))
    assert affinity.classes.tolist() == [0, 1, 0]


def test_an_unlabelled_row_of_an_indicator_names_mixed():
    with pytest.raises(ValueError, match=r"0 and 1 only; got -1.*MixedHasher"):
        as_affinity(None, np.array([[1, 0], [-1, -1]]), np.zeros((2, 1)))


@pytest.mark.parametrize("labels", [[-1, 0, 1], [-1, 3, 7, 3], [-1.0, 0.0, 2.0]])
def test_minus_one_beside_classes_is_a_class_with_a_warning(labels):
    with pytest.warns(UserWarning, match="-1, the label of 1 of . items, .*MixedHasher"):
        affinity = as_affinity(None, labels, np.zeros((len(labels), 1)))
    assert np.unique(affinity.classes).size == np.unique(labels).size


@pytest.mark.parametrize("labels", [[-1, 1, 1], [-1, 0], [-2, -1, 0, 1], [0, 1, 2], ["-1", "a"]])
def test_other_labels_with_minus_one_are_taken_without_a_word(labels):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        as_affinity(None, labels, np.zeros((len(labels), 1)))


@pytest.mark.parametrize("y", [np.zeros((4, 3)), np.eye(4)])
def test_labels_that_no_two_items_share_are_told(y):
    """An indicator of zeros once gave codes without a word."""
    with pytest.warns(UserWarning, match="has no similar pair"):
        check_dissimilar(as_affinity(None, y, np.zeros((4, 1))))


def test_an_affinity_says_what_it_holds():
    assert repr(as_affinity(None, [0, 0, 1], np.zeros((3, 1)))) == (
        "LabelAffinity(3 items, 1 similar and 2 dissimilar pairs)"
    )
    assert isinstance(as_affinity(None, None, np.eye(3)), Affinity)
