"""Search of float queries: exactly what their distances to all codes give, in every layout."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hashlearn import HammingIndex, WeightedHamming, nearest_codes
from hashlearn.search import CodeTerms, FloatQueries, MarginRescoring, VectorRescoring
from tests.search.brute_force import in_order, random_codes
from tests.search.test_index import set_threads

pytestmark = pytest.mark.filterwarnings("ignore:.*codes have reconstructions")
LENGTHS = [1, 2, 3, 5, 7, 8, 63, 64, 65, 128, 130, 256, 384, 1000]
LAYOUTS = ["plain", "bucketed", "multi-index"]


def random_terms(random, n_bits, use):
    """Return terms whose levels spread over the codes."""
    n_features = min(n_bits, 24)
    W, mu = random.normal(size=(n_features, n_bits)), random.normal(size=n_features)
    signs = random.choice([-1.0, 1.0], (200, n_bits))
    lengths = np.linalg.norm(mu + signs @ W.T, axis=1)
    return CodeTerms(W, mu, lengths=(lengths.min() + 1e-3, lengths.max() + 2e-3), use=use)


def random_queries(random, n_queries, n_bits, use=None, kind="normal"):
    """Return queries with margins of a kind, and with terms, shifts and constants of a use."""
    margins = random.normal(size=(n_queries, n_bits))
    if kind == "equal":
        margins = np.sign(margins) * 0.1
    elif kind == "zero":
        margins[random.random(margins.shape) < 0.5] = 0.0
        margins[:1] = 0.0
    elif kind == "tiny":
        margins *= 1e-300
    elif kind == "huge":
        margins *= 1e150
    elif kind == "spread":
        margins *= 10.0 ** random.integers(-8, 8, margins.shape)
    if use is None:
        return FloatQueries(margins)
    return FloatQueries(
        margins,
        constants=random.normal(size=n_queries),
        shifts=np.abs(margins).sum(axis=1) * random.random(n_queries),
        terms=random_terms(random, n_bits, use),
    )


def nearest(queries, codes, ids, k, ties="neutral"):
    """Return the nearest by distances to all codes."""
    codes, ids = in_order(codes, ids, ties)
    distances = queries.distances(codes)
    order = np.argsort(distances, axis=1, kind="stable")[:, :k]
    return np.take_along_axis(distances, order, axis=1), ids[order]


def assert_searches(index, queries, codes, ids, ks, rank=2):
    """Assert the k nearest, for several k, and all within the distance of a rank."""
    distances, all_ids = nearest(queries, codes, ids, len(codes), index.ties)
    for k in ks:
        found = index.search(queries, min(k, len(codes)))
        np.testing.assert_array_equal(found.distances, distances[:, :k], strict=True)
        np.testing.assert_array_equal(found.ids, all_ids[:, :k], strict=True)
    radius = float(distances[0, min(rank, len(codes) - 1)])
    hits = index.radius_search(queries, radius)
    for q in range(len(queries)):
        found = slice(*hits.offsets[q : q + 2])
        inside = distances[q] <= radius
        np.testing.assert_array_equal(hits.ids[found], all_ids[q][inside])
        np.testing.assert_array_equal(hits.distances[found], distances[q][inside], strict=True)


@pytest.mark.parametrize("n_bits", LENGTHS)
@pytest.mark.parametrize("use", [None, "scale", "bias"])
def test_search_is_brute_force(n_bits, use):
    random, n = np.random.default_rng(n_bits), 1500 if n_bits < 500 else 600
    codes, ids = random_codes(random, n, n_bits), np.arange(n)
    queries = random_queries(random, 3, n_bits, use)
    index = HammingIndex(n_bits, layout="plain")
    index.add(codes)
    assert_searches(index, queries, codes, ids, [1, 5, 100, n], rank=20)


@pytest.mark.parametrize(
    ("n_bits", "n_threads"), [(20, 1), (64, 5), (128, 2), (180, 1), (256, 2), (384, 5)]
)
@pytest.mark.parametrize("use", [None, "scale", "bias"])
def test_search_of_many_codes_is_brute_force(n_bits, use, n_threads, monkeypatch):
    """Most blocks are passed over; of some queries there are fewer than threads."""
    set_threads(monkeypatch, n_threads)
    random = np.random.default_rng(n_bits)
    codes, ids = clustered_codes(random, 6_000, n_bits), np.arange(6_000)
    index = HammingIndex(n_bits, layout="plain", ties="insertion")
    index.add(codes)
    for kind, n_queries in (("normal", 3), ("spread", 6), ("equal", 1)):
        queries = random_queries(random, n_queries, n_bits, use, kind)
        assert_searches(index, queries, codes, ids, [1, 12, 300], rank=20)


def clustered_codes(random, n, n_bits):
    """Return codes around others, at which a twentieth of the bits is flipped."""
    centres = random.integers(0, 2, (max(1, n // 50), n_bits))
    flipped = random.random((n, n_bits)) < 0.05
    return np.packbits(centres[random.integers(0, len(centres), n)] ^ flipped, axis=1)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("use", [None, "scale", "bias"])
@settings(max_examples=12, deadline=None)
@given(
    n=st.integers(1, 600),
    n_bits=st.sampled_from([1, 8, 20, 64, 70, 200]),
    kind=st.sampled_from(["normal", "equal", "zero", "tiny", "huge", "spread"]),
    n_distinct=st.sampled_from([None, 1, 7]),
    n_queries=st.integers(1, 3),
    ties=st.sampled_from(["neutral", "insertion"]),
    seed=st.integers(0, 2**32 - 1),
)
def test_every_layout_finds_the_same(
    layout, use, n, n_bits, kind, n_distinct, n_queries, ties, seed
):
    random = np.random.default_rng(seed)
    codes = random_codes(random, n, n_bits, n_distinct)
    ids = random.permutation(2 * n)[:n]
    queries = random_queries(random, n_queries, n_bits, use, kind)
    index = HammingIndex(n_bits, layout=layout, ties=ties)
    index.add(codes, ids)
    assert_searches(index, queries, codes, ids, [1, 3, n])


def test_margins_as_an_array_are_float_queries():
    random = np.random.default_rng(0)
    codes, margins = random_codes(random, 50, 20), random.normal(size=(4, 20))
    index = HammingIndex(20)
    index.add(codes)
    for given_margins in (margins, margins.tolist()):
        found = index.search(given_margins, 5)
        np.testing.assert_array_equal(found.ids, index.search(FloatQueries(margins), 5).ids)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("use", [None, "scale"])
def test_only_allowed_items_are_searched(layout, use):
    random = np.random.default_rng(0)
    codes = random_codes(random, 300, 20, n_distinct=40)
    queries = random_queries(random, 3, 20, use)
    index = HammingIndex(20, layout=layout)
    index.add(codes)
    mask = random.random(300) < 0.2
    few = np.flatnonzero(mask)
    found = index.search(queries, 7, among=mask)
    expected = nearest(queries, codes[few], few, 7)
    np.testing.assert_array_equal(found.distances, expected[0])
    np.testing.assert_array_equal(found.ids, expected[1])
    found = index.search(queries, 4, among=few[:2])
    assert np.all(found.ids[:, 2:] == -1)
    assert np.all(np.isinf(found.distances[:, 2:]))


def test_rescoring_orders_the_candidates_of_float_queries():
    random = np.random.default_rng(0)
    codes, vectors = random_codes(random, 300, 20), random.normal(size=(300, 6))
    queries, asked = random_queries(random, 3, 20), random.normal(size=(3, 6))
    index = HammingIndex(20)
    index.add(codes)
    found = index.search(queries, 5, rescore=VectorRescoring(asked, vectors), oversample=4)
    candidates = index.search(queries, 20).ids
    true = np.linalg.norm(vectors[candidates] - asked[:, None], axis=2)
    order = np.argsort(true, axis=1)[:, :5]
    np.testing.assert_array_equal(found.ids, np.take_along_axis(candidates, order, axis=1))


def test_float_search_is_a_hamming_search_of_all_items_with_margin_rescoring():
    random = np.random.default_rng(0)
    codes, margins = random_codes(random, 300, 20), random.normal(size=(3, 20))
    index = HammingIndex(20)
    index.add(codes)
    rescored = index.search(
        np.packbits(margins > 0, axis=1), 9, rescore=MarginRescoring(margins), oversample=300
    )
    found = index.search(margins, 9)
    np.testing.assert_array_equal(found.ids, rescored.ids)
    np.testing.assert_allclose(found.distances, rescored.distances, rtol=1e-12)


@pytest.mark.parametrize("ties", ["neutral", "insertion"])
def test_nearest_codes_finds_what_an_index_finds(ties):
    random = np.random.default_rng(0)
    codes, queries = random_codes(random, 300, 20, 50), random_queries(random, 3, 20, "bias")
    expected = nearest(queries, codes, np.arange(300), 9, ties)
    distances, positions = nearest_codes(queries, codes, 9, ties=ties)
    np.testing.assert_array_equal(distances, expected[0])
    np.testing.assert_array_equal(positions, expected[1])


def test_an_empty_index_finds_nothing():
    index, queries = HammingIndex(20), np.zeros((2, 20))
    assert index.search(queries, 3).distances.shape == (2, 0)
    assert index.search(queries, 3).distances.dtype == np.float64
    assert index.search(queries[:0], 3).ids.shape == (0, 0)
    assert index.radius_search(queries, 1.0).offsets.tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    ("given_queries", "arguments", "message"),
    [
        (np.zeros((2, 19)), {}, "queries has margins of 19 bits; the codes have n_bits=20."),
        (np.zeros(20), {}, "margins must be numbers of shape"),
        (np.full((2, 20), np.nan), {}, "margins must be finite"),
        (np.zeros((2, 20)), {"distance": WeightedHamming(np.ones(20))}, "exclude each other"),
        (FloatQueries(np.zeros((1, 20)), model="aa11"), {}, "queries are codes of model aa11"),
    ],
)
def test_queries_that_do_not_fit_are_refused(given_queries, arguments, message):
    index = HammingIndex(20)
    index.add(random_codes(np.random.default_rng(0), 30, 20))
    index._contents.model = "5f0c"
    with pytest.raises(ValueError, match=message):
        index.search(given_queries, 3, **arguments)
    with pytest.raises(ValueError, match=message):
        index.radius_search(given_queries, 3, **arguments)


@pytest.mark.parametrize("radius", [np.nan, "1", None, True])
def test_a_radius_must_be_a_number(radius):
    index = HammingIndex(20)
    with pytest.raises(ValueError, match="radius must be a number; got"):
        index.radius_search(np.zeros((1, 20)), radius)
