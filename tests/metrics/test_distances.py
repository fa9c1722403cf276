"""Laws of measures by a distance of the user's choosing."""

from fractions import Fraction
from functools import partial

import numpy as np
import pytest

from hashlearn import metrics
from hashlearn.metrics._blocks import as_steps
from hashlearn.search import EigenfunctionDistance, SphericalHamming, WeightedHamming

ONES = WeightedHamming(np.ones(12))
DISTANCES = {
    "weighted": WeightedHamming(np.linspace(0.1, 2, 12)),
    "spherical": SphericalHamming(),
    "eigenfunction": EigenfunctionDistance(np.linspace(1, 0.2, 12), np.arange(12) % 5),
}
MEASURES = {
    "precision_at_k": partial(metrics.precision_at_k, k=7),
    "recall_at_k": partial(metrics.recall_at_k, k=7),
    "precision_curve": partial(metrics.precision_curve, ks=[1, 5, 20]),
    "average_precision": metrics.average_precision,
    "mean_average_precision": metrics.mean_average_precision,
    "ndcg": metrics.ndcg,
    "evaluate": partial(metrics.evaluate, k=7, map_cutoff=20),
}
CURVES = {
    "pr_area": metrics.pr_area,
    "pooled": partial(metrics.pr_area, average="pooled"),
    "non-empty": partial(metrics.pr_area, average="non-empty"),
    "precision_within_radius": metrics.precision_within_radius,
}
CASES = [
    *(
        partial(measure, ties=ties)
        for measure in MEASURES.values()
        for ties in ("expected", "neutral", "insertion")
    ),
    *CURVES.values(),
]


@pytest.fixture(params=range(len(CASES)))
def measure(request):
    return CASES[request.param]


@pytest.fixture(params=DISTANCES)
def distance(request):
    return DISTANCES[request.param]


def test_weights_of_1_measure_as_hamming(measure, large_problem):
    plain = measure(*large_problem.codes_and_relevance, n_bits=12)
    weighted = measure(*large_problem.codes_and_relevance, distance=ONES)
    np.testing.assert_allclose(weighted, plain, rtol=1e-12)


def test_weights_of_1_measure_as_hamming_when_leaving_out(measure, large_self_problem):
    measure = partial(measure, *large_self_problem.codes_and_relevance, exclude_self=True)
    np.testing.assert_allclose(measure(distance=ONES), measure(n_bits=12), rtol=1e-12)


def test_block_size_changes_nothing(measure, large_problem, distance, small_blocks):
    measure = partial(measure, *large_problem.codes_and_relevance, n_bits=12, distance=distance)
    whole = measure()
    small_blocks()
    np.testing.assert_allclose(measure(), whole, rtol=1e-12)


def in_order(problem, distance, leave_out=False):
    """Return the grades in the order of exact distances, ties by position."""
    exact = distance.between(problem.queries, problem.database, 12)
    if leave_out:
        np.fill_diagonal(exact, np.inf)
    order = np.argsort(exact, axis=1, kind="stable")
    return np.take_along_axis(problem.grades, order, axis=1)[:, : order.shape[1] - leave_out]


@pytest.mark.parametrize("leave_out", [False, True])
def test_ties_by_index_rank_by_exact_distances(
    large_problem, large_self_problem, distance, leave_out
):
    problem = large_self_problem if leave_out else large_problem
    ranked = in_order(problem, distance, leave_out)
    options = {"n_bits": 12, "ties": "insertion", "exclude_self": leave_out, "distance": distance}
    found = metrics.precision_at_k(*problem.codes_and_relevance, k=9, **options)
    np.testing.assert_allclose(found, (ranked[:, :9] > 0).mean(axis=1))
    found = metrics.ndcg(*problem.codes_and_relevance, k=9, **options)
    discounts = 1 / np.log2(np.arange(2, 11))
    grades = (
        problem.grades * (1 - np.eye(len(problem.grades), dtype=int))
        if leave_out
        else problem.grades
    )
    best = -np.sort(-grades, axis=1)[:, :9]
    np.testing.assert_allclose(found, ranked[:, :9] @ discounts / (best @ discounts))


def test_expected_ties_equal_those_by_index_where_all_distances_differ():
    codes = np.packbits((np.arange(256)[:, None] >> np.arange(8)) & 1, axis=1)
    distance = WeightedHamming(2.0 ** np.arange(8))
    relevance = np.random.default_rng(0).random((20, 256)) < 0.3
    for measure in (metrics.average_precision, partial(metrics.precision_at_k, k=31), metrics.ndcg):
        expected, *others = (
            measure(codes[:20], codes, relevance, distance=distance, ties=ties)
            for ties in ("expected", "neutral", "insertion")
        )
        for other in others:
            np.testing.assert_allclose(expected, other)


def orders_of_ties(distances, grades, n_orders):
    """Return grades in some orders: by distance, equal ones shuffled."""
    random = np.random.default_rng(0)
    keys = np.broadcast_to(distances, (n_orders, *distances.shape))
    order = np.lexsort((random.random(keys.shape), keys), axis=-1)
    return np.take_along_axis(np.broadcast_to(grades, keys.shape), order, axis=-1)


def exact_spherical(queries, database):
    """Return bits that differ over 1-bits in common, as the ranks of exact fractions."""
    a, b = (np.unpackbits(codes, axis=1).astype(int) for codes in (queries, database))
    differing = [[Fraction(int((x != y).sum()), int((x & y).sum())) for y in b] for x in a]
    return np.unique(np.array(differing, dtype=object), return_inverse=True)[1].reshape(
        len(a), len(b)
    )


def test_spherical_ties_of_256_bits_are_those_of_exact_fractions():
    """Two fractions in one of 4,096 steps are no tie, and equal ones of unequal terms are."""
    random = np.random.default_rng(0)
    bits = random.random((60, 256)) < 0.5
    bits = np.concatenate([bits, bits ^ (random.random((60, 256)) < 0.1)])
    codes = np.packbits(np.repeat(bits, 2, axis=0), axis=1)  # every code twice: ties
    queries, relevance = codes[:8], random.random((8, 240)) < 0.3
    ranks = exact_spherical(queries, codes)
    counts = [
        [(int((row == d).sum()), int(relevant[row == d].sum())) for d in np.unique(row)]
        for row, relevant in zip(ranks, relevance, strict=True)
    ]
    for k in (1, 2, 7, 31, 240):
        found = metrics.precision_at_k(queries, codes, relevance, k, distance=SphericalHamming())
        np.testing.assert_allclose(found, [hits_of_groups(c, k) / k for c in counts])
    orders = orders_of_ties(ranks, relevance, 4000)
    found = metrics.average_precision(queries, codes, relevance, distance=SphericalHamming())
    precisions = np.cumsum(orders, axis=-1) / np.arange(1, 241)
    sampled = (precisions * orders).sum(axis=-1) / relevance.sum(axis=1)
    np.testing.assert_allclose(found, sampled.mean(axis=0), atol=2e-3)


def hits_of_groups(groups, k):
    """Return the expected hits among the first k of (total, relevant) groups, in exact numbers."""
    hits = Fraction(0)
    for total, relevant in groups:
        hits += Fraction(relevant, total) * min(k, total)
        k -= min(k, total)
    return float(hits)


def random_24_bits(weights, seed=0):
    random = np.random.default_rng(seed)
    codes = np.packbits(random.integers(0, 2, (90, 24)), axis=1)
    return WeightedHamming(weights), codes[:30], codes[30:], random.integers(0, 3, (30, 60))


@pytest.mark.parametrize("name", [name for name in MEASURES if name != "evaluate"])
@pytest.mark.parametrize("weights", [np.ones(24), np.arange(1, 25)])
def test_ties_that_floats_would_split_are_ties(name, weights):
    """In floats 0.1 + 0.2 is not 0.3, and sums of tenths depend on their order."""
    tenths, *data = random_24_bits(weights / 10)
    whole = WeightedHamming(weights)
    measure = partial(MEASURES[name], *data, ties="expected")
    np.testing.assert_allclose(measure(distance=tenths), measure(distance=whole), rtol=1e-12)


@pytest.mark.parametrize("name", [name for name in MEASURES if name != "evaluate"])
def test_equal_weights_are_ties_by_index_too(name):
    tenths, *data = random_24_bits(np.full(24, 0.1))
    measure = partial(MEASURES[name], *data, ties="insertion")
    np.testing.assert_allclose(measure(distance=tenths), measure(), rtol=1e-12)


def test_radii_of_spherical_distances_tell_codes_of_256_bits_apart():
    random = np.random.default_rng(0)
    codes = np.packbits(random.random((300, 256)) < 0.5, axis=1)
    distance = SphericalHamming()
    steps = as_steps(distance.scaled(distance.between(codes[:1], codes), 256))
    assert np.unique(steps).size > 100


@pytest.mark.parametrize("n", [0, 1])
def test_a_ranking_of_no_items_has_no_average_precision(n):
    codes = np.zeros((n, 2), dtype=np.uint8)
    for given in (None, ONES):
        found = metrics.average_precision(
            codes, codes, np.ones((n, n)), exclude_self=True, n_bits=12, distance=given
        )
        assert found.shape == (n,)
        assert np.isnan(found).all()


def test_a_radius_is_exact_and_in_the_units_of_the_distance(large_problem, distance):
    exact = distance.between(large_problem.queries, large_problem.database, 12)
    for radius in (0, *np.quantile(exact, [0.01, 0.3, 0.5], method="lower"), np.inf):
        near = exact <= radius
        hits = (near & (large_problem.grades > 0)).sum(axis=1)
        precision = (hits / np.maximum(near.sum(axis=1), 1)).mean()
        options = {"n_bits": 12, "distance": distance, "radius": radius}
        found = metrics.precision_within_radius(*large_problem.codes_and_relevance, **options)
        np.testing.assert_allclose(found, (precision, (~near.any(axis=1)).mean()))
        evaluation = metrics.evaluate(*large_problem.codes_and_relevance, **options)
        assert evaluation[3:] == pytest.approx(found)


@pytest.mark.parametrize("given", [None, ONES])
def test_a_radius_beyond_all_distances_leaves_the_item_out(large_self_problem, given):
    relevance = np.eye(60)
    database = large_self_problem.database
    result = metrics.precision_within_radius(
        database, database, relevance, 100, exclude_self=True, n_bits=12, distance=given
    )
    assert result == (0, 0)


def test_evaluate_equals_the_single_measures(large_problem, distance):
    data = large_problem.codes_and_relevance
    options = {"n_bits": 12, "distance": distance}
    for ties in ("expected", "neutral", "insertion"):
        given = metrics.evaluate(*data, k=5, map_cutoff=9, radius=1.5, ties=ties, **options)
        expected = (
            metrics.pr_area(*data, **options),
            metrics.mean_average_precision(*data, k=9, denominator="found", ties=ties, **options),
            metrics.precision_at_k(*data, k=5, ties=ties, **options).mean(),
            *metrics.precision_within_radius(*data, 1.5, **options),
        )
        np.testing.assert_allclose(given, expected)


def test_a_curve_has_a_radius_per_step_and_finds_everything(large_problem, distance):
    options = {"n_bits": 12, "distance": distance}
    curve = metrics.precision_recall_curve(*large_problem.codes_and_relevance, **options)
    assert curve.precision.shape == curve.recall.shape == (4096,)
    assert curve.recall[-1] == 1
    assert (np.diff(curve.recall) >= 0).all()


def test_weights_of_0_make_all_items_equally_distant(large_problem):
    found = metrics.precision_at_k(
        *large_problem.codes_and_relevance, k=4, distance=WeightedHamming(np.zeros(12))
    )
    np.testing.assert_allclose(found, (large_problem.grades > 0).mean(axis=1))


def test_a_distance_that_does_not_fit_is_refused(measure, large_problem):
    data = large_problem.codes_and_relevance
    with pytest.raises(ValueError, match="distance has parameters for 5 bits"):
        measure(*data, n_bits=12, distance=WeightedHamming(np.ones(5)))
    with pytest.raises(ValueError, match="codes are 2 bytes wide; n_bits=5 needs 1"):
        measure(*data, distance=WeightedHamming(np.ones(5)))
    with pytest.raises(TypeError, match=r"distance must be a Distance, .* got 'weighted'"):
        measure(*data, distance="weighted")
