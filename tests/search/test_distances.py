"""Distances equal their formulas, and a search by them equals a stable sort."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hashlearn
from hashlearn import (
    EigenfunctionDistance,
    HammingIndex,
    MarginRescoring,
    SphericalHamming,
    WeightedHamming,
    nearest_codes,
    unpack_codes,
)
from hashlearn._numerics.ids import tie_keys
from hashlearn.search import _distance_scan as scan
from hashlearn.search.distances import DISTANCES
from tests.search.brute_force import distances_between, random_codes

KINDS = DISTANCES.names()
SIZES = [1, 3, 8, 12, 31, 64, 65, 130]
seeds = st.integers(0, 2**32 - 1)


def random_distance(kind, n_bits, random):
    if kind == "weighted":
        return WeightedHamming(random.random(n_bits) * (random.random(n_bits) < 0.8))
    if kind == "spherical":
        return SphericalHamming()
    # from all bits in one dimension, of several bytes, to one or two bits in each
    n_dimensions = random.integers(1, n_bits + 1)
    dimensions = random.integers(0, n_dimensions, n_bits) * 7 - 3
    return EigenfunctionDistance(0.05 + 0.95 * random.random(n_bits), dimensions)


def by_formula(distance, queries, codes, n_bits):
    a = unpack_codes(queries, n_bits)[:, None].astype(np.int64)
    b = unpack_codes(codes, n_bits)[None].astype(np.int64)
    if isinstance(distance, WeightedHamming):
        return (a != b) @ distance.weights
    if isinstance(distance, SphericalHamming):
        differing, common = (a != b).sum(axis=2), (a & b).sum(axis=2)
        apart = np.where(differing > 0, n_bits + differing, 0)
        return np.where(common > 0, differing / np.maximum(common, 1), apart)

    def affinity(products):
        factors = [
            1
            + products[..., distance.dimensions == d]
            @ distance.eigenvalues[distance.dimensions == d]
            for d in set(distance.dimensions)
        ]
        return np.prod(factors, axis=0) - 1

    largest = affinity(np.ones(n_bits))
    return np.arcsinh(largest) - np.arcsinh(affinity((2 * a - 1) * (2 * b - 1)))


@st.composite
def problems(draw, max_codes=60):
    """Draw a distance, queries and codes, some of them equal."""
    random = np.random.default_rng(draw(seeds))
    n_bits = draw(st.sampled_from(SIZES))
    codes = random_codes(
        random, draw(st.integers(1, max_codes)), n_bits, draw(st.sampled_from([None, 5]))
    )
    queries = np.concatenate([random_codes(random, 3, n_bits), codes[:2]])[
        draw(st.integers(0, 5)) :
    ]
    return random_distance(draw(st.sampled_from(KINDS)), n_bits, random), queries, codes, n_bits


@settings(max_examples=60)
@given(problem=problems())
def test_distances_equal_the_formula(problem):
    distance, queries, codes, n_bits = problem
    found = distance.between(queries, codes, n_bits)
    assert found.dtype == np.float64
    np.testing.assert_allclose(found, by_formula(*problem), rtol=1e-9, atol=1e-9)
    assert found.min(initial=0) >= 0
    assert found.max(initial=0) <= distance.largest(n_bits)


@given(problem=problems())
def test_a_distance_is_symmetric_and_0_for_equal_codes(problem):
    distance, queries, codes, n_bits = problem
    both = distance.between(queries, codes, n_bits)
    np.testing.assert_array_equal(both, distance.between(codes, queries, n_bits).T)
    assert (distance.between(codes, codes, n_bits).diagonal() == 0).all()


@given(problem=problems())
def test_a_distance_does_not_depend_on_the_other_codes(problem):
    distance, queries, codes, n_bits = problem
    whole = distance.between(queries, codes, n_bits)
    for i in range(len(codes)):
        alone = distance.between(queries, codes[i : i + 1], n_bits)
        np.testing.assert_array_equal(alone[:, 0], whole[:, i])


@pytest.mark.parametrize("n_bits", SIZES)
def test_the_largest_distances_are_reached(n_bits):
    """Of opposite codes; with eigenvalues that leave every factor above 0."""
    codes = random_codes(np.random.default_rng(0), 1, n_bits)
    opposite = np.packbits(1 - unpack_codes(codes, n_bits), axis=1)
    for distance in (
        WeightedHamming(np.linspace(0, 1, n_bits)),
        SphericalHamming(),
        EigenfunctionDistance(np.full(n_bits, 0.3), np.arange(n_bits) // 2),
    ):
        found = distance.between(codes, opposite, n_bits)[0, 0]
        np.testing.assert_allclose(found, distance.largest(n_bits))


def test_codes_without_a_common_sphere_are_behind_all_others():
    codes = np.packbits((np.arange(64)[:, None] >> np.arange(6)) & 1, axis=1)
    distances = SphericalHamming().between(codes, codes, 6)
    common = (codes[:, None] & codes[None])[:, :, 0] > 0
    apart = ~common & (codes != codes.T)
    assert distances[common].max() < distances[apart].min()


def test_one_dimension_per_bit_orders_products_of_eigenfunctions():
    """The affinity sums over all products of bits, which are as many as subsets."""
    random = np.random.default_rng(0)
    eigenvalues, bits = random.random(5), random.integers(0, 2, (12, 5))
    signs = 2 * bits - 1
    subsets = (np.arange(1, 32)[:, None] >> np.arange(5)) & 1 == 1
    products = np.array([signs[:, s].prod(axis=1) for s in subsets]).T
    affinity = products * np.array([eigenvalues[s].prod() for s in subsets]) @ products.T
    codes = np.packbits(bits, axis=1)
    distances = EigenfunctionDistance(eigenvalues, np.arange(5)).between(codes, codes)
    expected = np.arcsinh(affinity[0, 0]) - np.arcsinh(affinity)
    np.testing.assert_allclose(distances, expected, atol=1e-12)


def stable_nearest(distances, ids, k):
    order = np.lexsort((np.broadcast_to(tie_keys(ids), distances.shape), distances))[:, :k]
    return np.take_along_axis(distances, order, axis=1), ids[order]


@given(
    problem=problems(max_codes=300),
    k=st.integers(1, 300),
    n_threads=st.sampled_from([1, 2, 7]),
    block=st.sampled_from([16, 100, 1000]),
)
def test_search_equals_a_stable_sort(problem, k, n_threads, block):
    distance, queries, codes, n_bits = problem
    k = min(k, len(codes))
    ids = 5 * np.arange(len(codes)) + 100
    index = HammingIndex(n_bits)
    index.add(codes, ids)
    exact = distance.between(queries, codes, n_bits)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scan, "n_threads", lambda: n_threads)
        patch.setattr(scan, "BLOCK", block)
        found = index.search(queries, k, distance=distance)
    for ours, expected in zip(found, stable_nearest(exact, ids, k), strict=True):
        assert ours.dtype == expected.dtype
        np.testing.assert_array_equal(ours, expected)


@given(problem=problems(), k=st.integers(1, 60), share=st.floats(0, 1))
def test_search_among_ends_with_nothing_infinitely_far(problem, k, share):
    distance, queries, codes, n_bits = problem
    k = min(k, len(codes))
    index = HammingIndex(n_bits)
    index.add(codes)
    allowed = np.random.default_rng(k).random(len(codes)) < share
    found = index.search(queries, k, distance=distance, among=allowed)
    exact = distance.between(queries, codes, n_bits)[:, allowed]
    distances, ids = stable_nearest(exact, np.flatnonzero(allowed), k)
    missing = ((0, 0), (0, k - ids.shape[1]))
    np.testing.assert_array_equal(found.ids, np.pad(ids, missing, constant_values=-1))
    np.testing.assert_array_equal(
        found.distances, np.pad(distances, missing, constant_values=np.inf)
    )


@given(problem=problems(), share=st.floats(0, 1.1), block=st.sampled_from([7, 1000]))
def test_radius_search_finds_all_within(problem, share, block):
    distance, queries, codes, n_bits = problem
    radius = share * distance.largest(n_bits)
    ids = 3 - 5 * np.arange(1, len(codes) + 1)
    index = HammingIndex(n_bits)
    index.add(codes, ids)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scan, "BLOCK", block)
        offsets, found, distances = index.radius_search(queries, radius, distance=distance)
    assert offsets.shape == (len(queries) + 1,)
    for i, row in enumerate(distance.between(queries, codes, n_bits)):
        order = np.lexsort((tie_keys(ids), row))
        order = order[row[order] <= radius]
        here = slice(offsets[i], offsets[i + 1])
        np.testing.assert_array_equal(found[here], ids[order])
        np.testing.assert_array_equal(distances[here], row[order])


@pytest.mark.parametrize("layout", ["plain", "bucketed", "multi-index"])
def test_weights_of_1_give_hamming_rankings(layout):
    random = np.random.default_rng(0)
    codes, queries = random_codes(random, 3000, 32, 500), random_codes(random, 40, 32)
    ones = WeightedHamming(np.ones(32))
    index = HammingIndex(32, layout=layout)
    index.add(codes)
    for plain, weighted in (
        (index.search(queries, 50), index.search(queries, 50, distance=ones)),
        (index.radius_search(queries, 8), index.radius_search(queries, 8.5, distance=ones)),
        (nearest_codes(queries, codes, 50), nearest_codes(queries, codes, 50, ones)),
    ):
        for one, other in zip(plain, weighted, strict=True):
            np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(ones.between(queries, codes), distances_between(queries, codes))


def test_threads_search_by_distances_at_once():
    random = np.random.default_rng(0)
    codes = random_codes(random, 20_000, 40)
    index = HammingIndex(40)
    index.add(codes)
    distances = [random_distance(kind, 40, random) for kind in KINDS] * 3
    expected = [
        stable_nearest(d.between(codes[:9], codes), np.arange(20_000), 5) for d in distances
    ]
    with ThreadPoolExecutor(4) as threads:
        found = threads.map(lambda d: index.search(codes[:9], 5, distance=d), distances)
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_array_equal(ours.ids, theirs[1])


def test_nearest_codes_take_the_bits_of_the_distance():
    codes = random_codes(np.random.default_rng(0), 50, 11)
    distance = WeightedHamming(np.arange(11))
    expected = stable_nearest(distance.between(codes, codes), np.arange(50), 9)
    for one, other in zip(nearest_codes(codes, codes, 9, distance), expected, strict=True):
        np.testing.assert_array_equal(one, other)


def test_nearest_codes_take_the_bits_that_the_index_has():
    """Of 12 bits in 2 bytes: codes without a common sphere are at 12 and more, not at 16."""
    codes = random_codes(np.random.default_rng(0), 80, 12)
    index = HammingIndex(12)
    index.add(codes)
    expected = index.search(codes, 80, distance=SphericalHamming())
    found = nearest_codes(codes, codes, 80, SphericalHamming(), n_bits=12)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)
    with pytest.raises(ValueError, match="queries is 2 bytes wide; n_bits=8"):
        nearest_codes(codes, codes, 1, n_bits=8)


@given(problem=problems())
def test_the_scale_of_radii_keeps_the_order_from_0_to_1(problem):
    distance, queries, codes, n_bits = problem
    distances = np.unique(distance.between(queries, codes, n_bits))
    scaled = distance.scaled(distances, n_bits)
    assert (np.diff(scaled) >= 0).all()
    assert ((scaled >= 0) & (scaled <= 1)).all()


@pytest.mark.parametrize("n_queries", [0, 3])
def test_empty_index_has_results_of_width_zero(n_queries):
    queries = np.zeros((n_queries, 1), dtype=np.uint8)
    index = HammingIndex(8)
    found = index.search(queries, 4, distance=SphericalHamming())
    assert found.distances.shape == found.ids.shape == (n_queries, 0)
    assert found.distances.dtype == np.float64
    hits = index.radius_search(queries, 4, distance=SphericalHamming())
    assert hits.offsets.tolist() == [0] * (n_queries + 1)


@pytest.mark.parametrize("kind", KINDS)
def test_a_hasher_keeps_its_distance_in_its_file(kind, tmp_path):
    random = np.random.default_rng(0)
    X = random.normal(size=(30, 4))
    hasher = hashlearn.make_hasher("lsh", n_bits=12, random_state=0).fit(X)
    hasher.distance_ = random_distance(kind, 12, random)
    hasher.save(tmp_path / "model")
    loaded = hashlearn.load(tmp_path / "model")
    codes = hasher.encode(X)
    assert type(loaded.distance_) is type(hasher.distance_)
    np.testing.assert_array_equal(
        loaded.distance_.between(codes, codes, 12), hasher.distance_.between(codes, codes, 12)
    )


@pytest.mark.parametrize(
    ("distance", "message"),
    [
        (WeightedHamming([1.0, 2.0]), "distance has parameters for 2 bits"),
        (WeightedHamming(np.ones((8, 1))), r"weights must be one .* shape \(8, 1\)"),
        (WeightedHamming(["a"] * 8), "one number per bit"),
        (WeightedHamming([1.0] * 7 + [-1.0]), "at least 0; got -1 to 1"),
        (WeightedHamming([1.0] * 7 + [np.nan]), "finite and at least 0"),
        (WeightedHamming([1e308] * 8), "weights must have a finite sum"),
        (EigenfunctionDistance([0.5] * 4, [0] * 4), "distance has parameters for 4 bits"),
        (EigenfunctionDistance([0.5] * 8, [0] * 7), r"shapes \(8,\) and \(7,\)"),
        (EigenfunctionDistance([0.5] * 8, [0.5] * 8), "one integer per bit"),
        (EigenfunctionDistance([0.0] * 8, [0] * 8), "above 0 and at most 1"),
        (EigenfunctionDistance([1.5] * 8, [0] * 8), "above 0 and at most 1"),
    ],
)
def test_parameters_that_do_not_fit_are_refused(distance, message):
    codes = np.zeros((3, 1), dtype=np.uint8)
    index = HammingIndex(8)
    index.add(codes)
    for refuse in (
        lambda: index.search(codes, 1, distance=distance),
        lambda: index.radius_search(codes, 1, distance=distance),
        lambda: distance.between(codes, codes, 8),
    ):
        with pytest.raises(ValueError, match=message):
            refuse()


def test_no_number_of_dimensions_takes_an_affinity_beyond_all_floats():
    """Products of 1.5 and 0.5, 4,096 times; their logarithms are known."""
    n_bits = 4096
    distance = EigenfunctionDistance(np.full(n_bits, 0.5), np.arange(n_bits))
    n_differing = np.array([0, 1, 7, 1000, 1400, 2000, 3000, 4096])
    codes = np.packbits(np.arange(n_bits) < n_differing[:, None], axis=1)
    logs = (n_bits - n_differing) * np.log(1.5) + n_differing * np.log(0.5)
    heights = np.where(logs > 0, logs + np.log(2), np.arcsinh(-1))  # no product is near 1
    found = distance.between(codes[:1], codes, n_bits)
    np.testing.assert_allclose(found[0], heights[0] - heights, rtol=1e-9)
    assert found.max() <= distance.largest(n_bits)


def test_affinities_below_0_are_as_large_as_floats_cannot_be():
    """Three bits per dimension, of factors 4 and -2: an odd number of these turns the sign."""
    n_bits = 3000
    distance = EigenfunctionDistance(np.ones(n_bits), np.arange(n_bits) // 3)
    codes = np.packbits(np.arange(n_bits) < 3 * np.arange(5)[:, None], axis=1)
    sizes = 1000 * np.log(4) - np.arange(5) * np.log(2) + np.log(2)
    heights = sizes * (-1.0) ** np.arange(5)
    found = distance.between(codes[:1], codes, n_bits)
    np.testing.assert_allclose(found[0], heights[0] - heights, rtol=1e-9)
    assert found.max() <= distance.largest(n_bits)


@given(
    seed=seeds, n_bits=st.sampled_from(SIZES), weight=st.sampled_from([0.1, 1 / 3, 1e-300, 7e99])
)
def test_equal_weights_rank_as_hamming_to_the_last_digit(seed, n_bits, weight):
    random = np.random.default_rng(seed)
    codes, queries = random_codes(random, 50, n_bits), random_codes(random, 3, n_bits)
    distance = WeightedHamming(np.full(n_bits, weight))
    np.testing.assert_array_equal(
        nearest_codes(queries, codes, 50, distance)[1], nearest_codes(queries, codes, 50)[1]
    )


@given(seed=seeds, n_bits=st.sampled_from(SIZES))
def test_dimensions_alike_may_change_places_to_the_last_digit(seed, n_bits):
    """Float sums and products depend on their order; distances must not."""
    random = np.random.default_rng(seed)
    codes = random_codes(random, 30, n_bits)
    places = random.permutation(n_bits)
    moved = np.packbits(unpack_codes(codes, n_bits)[:, places], axis=1)
    for distance in (
        WeightedHamming(np.full(n_bits, 0.1)),
        EigenfunctionDistance(np.full(n_bits, 0.7), np.arange(n_bits)),
        EigenfunctionDistance(np.full(n_bits, 0.3), np.zeros(n_bits, dtype=int)),
    ):
        np.testing.assert_array_equal(
            distance.between(moved, moved, n_bits), distance.between(codes, codes, n_bits)
        )


def test_wrong_arguments_are_refused():
    codes = np.zeros((3, 1), dtype=np.uint8)
    index = HammingIndex(8)
    index.add(codes)
    with pytest.raises(TypeError, match=r"distance must be a Distance, .* got 'spherical'"):
        index.search(codes, 1, distance="spherical")
    with pytest.raises(TypeError, match=r"distance must be a Distance, .* got 'spherical'"):
        nearest_codes(codes, codes, 1, "spherical")
    rescore = MarginRescoring(np.ones((3, 8)))
    with pytest.raises(ValueError, match="distance and rescore exclude"):
        index.search(codes, 1, distance=SphericalHamming(), rescore=rescore)
    for radius in (-0.5, np.nan, "1", True):
        with pytest.raises(ValueError, match="radius must be a number of at least 0; got"):
            index.radius_search(codes, radius, distance=SphericalHamming())
    with pytest.raises(ValueError, match="equally wide; got 2 and 1 bytes"):
        SphericalHamming().between(np.zeros((1, 2), np.uint8), codes)
    with pytest.raises(ValueError, match="codes are 1 bytes wide; n_bits=9 needs 2"):
        SphericalHamming().between(codes, codes, 9)
