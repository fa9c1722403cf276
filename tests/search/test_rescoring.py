"""Laws of rescoring: exact scores, a stable order, and nothing read that is not needed."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_digits

import rescoring as study
from hashlearn import HammingIndex, make_hasher
from hashlearn._numerics import candidates
from hashlearn._numerics.candidates import candidate_count, check_rescoring
from hashlearn.search import CodeTerms, FloatQueries, nearest_codes, pack_codes, rescoring
from hashlearn.search.rescoring import MarginRescoring, VectorRescoring

seeds = st.integers(0, 1000)
DTYPES = ["bool", "uint8", "int16", "int64", "float16", "float32", "float64", "longdouble"]


def no_codes(positions):
    raise AssertionError("the codes were read")


def of(ids):
    """The ids at positions, as an index gives them."""
    return lambda positions: np.where(positions < 0, -1, ids[positions])


def vector_scores(queries, vectors, pairs):
    return [np.sqrt(sum((queries[q] - np.float64(vectors[i])) ** 2)) for q, i in pairs]


def margin_scores(margins, bits, pairs):
    return [
        sum(abs(f) for f, bit in zip(margins[q], bits[i], strict=True) if bit != (f > 0))
        for q, i in pairs
    ]


def stable_order(scores, positions, ids, k):
    """The candidates of one query as a plain sort of (score, column) orders them."""
    order = sorted((score, column) for column, score in enumerate(scores))[:k]
    columns = [column for _, column in order]
    return [score for score, _ in order], [ids[positions[column]] for column in columns]


def rescore_candidates(rescoring, positions, ids_of, codes_of, k):
    """Order candidates as an index does, where position -1 means none."""
    return candidates.rescore_candidates(rescoring, positions, positions >= 0, ids_of, codes_of, k)


def random_problem(seed, n_queries, n, n_candidates):
    rng = np.random.default_rng(seed)
    positions = np.array([rng.permutation(n)[:n_candidates] for _ in range(n_queries)])
    return rng, positions.reshape(n_queries, n_candidates).astype(np.int64)


sizes = {
    "n_queries": st.integers(0, 5),
    "n": st.integers(1, 20),
    "share": st.floats(0, 1),
    "seed": seeds,
}


@pytest.mark.parametrize("dtype", DTYPES)
@given(n_features=st.integers(1, 40), **sizes)
def test_vectors_order_candidates_as_a_plain_loop_does(
    dtype, n_features, n_queries, n, share, seed
):
    n_candidates = max(1, round(share * n))
    rng, positions = random_problem(seed, n_queries, n, n_candidates)
    queries = rng.integers(-3, 4, (n_queries, n_features)).astype(float)  # ties are frequent
    vectors = rng.integers(0, 4, (n, n_features)).astype(dtype)
    k, ids = rng.integers(1, n_candidates + 1), rng.permutation(n)
    found = rescore_candidates(VectorRescoring(queries, vectors), positions, of(ids), no_codes, k)
    assert found[0].shape == found[1].shape == (n_queries, k)
    assert found[0].dtype == np.float64
    for q, row in enumerate(positions):
        expected = vector_scores(queries, vectors, [(q, ids[i]) for i in row])
        scores, order = stable_order(expected, row, ids, k)
        np.testing.assert_allclose(found[0][q], scores, rtol=1e-14)
        np.testing.assert_array_equal(found[1][q], order)


@pytest.mark.parametrize("scale", [1e-180, 1.0, 1e180])
@pytest.mark.parametrize("dtype", DTYPES)
@given(seed=seeds)
def test_cosines_do_not_depend_on_lengths(dtype, scale, seed):
    rng = np.random.default_rng(seed)
    queries, vectors = rng.normal(size=(1, 5)), rng.integers(0, 2, (20, 5)).astype(dtype)
    found = VectorRescoring(queries * scale, vectors, metric="cosine")
    lengths = np.linalg.norm(vectors.astype(float), axis=1) * np.linalg.norm(queries)
    expected = 1 - (vectors.astype(float) @ queries[0]) / np.where(lengths > 0, lengths, 1)
    scores = found.scores(np.zeros(20, dtype=np.int64), np.arange(20), None)
    np.testing.assert_allclose(scores, expected, atol=1e-14)


@pytest.mark.parametrize("dtype", DTYPES)
@given(seed=seeds)
def test_inner_products_order_from_the_largest(dtype, seed):
    rng = np.random.default_rng(seed)
    queries, vectors = rng.normal(size=(2, 5)), rng.integers(0, 9, (20, 5)).astype(dtype)
    found = VectorRescoring(queries, vectors, metric="inner_product")
    scores = found.scores(np.repeat([0, 1], 20), np.tile(np.arange(20), 2), None)
    expected = -queries @ vectors.astype(float).T
    np.testing.assert_allclose(scores, expected.ravel(), atol=1e-12)


def test_vectors_are_ordered_by_a_known_metric():
    with pytest.raises(ValueError, match="metric must be one of 'cosine'"):
        VectorRescoring([[0.0]], [[1.0]], metric="manhattan")


@given(n_bits=st.sampled_from([1, 3, 8, 9, 64, 130]), **sizes)
def test_margins_order_candidates_as_a_plain_loop_does(n_bits, n_queries, n, share, seed):
    n_candidates = max(1, round(share * n))
    rng, positions = random_problem(seed, n_queries, n, n_candidates)
    margins = rng.integers(-8, 9, (n_queries, n_bits)) / 4  # sums are exact, ties are frequent
    bits = rng.integers(0, 2, (n, n_bits))
    k, ids = rng.integers(1, n_candidates + 1), rng.permutation(n) - 3
    codes = pack_codes(bits)
    found = rescore_candidates(
        MarginRescoring(margins), positions, of(ids), lambda positions: codes[positions], k
    )
    for q, row in enumerate(positions):
        expected = margin_scores(margins, bits, [(q, i) for i in row])
        scores, order = stable_order(expected, row, ids, k)
        np.testing.assert_array_equal(found[0][q], scores)
        np.testing.assert_array_equal(found[1][q], order)


@given(n_bits=st.integers(1, 70), seed=seeds)
def test_margin_scores_order_as_the_product_with_the_codes(n_bits, seed):
    rng = np.random.default_rng(seed)
    margins, bits = rng.normal(size=(1, n_bits)), rng.integers(0, 2, (30, n_bits))
    scores = MarginRescoring(margins).scores(
        np.zeros(30, dtype=np.int64), np.arange(30), pack_codes(bits)
    )
    product = (2.0 * bits - 1) @ margins[0]
    np.testing.assert_allclose(2 * scores, np.abs(margins).sum() - product, atol=1e-12)


@pytest.mark.parametrize("use", [None, "scale", "bias"])
def test_scores_of_float_queries_are_their_distances(use):
    rng = np.random.default_rng(0)
    terms = use and CodeTerms(
        rng.normal(size=(5, 11)), rng.normal(size=5), lengths=(1, 20), use=use
    )
    queries = FloatQueries(
        rng.normal(size=(4, 11)), constants=rng.random(4), shifts=rng.random(4), terms=terms or None
    )
    codes = pack_codes(rng.integers(0, 2, (30, 11)))
    rows = np.sort(rng.integers(0, 4, 60))
    items = rng.integers(0, 30, 60)
    scores = MarginRescoring(queries).scores(rows, items, codes[items])
    np.testing.assert_array_equal(scores, queries.distances(codes)[rows, items])


@given(n_bits=st.integers(1, 70), seed=seeds)
def test_margins_of_one_size_keep_the_hamming_search_as_it_is(n_bits, seed):
    rng = np.random.default_rng(seed)
    database = pack_codes(rng.integers(0, 2, (40, n_bits)))
    bits = rng.integers(0, 2, (3, n_bits))
    distances, positions = nearest_codes(pack_codes(bits), database, 40)
    found = rescore_candidates(
        MarginRescoring(2 * bits - 1), positions, of(np.arange(40)), lambda p: database[p], 7
    )
    np.testing.assert_array_equal(found[0], distances[:, :7])
    np.testing.assert_array_equal(found[1], positions[:, :7])


@pytest.fixture
def problem():
    rng, positions = random_problem(0, 6, 50, 20)
    vectors = rng.normal(size=(50, 33)).astype(np.float32)
    return rng.normal(size=(6, 33)).astype(np.float32), vectors, positions


def rescore(queries, vectors, positions, ids=None, k=5):
    ids = np.arange(50) if ids is None else ids
    return rescore_candidates(VectorRescoring(queries, vectors), positions, of(ids), no_codes, k)


def assert_same(one, other):
    for left, right in zip(one, other, strict=True):
        np.testing.assert_array_equal(left, right)


def test_a_callable_gives_what_its_array_gives(problem):
    queries, vectors, positions = problem
    ids = 10**12 - 7 * np.arange(50)
    scores, found = rescore(queries, vectors, positions)
    rows_of = dict(zip(ids.tolist(), vectors, strict=True))
    by_id = rescore(queries, lambda ids: [rows_of[item] for item in ids.tolist()], positions, ids)
    assert_same(by_id, (scores, ids[found]))


def test_a_memory_mapped_array_gives_what_its_copy_gives(problem, tmp_path):
    queries, vectors, positions = problem
    np.save(tmp_path / "vectors.npy", vectors)
    mapped = np.load(tmp_path / "vectors.npy", mmap_mode="r")
    assert_same(rescore(queries, mapped, positions), rescore(queries, vectors, positions))
    assert np.shares_memory(VectorRescoring(queries, mapped).vectors, mapped)


def test_blocks_change_nothing(problem, monkeypatch):
    queries, vectors, positions = problem
    whole = rescore(queries, vectors, positions)
    monkeypatch.setattr(candidates, "BLOCK_PAIRS", 45)
    monkeypatch.setattr(rescoring, "BLOCK_BYTES", 3 * 33 * 8)
    assert_same(rescore(queries, vectors, positions), whole)


def test_a_callable_is_asked_once_per_block_for_increasing_ids_in_bounded_number(
    problem, monkeypatch
):
    queries, vectors, positions = problem
    monkeypatch.setattr(rescoring, "BLOCK_BYTES", 7 * 33 * 8)
    asked = []

    def rows_of(ids):
        asked.append(ids.copy())
        return vectors[ids]

    rescore(queries, rows_of, positions)
    assert max(ids.size for ids in asked) <= 7
    np.testing.assert_array_equal(np.concatenate(asked), np.unique(positions))


def test_distances_are_differences_in_float64():
    # |x|^2 - 2 x y + |y|^2 in float32, or even in float64, sees no difference here
    vectors = np.array([[1e8 + 8], [1e8]], dtype=np.float32)
    queries = np.array([[1e8 + 1]])
    scores, ids = rescore_candidates(
        VectorRescoring(queries, vectors), np.array([[0, 1]]), of(np.arange(2)), no_codes, 2
    )
    assert_same((scores, ids), ([[1, 7]], [[1, 0]]))


@pytest.mark.parametrize("kind", ["vectors", "margins"])
def test_missing_candidates_stay_last(kind):
    positions = np.array([[2, 0, -1, -1], [-1, -1, -1, -1]])
    ids = np.array([-4, 7, 5])
    table = {
        "vectors": VectorRescoring(np.zeros((2, 1)), lambda ids: np.abs(ids)[:, None]),
        "margins": MarginRescoring([[1.0, 5.0]] * 2),
    }
    codes = np.array([[0b11000000], [0], [0b10000000]], dtype=np.uint8)
    scores, found = rescore_candidates(table[kind], positions, of(ids), lambda p: codes[p], k=3)
    np.testing.assert_array_equal(found, [[-4, 5, -1], [-1, -1, -1]])
    best = {"vectors": 4, "margins": 0}[kind]
    np.testing.assert_array_equal(scores, [[best, 5, np.inf], [np.inf] * 3])


def test_an_empty_index_has_results_of_width_zero():
    scores, ids = rescore_candidates(
        MarginRescoring(np.ones((3, 8))),
        np.empty((3, 0), dtype=np.int64),
        of(np.empty(0, dtype=np.int64)),
        lambda positions: np.empty((positions.size, 1), dtype=np.uint8),
        k=4,
    )
    assert scores.shape == ids.shape == (3, 0)


@pytest.mark.parametrize(
    ("k", "oversample", "n", "expected"),
    [(10, 20, 1000, 200), (10, 1, 1000, 10), (10, 1.1, 99, 11), (3, 1.5, 99, 5), (9, 20, 50, 50)],
)
def test_candidates_are_k_times_oversample_rounded_up(k, oversample, n, expected):
    assert candidate_count(k, oversample, n) == expected
    assert candidate_count(k, np.float32(1e30), n) == candidate_count(k, np.inf, n) == n


@pytest.mark.parametrize("oversample", [0.99, 0, -3, np.nan, "10", None])
def test_oversample_below_one_is_refused(oversample):
    with pytest.raises(ValueError, match=f"oversample must be .*; got {oversample!r}"):
        candidate_count(10, oversample, 100)


@pytest.mark.parametrize(
    ("queries", "message"),
    [
        ([[0.0, np.nan]], "queries contains NaN"),
        ([[0.0, np.inf]], "queries contains infinity"),
        ([0.0, 1.0], "Expected 2D array"),
        ([["a", "b"]], "could not convert string"),
        (np.zeros((3, 0)), r"0 feature\(s\)"),
    ],
)
def test_queries_that_are_no_finite_rows_are_refused(queries, message):
    with pytest.raises(ValueError, match=message):
        VectorRescoring(queries, np.zeros((3, 2)))
    with pytest.raises(ValueError, match=message.replace("queries", "margins")):
        MarginRescoring(queries)


@pytest.mark.parametrize(
    ("vectors", "message"),
    [
        (np.zeros((5, 3)), r"a row of 2 numbers.* got shape \(5, 3\)"),
        (np.zeros(2), r"shape \(2,\)"),
        (np.zeros((5, 2, 1)), r"shape \(5, 2, 1\)"),
        (np.zeros((5, 2), dtype=complex), "dtype complex128"),
        (np.array([["a", "b"]]), "dtype <U1"),
        (sp.csr_matrix((5, 2)), r"shape \(\) and dtype object"),
        (None, r"shape \(\) and dtype object"),
    ],
)
def test_vectors_that_do_not_fit_the_queries_are_refused(vectors, message):
    with pytest.raises(ValueError, match=message):
        VectorRescoring([[0.0, 1.0]], vectors)


@pytest.mark.parametrize("outside", [-1, 5])
def test_ids_outside_an_array_are_refused(outside):
    found = VectorRescoring([[0.0]], np.zeros((5, 1)))
    with pytest.raises(ValueError, match=f"has 5 rows, but none for id {outside} of"):
        rescore_candidates(found, np.array([[0, 1]]), of(np.array([2, outside])), no_codes, 1)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (np.zeros((1, 2)), r"shape \(1, 2\)"),
        (np.zeros((2, 3)), r"shape \(2, 3\)"),
        (None, r"shape \(\)"),
        ([[0.0, 1.0], [np.nan, 0.0]], "not finite, or too large to square, at id 9"),
        ([[0.0, 1.0], [1e200, 0.0]], "not finite, or too large to square, at id 9"),
    ],
)
def test_wrong_rows_of_a_callable_are_refused(rows, message):
    found = VectorRescoring([[0.0, 0.0]], lambda ids: rows)
    with pytest.raises(ValueError, match=message):
        rescore_candidates(found, np.array([[1, 0]]), of(np.array([4, 9])), no_codes, 1)


def test_a_rescoring_that_does_not_fit_is_refused_before_the_search():
    check_rescoring(MarginRescoring(np.ones((3, 12))), n_queries=3, n_bits=12)
    with pytest.raises(ValueError, match="margins has 12 columns; the index has n_bits=16"):
        check_rescoring(MarginRescoring(np.ones((3, 12))), n_queries=3, n_bits=16)
    with pytest.raises(ValueError, match="rescore has 3 queries; the search has 4"):
        check_rescoring(VectorRescoring(np.ones((3, 2)), np.ones((5, 2))), 4, 12)
    with pytest.raises(TypeError, match=r"rescore must be a Rescoring, .* got 'floats'"):
        check_rescoring("floats", 4, 12)


@pytest.fixture(scope="module")
def digits():
    X = load_digits().data
    hasher = make_hasher("lsh", n_bits=24, center=True, random_state=0).fit(X)
    index = HammingIndex(24)
    index.add(hasher.encode(X[200:]))
    return index, hasher, X[:200], X[200:]


def test_all_items_rescored_by_vectors_are_the_exact_neighbours(digits):
    index, hasher, queries, vectors = digits
    found = index.search(
        hasher.encode(queries), 10, rescore=VectorRescoring(queries, vectors), oversample=np.inf
    )
    exact = np.sort(np.linalg.norm(queries[:, None] - vectors, axis=2), axis=1)[:, :10]
    np.testing.assert_allclose(found.distances, exact, rtol=1e-12)


def test_rescoring_raises_recall(digits):
    index, hasher, queries, vectors = digits
    truth, codes = study.true_neighbours(queries, vectors), hasher.encode(queries)
    by_margins = MarginRescoring(hasher.decision_function(queries))
    by_vectors = VectorRescoring(queries, vectors)
    plain = study.recall(index.search(codes, 10).ids, truth)
    margins = study.recall(index.search(codes, 10, rescore=by_margins).ids, truth)
    few, many = (
        study.recall(index.search(codes, 10, rescore=by_vectors, oversample=o).ids, truth)
        for o in (5, 20)
    )
    assert plain < margins < few < many


def test_a_restricted_search_is_rescored_among_the_allowed(digits):
    index, hasher, queries, vectors = digits
    found = index.search(
        hasher.encode(queries), 5, among=[3, 8, 1], rescore=VectorRescoring(queries, vectors)
    )
    np.testing.assert_array_equal(np.sort(found.ids), [[-1, -1, 1, 3, 8]] * len(queries))
    np.testing.assert_array_equal(np.isinf(found.distances), found.ids == -1)


@pytest.mark.data
@pytest.mark.slow
def test_vectors_raise_recall_on_cifar10(data_folder):
    pytest.importorskip("PIL")
    queries, database = study.split(study.cifar10()[0], hold_out=False)
    hasher = study.hashers()["tsh-laplacian, kernel-features"]
    truth = study.true_neighbours(queries, database)
    rows = list(study.table_rows(hasher, queries, database, truth, n_training=5_000))
    at_20 = {way: recalls[study.OVERSAMPLE.index(20)] for way, recalls, _ in rows}
    assert at_20["Hamming"] < at_20["margins"]
    assert at_20["vectors"] >= 0.5
