"""Label sets: however their pairs are stored, they say the same."""

import numpy as np
import pytest
import scipy.sparse as sp

from hashlearn._numerics.integer_products import packed_dot, pattern_dot
from hashlearn.affinity import MultilabelAffinity
from hashlearn.affinity._label_sets import ListedPairs, PackedPairs

STORAGES = {"packed": (0.0, PackedPairs), "listed": (2.0, ListedPairs)}


@pytest.fixture(params=STORAGES)
def storage(request, monkeypatch):
    """Let all label sets be stored in one way."""
    share, form = STORAGES[request.param]
    monkeypatch.setattr("hashlearn.affinity._label_sets.LISTED_SHARE", share)
    return form


def random_indicator(n, seed, n_labels=9):
    """Return items of which some have no labels and some share their label set."""
    return np.random.default_rng(seed).random((n, n_labels)) < 0.2


def brute_force(indicator, jaccard=None):
    counts = indicator.astype(int)
    shared = counts @ counts.T
    union = counts.sum(axis=1)[:, None] + counts.sum(axis=1) - shared
    similar = shared > 0 if jaccard is None else shared / np.maximum(union, 1) >= jaccard
    return np.where(similar, 1, -1) - np.diag(np.where(np.diagonal(similar), 1, -1))


@pytest.mark.parametrize("is_sparse", [False, True])
@pytest.mark.parametrize("jaccard", [None, 0.5])
@pytest.mark.parametrize("n", [2, 63, 64, 65, 130])
def test_rows_entries_products_and_counts_are_those_of_the_labels(storage, n, jaccard, is_sparse):
    indicator = random_indicator(n, n)
    Y = brute_force(indicator, jaccard)
    affinity = MultilabelAffinity(sp.csr_array(indicator) if is_sparse else indicator, jaccard)
    assert isinstance(affinity.label_sets.pairs, storage)
    assert np.array_equal(affinity.block(slice(None)), Y)
    assert np.array_equal(affinity.block(np.array([n - 1, 0])), Y[[n - 1, 0]])
    i, j = np.random.default_rng(0).integers(n, size=(2, 5, 7))
    assert np.array_equal(affinity.at(i, j), Y[i, j])
    V = np.random.default_rng(1).normal(size=(n, 3))
    np.testing.assert_allclose(affinity.dot(V), Y @ V, atol=1e-11)
    np.testing.assert_allclose(affinity.dot(V[:, 0]), Y @ V[:, 0], atol=1e-11)
    assert affinity.n_similar == (Y > 0).sum() // 2
    assert affinity.n_dissimilar == (Y < 0).sum() // 2


def test_a_vector_with_few_entries_has_the_same_product(storage):
    indicator = random_indicator(300, 0)
    affinity = MultilabelAffinity(indicator)
    v = np.zeros(300)
    v[[3, 250, 299]] = 1.5, -2, 7
    np.testing.assert_allclose(affinity.dot(v), brute_force(indicator) @ v, atol=1e-12)


def test_taken_items_may_repeat_and_leave_sets_out(storage):
    indicator = random_indicator(200, 1)
    affinity = MultilabelAffinity(indicator)
    items = np.random.default_rng(2).integers(60, size=90)
    taken = affinity[items]
    assert isinstance(taken.label_sets.pairs, storage)
    assert np.array_equal(taken.block(slice(None)), brute_force(indicator[items]))
    assert np.array_equal(affinity[:].block(slice(None)), affinity.block(slice(None)))


def test_groups_are_the_label_sets_and_items_without_labels(storage):
    indicator = random_indicator(200, 3, n_labels=5)
    labels = MultilabelAffinity(indicator).groups().labels
    same = (indicator[:, None] == indicator).all(axis=2) & indicator.any(axis=1)
    np.fill_diagonal(same, True)
    assert np.array_equal(labels[:, None] == labels, same)


def test_sampled_pairs_say_what_the_labels_say(storage):
    indicator = random_indicator(150, 4)
    Y = brute_force(indicator)
    sample = MultilabelAffinity(indicator).sample_pairs(np.random.RandomState(0))
    sample = sample.block(slice(None))
    assert np.array_equal(sample > 0, Y > 0)
    assert (Y[sample < 0] < 0).all()
    assert (sample < 0).any()


def test_too_many_similar_pairs_are_sampled(storage, monkeypatch):
    monkeypatch.setattr("hashlearn.affinity.multilabel.MAX_SAMPLED_PAIRS", 600)
    indicator = random_indicator(150, 5)
    Y = brute_force(indicator)
    sample = MultilabelAffinity(indicator).sample_pairs(np.random.RandomState(0))
    assert 100 < sample.n_similar < (Y > 0).sum() // 2
    assert 100 < sample.n_dissimilar <= 1_200
    places = sample.stored_pairs.tocoo()
    assert np.array_equal(Y[places.row, places.col], places.data)


def test_sets_of_rare_labels_are_listed_and_those_of_frequent_ones_packed():
    assert isinstance(MultilabelAffinity(np.eye(50, dtype=int)).label_sets.pairs, ListedPairs)
    assert isinstance(MultilabelAffinity(random_indicator(300, 0)).label_sets.pairs, PackedPairs)


def test_more_pairs_than_are_stored_are_refused(monkeypatch):
    monkeypatch.setattr("hashlearn.affinity._label_sets.MAX_PACKED_SETS", 40)
    indicator = random_indicator(100, 0)
    assert isinstance(MultilabelAffinity(indicator).label_sets.pairs, ListedPairs)
    monkeypatch.setattr("hashlearn.affinity._label_sets.MAX_LISTED_PAIRS", 100)
    with pytest.raises(ValueError, match=r"at most 40 sets or 100 ordered pairs.*jaccard="):
        MultilabelAffinity(indicator)


@pytest.mark.parametrize("entries", [1, 100, 1 << 22])
@pytest.mark.parametrize("n", [1, 64, 700])
def test_products_do_not_depend_on_the_blocks_they_are_made_in(n, entries, monkeypatch):
    for name in ("BLOCK_ENTRIES", "PATTERN_ENTRIES"):
        monkeypatch.setattr(f"hashlearn._numerics.integer_products.{name}", entries)
    rng = np.random.default_rng(n)
    S = rng.random((n, n)) < 0.3
    v = rng.integers(-9, 9, size=n).astype(float)
    octets = np.zeros((n, 8 * -(-n // 64)), dtype=np.uint8)
    octets[:, : -(-n // 8)] = np.packbits(S, axis=1, bitorder="little")
    words = np.ascontiguousarray(octets.view(np.uint64).T)
    assert np.array_equal(packed_dot(words, v), S @ v)
    assert np.array_equal(pattern_dot(sp.csr_array(S), v), S @ v)
