"""Pairs and triplets are drawn from what the affinity says, whatever its kind."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from hashlearn.affinity import DenseAffinity, LabelAffinity, SparseAffinity
from tests.affinities import KINDS, random_affinity

FEW = settings(max_examples=10)  # of each kind
CASES = given(n=st.integers(3, 12), seed=st.integers(0, 10_000))


@pytest.mark.parametrize("kind", [*KINDS, "graded"])
@FEW
@CASES
def test_entries_are_those_of_the_matrix(kind, n, seed):
    affinity = random_affinity(kind, n, seed)
    i, j = np.meshgrid(np.arange(n), np.arange(n), indexing="ij")
    np.testing.assert_array_equal(affinity.at(i, j), affinity.block(slice(None)))


@pytest.mark.parametrize("kind", [*KINDS, "graded"])
@pytest.mark.parametrize("sign", [-1, 1])
@FEW
@CASES
def test_every_item_gets_a_partner_of_the_sign_if_it_has_one(kind, sign, n, seed):
    affinity = random_affinity(kind, n, seed)
    Y = sign * affinity.block(slice(None))
    items = np.tile(np.arange(n), 3)
    partners = affinity.draw_partners(items, sign, np.random.RandomState(seed))
    has = (Y > 0).any(axis=1)[items]
    np.testing.assert_array_equal(partners >= 0, has)
    assert (Y[items[has], partners[has]] > 0).all()


@pytest.mark.parametrize("kind", KINDS)
@FEW
@CASES
def test_pairs_and_triplets_are_what_they_say(kind, n, seed):
    affinity = random_affinity(kind, n, seed)
    Y = affinity.block(slice(None))
    pairs = affinity.draw_pairs(50, np.random.RandomState(seed))
    np.testing.assert_array_equal(pairs.y, Y[pairs.i, pairs.j])
    assert (pairs.y != 0).all()
    i, j, k = affinity.draw_triplets(50, np.random.RandomState(seed))
    assert (Y[i, j] > 0).all()
    assert (Y[i, k] < 0).all()


def test_partners_are_uniform():
    affinity = LabelAffinity(np.r_[np.zeros(6), np.ones(60)])
    j = affinity.draw_partners(np.zeros(6000, dtype=int), +1, np.random.RandomState(0))
    counts = np.bincount(j, minlength=66)
    assert counts[0] == 0
    np.testing.assert_allclose(counts[1:6], 1200, rtol=0.1)


def test_the_share_of_similar_pairs_is_as_asked():
    affinity = LabelAffinity(np.arange(1000) // 2)  # one similar partner among a thousand
    pairs = affinity.draw_pairs(4000, np.random.RandomState(0), similar_share=0.25)
    assert abs((pairs.y > 0).mean() - 0.25) < 0.03


def test_stored_pairs_are_found_though_few():
    affinity = SparseAffinity.from_pairs([(0, 1, 1), (1, 2, -1)], n_items=10_000)
    partners = affinity.draw_partners(np.array([0, 1, 5]), +1, np.random.RandomState(0))
    assert partners.tolist() == [1, 0, -1]


def test_as_many_are_drawn_as_asked_for_though_few_items_have_pairs():
    pairs = [(2 * i, 2 * i + 1, 1 - 2 * (i % 2)) for i in range(50)]
    affinity = SparseAffinity.from_pairs(pairs, n_items=10_000)
    assert affinity.draw_pairs(1000, np.random.RandomState(0)).y.size == 1000
    chain = SparseAffinity.from_pairs([(0, 1, 1), (1, 2, -1)], n_items=10_000)
    i, j, k = chain.draw_triplets(10, np.random.RandomState(0))
    assert {(a, b, c) for a, b, c in zip(i, j, k, strict=True)} == {(1, 0, 2)}


def test_classmates_are_found_among_many_classes():
    affinity = LabelAffinity(np.random.default_rng(0).permutation(np.arange(20_000) // 2))
    items = np.arange(20_000)
    partners = affinity.draw_partners(items, +1, np.random.RandomState(0))
    assert (affinity.at(items, partners) == 1).all()


def test_affinities_tell_which_items_have_pairs():
    matrix = sp.csr_array(([1, 1], ([0, 2], [2, 0])), shape=(4, 4))
    for affinity in (SparseAffinity(matrix), DenseAffinity(matrix.toarray())):
        assert affinity.has_pairs().tolist() == [True, False, True, False]
    assert LabelAffinity([0, 1]).has_pairs().all()
