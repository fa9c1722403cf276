"""Laws of rankings by vectors: those of a plain sort of exact distances."""

from functools import partial
from itertools import permutations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from hashlearn import metrics
from hashlearn.metrics import VectorQueries

METRICS = ["cosine", "inner_product", "euclidean"]
FORMS = {"dense": np.asarray, "sparse": sp.csr_matrix, "single": np.float32}
MEASURES = {
    "precision_at_k": partial(metrics.precision_at_k, k=3),
    "recall_at_k": partial(metrics.recall_at_k, k=3),
    "precision_curve": partial(metrics.precision_curve, ks=[1, 5]),
    "average_precision": metrics.average_precision,
    "mean_average_precision": metrics.mean_average_precision,
    "ndcg": partial(metrics.ndcg, k=3),
}
BY_RADIUS = {
    "precision_within_radius": partial(metrics.precision_within_radius, radius=-1.0),
    "pr_area": metrics.pr_area,
    "precision_recall_curve": metrics.precision_recall_curve,
    "evaluate": partial(metrics.evaluate, k=3, radius=0.5),
}


def exact_nearness(queries, database, metric):
    """Return nearness by loops over pairs, in float64."""
    queries, database = np.float64(queries), np.float64(database)

    def near(q, x):
        if metric == "euclidean":
            return -((q - x) ** 2).sum()
        lengths = np.linalg.norm(q) * np.linalg.norm(x) if metric == "cosine" else 1
        return q @ x / (lengths or 1)

    return np.array([[near(q, x) for x in database] for q in queries])


def random_problem(seed, n_queries=5, n=12, n_features=4):
    rng = np.random.default_rng(seed)
    queries, database = (rng.normal(size=(m, n_features)) for m in (n_queries, n))
    return queries, database, rng.integers(0, 3, (n_queries, n))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("metric", METRICS)
@given(seed=st.integers(0, 1000))
def test_nearness_is_that_of_a_loop_over_pairs(metric, form, seed):
    queries, database, _ = random_problem(seed)
    queries[0] = database[:2] = 0  # of a row of zeros the cosine is 0
    found = VectorQueries(FORMS[form](queries), metric).nearness(FORMS[form](database))
    assert isinstance(found, np.ndarray)
    tolerance = 1e-5 if form == "single" else 1e-12
    np.testing.assert_allclose(found, exact_nearness(queries, database, metric), atol=tolerance)


@pytest.mark.parametrize("kinds", [("dense", "sparse"), ("sparse", "dense")])
@pytest.mark.parametrize("metric", METRICS)
def test_dense_and_sparse_vectors_go_together(metric, kinds):
    queries, database, _ = random_problem(0)
    one, other = (FORMS[kind] for kind in kinds)
    found = VectorQueries(one(queries), metric).nearness(other(database))
    np.testing.assert_allclose(found, exact_nearness(queries, database, metric), atol=1e-12)


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("metric", METRICS)
@settings(max_examples=8)
@given(seed=st.integers(0, 1000))
def test_measures_are_those_of_a_plain_sort(metric, measure, seed):
    queries, database, grades = random_problem(seed)
    order = np.argsort(-exact_nearness(queries, database, metric), axis=1)
    ranked = np.take_along_axis(grades, order, axis=1)
    # distances of these codes to the first one grow by 1: they rank by position
    codes = np.packbits(np.tril(np.ones((12, 16), dtype=int), 4), axis=1)
    for query in range(len(queries)):
        by_vectors = MEASURES[measure](
            VectorQueries(queries[query : query + 1], metric), database, grades[query : query + 1]
        )
        by_codes = MEASURES[measure](codes[:1], codes, ranked[query : query + 1])
        np.testing.assert_allclose(by_vectors, by_codes)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_far_from_the_origin_distances_keep_their_order(dtype):
    """Of single precision, squared lengths of 1e8 hide differences of less than 10."""
    rng = np.random.default_rng(0)
    vectors = (5_000 + rng.integers(-4, 5, (60, 4))).astype(dtype)
    queries, database = vectors[:10], vectors[10:]
    exact = exact_nearness(queries, database, "euclidean")
    found = VectorQueries(queries, "euclidean").nearness(database)
    np.testing.assert_allclose(found, exact, atol=0.01)
    relevance = exact == exact.max(axis=1, keepdims=True)
    asked = VectorQueries(queries, "euclidean")
    assert (metrics.precision_at_k(asked, database, relevance, 1) == 1).all()


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("measure", ["precision_at_k", "average_precision", "ndcg"])
def test_a_long_vector_does_not_make_the_others_equal(measure, form):
    """Distances were equal up to a share of the largest, so that one vector hid all others."""
    queries, database, grades = random_problem(0, n=50)
    asked, long = VectorQueries(FORMS[form](queries), "euclidean"), 1e4 * np.ones((1, 4))
    expected = MEASURES[measure](asked, FORMS[form](database), grades > 1)
    beside = FORMS[form](np.concatenate([database, long]))
    found = MEASURES[measure](asked, beside, np.pad(grades > 1, [(0, 0), (0, 1)]))
    np.testing.assert_allclose(found, expected)


def test_equal_products_are_ties_where_most_are_zero():
    queries = np.zeros((1, 50))
    queries[0, :2] = 1
    database = np.zeros((40, 50), dtype=np.float32)
    database[0, 0], database[1, 1] = 1, 1 + 2e-7  # equal, but for rounding
    relevance = np.arange(40)[None] == 0
    found = metrics.precision_at_k(VectorQueries(queries, "inner_product"), database, relevance, 1)
    assert found == 0.5


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("metric", METRICS)
@settings(max_examples=10)
@given(seed=st.integers(0, 1000))
def test_equal_vectors_count_in_expectation(metric, form, seed):
    rng = np.random.default_rng(seed)
    vectors, copies = rng.normal(size=(3, 4)), np.array([0, 1, 1, 1, 2, 2])
    queries, grades = rng.normal(size=(1, 4)), rng.integers(0, 2, (1, 6))
    nearness = exact_nearness(queries, vectors, metric)[0][copies]
    orders = [o for o in permutations(range(6)) if (np.diff(nearness[list(o)]) <= 0).all()]
    ranked = np.array([grades[0, list(order)] for order in orders])
    asked, database = VectorQueries(FORMS[form](queries), metric), FORMS[form](vectors[copies])
    for k in range(1, 7):
        found = metrics.precision_at_k(asked, database, grades > 0, k)
        assert found == pytest.approx(ranked[:, :k].mean())
    if grades.any():
        precisions = np.cumsum(ranked, axis=1) / np.arange(1, 7)
        expected = ((precisions * ranked).sum(axis=1) / grades.sum()).mean()
        found = metrics.average_precision(asked, database, grades > 0)
        assert found == pytest.approx(expected)


@pytest.mark.parametrize("measure", MEASURES | BY_RADIUS)
def test_every_measure_accepts_vectors(measure):
    queries, database, grades = random_problem(0)
    found = (MEASURES | BY_RADIUS)[measure](VectorQueries(queries), database, grades > 0)
    parts = found if isinstance(found, tuple) else (found,)
    assert all(np.isfinite(part).all() for part in parts)


@pytest.mark.parametrize("metric", METRICS)
def test_a_radius_is_in_the_units_of_the_distance(metric):
    queries, database, grades = random_problem(0)
    distances = -exact_nearness(queries, database, metric)
    for radius in np.quantile(distances, [0.05, 0.4, 0.9]):
        near, right = distances <= radius, grades > 0
        share = (near & right).sum(axis=1) / np.maximum(near.sum(axis=1), 1)
        found = metrics.precision_within_radius(
            VectorQueries(queries, metric), database, right, radius
        )
        np.testing.assert_allclose(found, (share.mean(), (~near.any(axis=1)).mean()))


@pytest.mark.parametrize("rows", [slice(1, 3), np.array([4, 0])])
def test_some_of_the_queries_are_queries(rows):
    queries, database, _ = random_problem(0)
    asked = VectorQueries(queries, "euclidean")
    assert len(asked[rows]) == 2
    whole = asked.nearness(database)[rows]
    np.testing.assert_allclose(asked[rows].nearness(database), whole, atol=1e-12)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: VectorQueries(np.ones((2, 3)), "manhattan"), "metric must be one of 'cosine'"),
        (lambda: VectorQueries(np.ones(3)), "Expected 2D array"),
        (lambda: VectorQueries([[1.0, np.nan]]), "NaN"),
        (
            lambda: metrics.precision_at_k(
                VectorQueries(np.ones((2, 3))), np.ones((4, 5)), np.ones((2, 4), dtype=bool), 1
            ),
            "queries have 3 features, the database has 5",
        ),
    ],
)
def test_what_is_not_a_vector_is_refused(make, sentence):
    with pytest.raises(ValueError, match=sentence):
        make()


@pytest.mark.parametrize("scale", [1e-25, 1e25])
def test_cosines_do_not_depend_on_the_scale(scale):
    rng = np.random.default_rng(0)
    queries, database = rng.normal(size=(3, 5)), rng.normal(size=(20, 5))
    plain = VectorQueries(queries).nearness(database)
    scaled = VectorQueries(np.float32(scale * queries)).nearness(np.float32(scale * database))
    np.testing.assert_allclose(scaled, plain, atol=1e-5)


def test_products_that_are_not_finite_are_refused():
    huge = np.full((2, 3), 1e30, dtype=np.float32)
    with pytest.raises(ValueError, match="too large for their products"):
        VectorQueries(huge, "inner_product").nearness(huge)
