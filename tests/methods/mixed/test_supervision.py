"""Every way to say what is known of items, and of which items nothing is."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from hashlearn.affinity import (
    DenseAffinity,
    LabelAffinity,
    MultilabelAffinity,
    NeighborAffinity,
    SparseAffinity,
)
from hashlearn.methods._mixed.labels import split_labels
from hashlearn.methods._mixed.supervision import PairSupervision, as_supervision
from tests.affinities import KINDS, random_affinity
from tests.methods.mixed.small import GRAPH, digits, half_known, mixed

X, y = digits(120)
KNOWN = half_known(y)
NAMES = np.array(list("abcdefghij"))


def indicator(form=np.asarray):
    """Return which labels items have, with a row of -1 where none is known."""
    Y = np.eye(10, dtype=int)[y]
    Y[KNOWN < 0] = -1
    return form(Y)


def words(missing):
    """Return labels as words, and something else for unlabelled items."""
    return np.array([missing if k < 0 else NAMES[k] for k in KNOWN], dtype=object)


SAME = {
    "integers": KNOWN,
    "floats": KNOWN.astype(float),
    "small integers": KNOWN.astype(np.int8),
    "a list": KNOWN.tolist(),
    "a column": KNOWN[:, None],
    "words alone": words("-1").astype(str),
    "words": words(-1),
    "an indicator": indicator(),
    "a sparse indicator": indicator(sp.csr_array),
    "a sparse matrix": indicator(sp.csr_matrix),
    "a CSC indicator": indicator(sp.csc_array),
    "a float indicator": indicator().astype(float),
    "floats and NaN": np.where(KNOWN < 0, np.nan, KNOWN),
    "integers and None": np.where(KNOWN < 0, None, KNOWN),
    "words and None": words(None),
    "words and NaN": words(np.nan),
    "a list of words and NaN": words(np.nan).tolist(),
    "a series with missing values": pd.Series(np.where(KNOWN < 0, None, KNOWN), dtype="Int64"),
    "an indicator with NaN": np.where(indicator() < 0, np.nan, indicator()),
    "an indicator with None": np.where(indicator() < 0, None, indicator()),
}


@pytest.mark.parametrize("form", SAME)
def test_labels_say_the_same_in_every_form(form):
    supervision = as_supervision(X, SAME[form], None)
    np.testing.assert_array_equal(supervision.known, KNOWN >= 0)
    some = np.flatnonzero(KNOWN >= 0)[:30]
    expected = (y[some][:, None] == y[some]) & ~np.eye(30, dtype=bool)
    np.testing.assert_array_equal(supervision.similar(some), expected)
    classes = supervision.classes().toarray()
    np.testing.assert_array_equal(classes.sum(axis=1), KNOWN >= 0)
    shared = classes[some].astype(int) @ classes[some].T > 0
    np.testing.assert_array_equal(shared & ~np.eye(30, dtype=bool), expected)


@pytest.fixture(scope="module")
def expected():
    return mixed(6, share=0.5, unlabelled="spread").fit(X, KNOWN)


@pytest.mark.parametrize("form", SAME)
def test_codes_are_the_same_from_every_form_of_one_label(form, expected):
    hasher = mixed(6, share=0.5, unlabelled="spread").fit(X, SAME[form])
    if "indicator" not in form and "matrix" not in form:  # label sets start Step 1 otherwise
        np.testing.assert_array_equal(hasher.codes_, expected.codes_)
    assert hasher.decisions_ == expected.decisions_
    assert hasher.score(X, SAME[form]) > 0.3


@pytest.mark.parametrize("labels", [y % 2 == 0, y.astype(np.uint8)], ids=["booleans", "unsigned"])
def test_labels_that_cannot_be_minus_one_are_all_known(labels):
    assert as_supervision(X, labels, None).known.all()
    assert mixed(4, share=0.5).fit(X, labels).n_label_bits_ == 2


def test_an_item_with_no_label_of_several_is_known_to_have_none():
    Y = np.array([[1, 0], [0, 0], [-1, -1]])
    labels, known = split_labels(Y)
    assert known.tolist() == [True, True, False]
    assert labels.toarray().astype(int).tolist() == [[1, 0], [0, 0], [0, 0]]


@pytest.mark.parametrize("missing", [None, np.nan])
def test_partial_fit_leaves_items_with_a_missing_label_out(missing):
    few = np.where(KNOWN[:60] < 0, missing, KNOWN[:60].astype(object))
    hashers = [mixed(4, share=0.5, unlabelled="ignore").fit(X, KNOWN) for _ in range(2)]
    one, other = (
        hasher.partial_fit(X[:60], labels)
        for hasher, labels in zip(hashers, (few, KNOWN[:60]), strict=True)
    )
    np.testing.assert_array_equal(one.decision_function(X), other.decision_function(X))


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array, sp.csc_array])
def test_minus_one_beside_other_values_is_refused(form):
    Y = np.array([[1, 0], [-1, 1], [-1, -1]])
    with pytest.raises(ValueError, match="the row of an unlabelled item must be all -1"):
        split_labels(form(Y))


def test_several_labels_are_learned_and_spread():
    Y = np.column_stack([np.eye(10, dtype=int)[y], y % 2, y < 5])
    hidden = np.where(KNOWN[:, None] < 0, -1, Y)
    hasher = mixed(16).fit(X, hidden)
    assert hasher.spread_results_ is not None or hasher.n_label_bits_ == 0
    assert hasher.score(X, Y) > mixed(16, share=0).fit(X).score(X, Y) - 0.05


@pytest.mark.parametrize("unlabelled", ["auto", "spread", "ignore"])
def test_labels_of_no_item_leave_all_bits_to_geometry(unlabelled):
    for given_labels in (None, np.full(120, -1), np.full((120, 3), -1), np.full(120, None)):
        hasher = mixed(5, unlabelled=unlabelled).fit(X, given_labels)
        assert hasher.n_label_bits_ == 0
        assert "no item has a label" in str(hasher.summary())


def pairs_of_known(rate=0.3):
    """Return a symmetric matrix of some of the pairs among labelled items."""
    rng = np.random.default_rng(0)
    known = np.flatnonzero(KNOWN >= 0)
    Y = np.zeros((120, 120))
    Y[np.ix_(known, known)] = LabelAffinity(y[known]).block(slice(None))
    Y = np.triu(Y * (rng.random(Y.shape) < rate), 1)
    return Y + Y.T


AFFINITIES = {
    "labels": LabelAffinity(y),
    "several labels": MultilabelAffinity(np.eye(10, dtype=int)[y]),
    "neighbours": NeighborAffinity.from_data(X, n_neighbors=3),
    "a matrix": pairs_of_known(),
    "a graded matrix": pairs_of_known() * 0.5,
    "stored pairs": SparseAffinity(sp.csr_array(pairs_of_known())),
    "a dense affinity": DenseAffinity(pairs_of_known()),
}


@pytest.mark.parametrize("share", ["auto", 0.5])
@pytest.mark.parametrize("kind", AFFINITIES)
@pytest.mark.filterwarnings("error::FutureWarning")
def test_pairs_of_every_kind_are_learned(kind, share):
    hasher = mixed(8, share=share).fit(X, affinity=AFFINITIES[kind])
    assert hasher.codes_.shape == (120, 8)
    assert hasher.score(X, y) > 0.2
    if share == 0.5 and kind not in ("labels", "several labels", "neighbours"):
        assert "of 60 taught label bits" in hasher.decisions_[1]


def test_graded_pairs_do_not_spread_and_the_summary_says_so():
    for unlabelled in ("auto", "spread"):
        hasher = mixed(8, share=0.5, unlabelled=unlabelled)
        hasher.fit(X, affinity=AFFINITIES["a graded matrix"])
        assert "graded pairs do not spread" in str(hasher.summary())


def test_pairs_say_the_same_dense_and_sparse():
    dense, sparse = (PairSupervision(AFFINITIES[k]) for k in ("a dense affinity", "stored pairs"))
    np.testing.assert_array_equal(dense.known, sparse.known)
    np.testing.assert_array_equal(dense.known, KNOWN >= 0)
    np.testing.assert_array_equal(dense.classes().toarray(), sparse.classes().toarray())


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", KINDS)
def test_classes_of_pairs_are_what_similar_pairs_connect(kind, seed):
    affinity = random_affinity(kind, 14, seed)
    Y = affinity.block(slice(None)) > 0
    reach = np.linalg.matrix_power(Y.astype(float) + np.eye(14), 14) > 0
    supervision = PairSupervision(affinity)
    classes = supervision.classes()
    if classes is None:
        assert reach.sum(axis=1).max() > supervision.known.sum() / 2
        return
    together = classes.astype(int) @ classes.astype(int).T
    expected = reach & (reach.sum(axis=1) > 1)[:, None]
    np.testing.assert_array_equal(together.toarray() > 0, expected)


@pytest.mark.parametrize("kind", KINDS)
def test_similar_items_are_those_that_pairs_call_so(kind):
    affinity = random_affinity(kind, 12, 3)
    items = np.array([0, 3, 5, 1, 9])
    expected = affinity.block(slice(None))[np.ix_(items, items)] > 0
    np.fill_diagonal(expected, False)
    np.testing.assert_array_equal(PairSupervision(affinity).similar(items), expected)


def test_an_affinity_takes_precedence_over_labels():
    given_pairs = mixed(6, share=0.5).fit(X, y[::-1], affinity=LabelAffinity(y))
    alone = mixed(6, share=0.5).fit(X, affinity=LabelAffinity(y))
    np.testing.assert_array_equal(given_pairs.codes_, alone.codes_)


def test_pairs_are_refused_where_the_label_hasher_needs_labels(monkeypatch):
    monkeypatch.setattr(GRAPH, None)  # before any work
    with pytest.raises(ValueError, match=r"label_hasher=ITQCCA.* learns from labels only"):
        mixed(6, "itq-cca").fit(X, affinity=AFFINITIES["stored pairs"])


@pytest.mark.parametrize("n_dissimilar", [1, 3])
def test_few_dissimilar_pairs_are_enough(n_dissimilar):
    chain = [(i, i + 1, 1) for i in range(59)]
    pairs = chain + [(i, 40 + i, -1) for i in range(n_dissimilar)]
    hasher = mixed(6).fit(X, affinity=SparseAffinity.from_pairs(pairs, n_items=120))
    assert hasher.n_label_bits_ == 3
    assert len(hasher.decisions_) == 2


def test_pairs_without_a_dissimilar_one_are_refused_in_one_sentence():
    pairs = SparseAffinity.from_pairs([(i, i + 1, 1) for i in range(59)], n_items=120)
    with pytest.raises(ValueError, match="no dissimilar pair"):
        mixed(6).fit(X, affinity=pairs)
