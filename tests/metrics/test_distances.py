"""Laws of measures by a distance of the user's choosing."""

from functools import partial

import numpy as np
import pytest

from hashlearn import metrics
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
        for ties in ("expected", "index")
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
    options = {"n_bits": 12, "ties": "index", "exclude_self": leave_out, "distance": distance}
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
        expected, by_index = (
            measure(codes[:20], codes, relevance, distance=distance, ties=ties)
            for ties in ("expected", "index")
        )
        np.testing.assert_allclose(expected, by_index)


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
    for ties in ("expected", "index"):
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
    with pytest.raises(ValueError, match="codes are 2 bytes wide: n_bits=5 takes 1"):
        measure(*data, distance=WeightedHamming(np.ones(5)))
    with pytest.raises(TypeError, match="distance='weighted' is no Distance"):
        measure(*data, distance="weighted")
