"""Laws of measures by float queries: those of a ranking by real distances, written out."""

from functools import partial

import numpy as np
import pytest

from hashlearn import metrics
from hashlearn.search import CodeTerms, FloatQueries, PackedCodes, WeightedHamming, unpack_codes
from tests.metrics.conftest import Problem

TIES = ("expected", "neutral", "insertion")
MEASURES = {
    "precision_at_k": partial(metrics.precision_at_k, k=7),
    "recall_at_k": partial(metrics.recall_at_k, k=7),
    "precision_curve": partial(metrics.precision_curve, ks=[1, 5, 20]),
    "average_precision": metrics.average_precision,
    "mean_average_precision": metrics.mean_average_precision,
    "ndcg": metrics.ndcg,
    "evaluate": partial(metrics.evaluate, k=7, map_cutoff=20, radius=2),
}
CURVES = {
    "pr_area": metrics.pr_area,
    "pooled": partial(metrics.pr_area, average="pooled"),
    "precision_within_radius": partial(metrics.precision_within_radius, radius=2),
}
CASES = {
    **{f"{name}-{ties}": partial(MEASURES[name], ties=ties) for name in MEASURES for ties in TIES},
    **CURVES,
}


def float_queries(n, n_bits, use=None, seed=0):
    """Return queries whose margins are small integers, so that some distances are equal."""
    random = np.random.default_rng(seed)
    margins = random.integers(-2, 3, (n, n_bits)).astype(float)
    if use is None:
        return FloatQueries(margins)
    W, mu = random.normal(size=(5, n_bits)), random.normal(size=5)
    terms = CodeTerms(W, mu, lengths=(0.5, 20.0), use=use)
    return FloatQueries(
        margins, constants=random.random(n), shifts=np.abs(margins).sum(axis=1) / 2, terms=terms
    )


def brute_force_distances(queries, database):
    """Return the distances by their formula, bit by bit."""
    signs = 2.0 * unpack_codes(queries.codes, queries.n_bits) - 1
    bits = 2.0 * unpack_codes(database, queries.n_bits) - 1
    costs = (queries.weights[:, None] * (signs[:, None] != bits[None])).sum(axis=2)
    terms = queries.terms
    if terms is None:
        return queries.constants[:, None] + costs - queries.shifts[:, None]
    levels = terms.levels(database).astype(float)
    scales, biases = terms.scale + terms.scale_step * levels, terms.bias_step * levels
    keys = (costs - queries.shifts[:, None]) * scales + terms.base + biases
    return terms.finish(queries.constants[:, None] + keys)


class FloatProblem(Problem):
    """The same, with float queries."""

    def distances(self, query):
        return brute_force_distances(self.queries, self.database)[query]


@pytest.fixture(params=CASES)
def measure(request):
    return CASES[request.param]


@pytest.fixture(params=[None, "scale", "bias"])
def use(request):
    return request.param


def test_margins_of_1_measure_as_hamming(measure, large_problem):
    queries, *others = large_problem.codes_and_relevance
    margins = 2.0 * unpack_codes(queries, 12) - 1
    hamming = measure(queries, *others, n_bits=12)
    np.testing.assert_allclose(measure(margins, *others), hamming, rtol=1e-12)
    np.testing.assert_allclose(measure(FloatQueries(margins), *others), hamming, rtol=1e-12)


def test_margins_of_1_measure_as_hamming_when_leaving_out(measure, large_self_problem):
    queries, *others = large_self_problem.codes_and_relevance
    margins = 2.0 * unpack_codes(queries, 12) - 1
    measure = partial(measure, exclude_self=True)
    np.testing.assert_allclose(
        measure(margins, *others), measure(queries, *others, n_bits=12), rtol=1e-12
    )


def test_block_size_changes_nothing(measure, large_problem, use, small_blocks):
    measure = partial(measure, float_queries(30, 12, use), *large_problem[1:3])
    whole = measure()
    small_blocks()
    np.testing.assert_allclose(measure(), whole, rtol=1e-12)


def average_precision(grades):
    relevant = grades > 0
    precision = np.cumsum(relevant) / np.arange(1, relevant.size + 1)
    return (precision * relevant).sum() / relevant.sum() if relevant.any() else np.nan


def discounted_gain(grades):
    discounts = 1 / np.log2(np.arange(2, grades.size + 2))
    best = -np.sort(-grades) @ discounts
    return grades @ discounts / best if best else np.nan


ORACLES = {
    "precision_at_k": (partial(metrics.precision_at_k, k=3), lambda g: (g[:3] > 0).mean()),
    "recall_at_k": (
        partial(metrics.recall_at_k, k=3),
        lambda g: (g[:3] > 0).sum() / (g > 0).sum() if g.any() else np.nan,
    ),
    "average_precision": (metrics.average_precision, average_precision),
    "ndcg": (metrics.ndcg, discounted_gain),
}


@pytest.mark.parametrize("leave_out", [False, True])
@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("name", ORACLES)
def test_measures_are_those_of_all_orders_of_ties(name, ties, leave_out, problem, self_problem):
    given = self_problem if leave_out else problem
    measure, oracle = ORACLES[name]
    for use in (None, "scale", "bias"):
        queries = float_queries(len(given.queries), given.n_bits, use)
        written_out = FloatProblem(queries, *given[1:])
        found = measure(*written_out.codes_and_relevance, ties=ties, exclude_self=leave_out)
        np.testing.assert_allclose(found, written_out.mean(oracle, ties, leave_out))


def test_a_radius_is_exact_and_may_be_negative(large_problem, use):
    queries, (_, database, grades, _) = float_queries(30, 12, use), large_problem
    exact = brute_force_distances(queries, database)
    for radius in (-1.5, 0, *np.quantile(exact, [0.01, 0.3, 0.5], method="lower"), np.inf):
        near = exact <= radius
        hits = (near & (grades > 0)).sum(axis=1)
        precision = (hits / np.maximum(near.sum(axis=1), 1)).mean()
        found = metrics.precision_within_radius(queries, database, grades, radius)
        np.testing.assert_allclose(found, (precision, (~near.any(axis=1)).mean()))
        evaluation = metrics.evaluate(queries, database, grades, radius=radius)
        assert evaluation[3:] == pytest.approx(found)


def test_a_curve_is_that_of_radii_in_equal_steps(large_problem, use):
    queries, (_, database, grades, _) = float_queries(30, 12, use), large_problem
    exact = brute_force_distances(queries, database)
    curve = metrics.precision_recall_curve(queries, database, grades)
    low, high = metrics._pairs.FloatPairs(queries, database)._range
    assert low <= exact.min()
    assert exact.max() <= high
    near = (exact[:, None] - low) / (high - low) * 4096 < np.arange(1, 4096)[:, None]
    hits, found = (near & (grades > 0)[:, None]).sum(axis=2), near.sum(axis=2)
    np.testing.assert_allclose(curve.precision[:-1], (hits / np.maximum(found, 1)).mean(axis=0))
    recall = (hits / (grades > 0).sum(axis=1, keepdims=True)).mean(axis=0)
    np.testing.assert_allclose(curve.recall, [*recall, 1])


def test_evaluate_equals_the_single_measures(large_problem, use):
    data = (float_queries(30, 12, use), *large_problem[1:3])
    for ties in TIES:
        given = metrics.evaluate(*data, k=5, map_cutoff=9, radius=1.5, ties=ties)
        expected = (
            metrics.pr_area(*data),
            metrics.mean_average_precision(*data, k=9, denominator="found", ties=ties),
            metrics.precision_at_k(*data, k=5, ties=ties).mean(),
            *metrics.precision_within_radius(*data, 1.5),
        )
        np.testing.assert_allclose(given, expected)


def test_what_does_not_fit_is_refused(measure, large_problem):
    _, database, grades, _ = large_problem
    queries = float_queries(30, 12)
    with pytest.raises(ValueError, match="distance and float queries exclude each other"):
        measure(queries, database, grades, distance=WeightedHamming(np.ones(12)))
    with pytest.raises(ValueError, match="margins of 12 bits; the codes have n_bits=16"):
        measure(queries, database, grades, n_bits=16)
    with pytest.raises(ValueError, match="database_codes is 2 bytes wide; n_bits=20 needs 3"):
        measure(float_queries(30, 20), database, grades)
    of_a_model = FloatQueries(np.ones((30, 12)), model="aa")
    with pytest.raises(ValueError, match="query_codes are codes of model aa and database_codes"):
        measure(of_a_model, PackedCodes(database, "bb"), grades)


def test_float_queries_have_no_default_radius(large_problem):
    data = float_queries(30, 12), *large_problem[1:3]
    found = metrics.evaluate(*data)
    assert np.isnan([found.precision_within_radius, found.empty_share]).all()
    assert found[:3] == metrics.evaluate(*data, radius=1.5)[:3]
    with pytest.raises(ValueError, match="radius must be a number; got None"):
        metrics.precision_within_radius(*data)


def test_a_radius_that_is_not_a_number_is_refused(large_problem):
    with pytest.raises(ValueError, match="radius must be a number; got 'far'"):
        metrics.precision_within_radius(float_queries(30, 12), *large_problem[1:3], "far")


def test_float_queries_have_no_hamming_distances_to_count_by(large_problem):
    with pytest.raises(ValueError, match="query_codes must be packed codes: float queries have no"):
        metrics.count_rankings(float_queries(30, 12), *large_problem[1:3])
