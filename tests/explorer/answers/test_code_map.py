"""The map covers the codes, and says which items have them."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashlearn.explorer.answers import code_map as module
from hashlearn.explorer.answers.code_map import (
    LAYOUTS,
    Layout,
    code_map,
    into_square,
    neighbour_places,
    principal_places,
)
from tests.explorer.small import collection_of, learned_collection, random_collection


@given(st.integers(0, 99), st.integers(1, 40), st.integers(1, 18), st.booleans(), st.booleans())
def test_every_code_is_on_the_map_with_its_items(seed, n_items, n_bits, several, with_labels):
    collection = random_collection(seed, n_items, n_bits, several, with_labels)
    bits = 1 + seed % n_bits
    drawn = code_map(collection, "codes", bits)
    codes = collection.methods["codes"].codes(np.arange(n_items), bits)
    assert drawn.n_items == drawn.n_covered == sum(drawn.count) == n_items
    assert drawn.n_distinct == len(drawn.count) == len(set(codes))
    assert list(drawn.count) == sorted(drawn.count, reverse=True)
    assert max(map(abs, drawn.x + drawn.y)) <= 1
    assert drawn.code == tuple(codes[item] for item in drawn.item)
    for item, count, label, purity in zip(
        drawn.item, drawn.count, drawn.label, drawn.purity, strict=True
    ):
        members = [i for i, code in enumerate(codes) if code == codes[item]]
        assert (item, count) == (members[0], len(members))
        assert (label, purity) == majority(collection.labels, members)


def majority(labels, members):
    """Return the number of the most frequent label, and the share of items that have it."""
    if labels is None:
        return -1, None
    counts = [sum(name in labels.of(i) for i in members) for name in labels.names]
    if not counts or not max(counts):
        return -1, None
    return counts.index(max(counts)), round(max(counts) / len(members), 4)


def test_the_most_frequent_codes_are_shown_where_there_are_many(monkeypatch):
    monkeypatch.setitem(module.LAYOUTS, "pca", Layout(principal_places, max_codes=2))
    bits = [[0, 0], [0, 1], [0, 1], [1, 0], [1, 0], [1, 0], [1, 1]]
    drawn = code_map(collection_of(bits), "codes")
    assert (drawn.n_distinct, drawn.n_covered) == (4, 5)
    assert (drawn.item, drawn.count) == ((3, 1), (3, 2))


def test_long_codes_are_fewer_so_that_the_answer_stays_small(monkeypatch):
    monkeypatch.setattr(module, "MAX_BITS_SHOWN", 5)
    bits = [[0, 0], [0, 1], [0, 1], [1, 0], [1, 0], [1, 0], [1, 1]]
    assert code_map(collection_of(bits), "codes").code == ("10", "01")


@pytest.mark.parametrize("layout", ["pca", "tsne"])
def test_equal_codes_are_one_point_in_the_middle(layout):
    drawn = code_map(collection_of([[1, 0, 1]] * 5, labels=list("aabbb")), "codes", layout=layout)
    assert (drawn.x, drawn.y) == ((0.0,), (0.0,))
    assert (drawn.count, drawn.label, drawn.purity, drawn.item) == ((5,), (1,), (0.6,), (0,))


def test_both_layouts_show_the_same_codes(collection):
    pca, tsne = (code_map(collection, "itq", 8, layout) for layout in ("pca", "tsne"))
    assert (pca.item, pca.count, pca.label) == (tsne.item, tsne.count, tsne.label)
    assert (pca.x, pca.y) != (tsne.x, tsne.y)


def test_items_without_any_label_have_no_colour():
    drawn = code_map(collection_of([[0], [1]], labels=["", ""]), "codes")
    assert (drawn.label, drawn.purity) == ((-1, -1), (None, None))


def test_an_unknown_layout_is_refused(collection):
    with pytest.raises(ValueError, match=r"layout must be one of .*; got 'umap'"):
        code_map(collection, "itq", layout="umap")


def test_fifty_threads_draw_once(monkeypatch):
    collection, drawn = learned_collection(40), []
    draw = module._draw
    monkeypatch.setattr(module, "_draw", lambda *given: drawn.append(1) or draw(*given))
    with ThreadPoolExecutor(50) as threads:
        asked = [threads.submit(code_map, collection, "lsh", 9) for _ in range(50)]
        assert len({id(future.result()) for future in asked}) == len(drawn) == 1


def test_seventy_thousand_different_codes_are_drawn():
    numbers = np.random.default_rng(0).permutation(70_000)
    bits = (numbers[:, None] >> np.arange(17)) & 1
    drawn = code_map(collection_of(bits, labels=numbers % 10), "codes")
    assert (drawn.n_distinct, drawn.n_covered) == (70_000, 5000)
    assert drawn.item == tuple(range(5000))  # of equals the first


def test_weighted_components_are_those_of_repeated_codes():
    random = np.random.default_rng(0)
    bits, weights = random.integers(0, 2, (30, 9)), random.integers(1, 6, 30)
    places = principal_places(bits, weights)
    repeated = 2.0 * np.repeat(bits, weights, axis=0) - 1
    _, spreads, axes = np.linalg.svd(repeated - repeated.mean(axis=0), full_matrices=False)
    np.testing.assert_allclose(
        np.sqrt((weights[:, None] * places**2).sum(axis=0)), spreads[:2], rtol=1e-9
    )
    expected = (2.0 * bits - 1 - repeated.mean(axis=0)) @ axes[:2].T
    np.testing.assert_allclose(np.abs(places), np.abs(expected), atol=1e-9)


@pytest.mark.parametrize("n_bits", [33, 256])
def test_no_plane_shows_more_of_many_bits(n_bits):
    random = np.random.default_rng(0)
    bits = np.repeat(random.integers(0, 2, (5, n_bits)), 80, axis=0)
    bits ^= random.random(bits.shape) < 0.2
    places = principal_places(bits, np.ones(400))
    spreads = np.linalg.svd(2.0 * (bits - bits.mean(axis=0)), compute_uv=False)
    np.testing.assert_allclose(np.linalg.norm(places, axis=0), spreads[:2], rtol=1e-3)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("n_codes", [1, 2, 3, 4, 5, 7])
def test_few_codes_get_places_of_their_own(layout, n_codes):
    bits = (np.arange(n_codes)[:, None] >> np.arange(3)) & 1
    places = into_square(LAYOUTS[layout].place(bits, np.ones(n_codes)))
    assert places.shape == (n_codes, 2)
    assert np.abs(places).max() <= 1 + 1e-6
    assert len(np.unique(places.round(3), axis=0)) > n_codes / 2


@pytest.mark.parametrize("layout", LAYOUTS)
def test_one_bit_makes_two_places(layout):
    places = into_square(LAYOUTS[layout].place(np.array([[0], [1]]), np.array([5, 1])))
    assert np.abs(places[0] - places[1]).max() == pytest.approx(2)


def test_near_codes_stand_near_by_tsne():
    random = np.random.default_rng(0)
    centres = random.integers(0, 2, (2, 40))
    bits = np.repeat(centres, 30, axis=0) ^ (random.random((60, 40)) < 0.05)
    places = neighbour_places(bits, np.ones(60))
    first, second = places[:30], places[30:]
    apart = np.linalg.norm(first.mean(axis=0) - second.mean(axis=0))
    assert apart > 2 * max(part.std(axis=0).max() for part in (first, second))
    assert (neighbour_places(bits, np.ones(60)) == places).all()
