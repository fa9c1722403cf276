"""What a search should find, against brute force; and what is learned from to find it."""

from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse.csgraph import connected_components

from hashlearn import HammingIndex, VectorRescoring, make_hasher
from hashlearn.affinity import (
    DenseAffinity,
    LabelAffinity,
    MultilabelAffinity,
    SparseAffinity,
    as_affinity,
)
from hashlearn.comparison import _data, _neighbours, _truths
from hashlearn.comparison._data import Data, make_truth
from hashlearn.comparison._labels import LabelTruth
from hashlearn.comparison._measuring import Task, measure
from hashlearn.comparison._neighbours import nearest_neighbours
from hashlearn.comparison._pairs import PairTruth, _connected
from hashlearn.comparison._splits import N_FOLDS
from hashlearn.comparison._truths import CANDIDATES, IN_USE, NeighbourTruth
from hashlearn.metrics import (
    VectorQueries,
    average_precision,
    ndcg,
    precision_at_k,
    relevance_from_labels,
)

K = 4
FORMS = {"dense": np.asarray, "sparse": sp.csr_matrix, "single": np.float32}


def data_of(truth, X=None, metric="cosine", seed=0, k=K):
    if X is None:
        X = np.random.RandomState(seed).normal(size=(300, 6))
    return Data(X, truth, metric, k, seed)


def codes_of(part, n_bits=12):
    """Return codes of the database and of the queries of a part."""
    hasher = make_hasher("lsh", n_bits=n_bits, random_state=0).fit(part.X_training)
    return hasher.encode(part.X_database), hasher.encode(part.X_queries)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("metric", ["cosine", "inner_product", "euclidean"])
@given(seed=st.integers(0, 1000), k=st.integers(1, 8))
def test_neighbours_are_the_nearest_and_all_that_are_as_near(metric, form, seed, k):
    rng = np.random.default_rng(seed)
    # few values, so that ties are frequent; of single precision, products are exact
    queries, database = rng.integers(-2, 3, (7, 3)), rng.integers(-2, 3, (40, 3))
    with pytest.MonkeyPatch.context() as patch:  # several blocks of both
        patch.setattr(_neighbours, "QUERY_ROWS", 3)
        patch.setattr(_neighbours, "DATABASE_ROWS", 9)
        asked = VectorQueries(FORMS[form](1.0 * queries), metric)
        found = nearest_neighbours(asked, FORMS[form](1.0 * database), k).items
    nearness = VectorQueries(1.0 * queries, metric).nearness(1.0 * database)
    for near, items in zip(nearness, found, strict=True):
        kth = np.sort(near)[-k]
        wanted = np.flatnonzero(near >= kth - 1e-9)
        listed = items[items >= 0]
        assert np.unique(listed).size == listed.size
        assert np.isin(listed, wanted).all()
        assert listed.size == min(wanted.size, found.shape[1])


def test_recall_counts_any_of_the_equally_near():
    X = np.repeat(np.eye(6), 50, axis=0)  # the same six vectors: codes find nothing else
    part = data_of(NeighbourTruth(len(X), K), X).part(0, False, False)
    hasher = make_hasher("itq", n_bits=5, random_state=0).fit(X)
    database, queries = hasher.encode(part.X_database), hasher.encode(part.X_queries)
    assert len(np.unique(database, axis=0)) == 6
    found = part.truth.measure(queries, database, part)
    assert (found[1][f"recall@{K}"] == 1).all()


@pytest.mark.parametrize("metric", ["cosine", "inner_product", "euclidean"])
def test_recall_without_ties_is_the_share_of_the_nearest(metric):
    part = data_of(NeighbourTruth(300, K), metric=metric).part(0, False, False)
    database, queries = codes_of(part)
    index = HammingIndex(12)
    index.add(database)
    near = np.argsort(-part.vector_queries.nearness(part.X_database), axis=1)[:, :K]
    for candidates, found in part.truth.measure(queries, database, part).items():
        ids = index.search(queries, candidates * K).ids
        shares = [np.isin(a, b).mean() for a, b in zip(near, ids, strict=True)]
        np.testing.assert_allclose(found[f"recall@{K}"], shares)


def test_recall_of_candidates_is_that_of_a_search_that_vectors_order_again():
    part = data_of(NeighbourTruth(300, K), metric="euclidean").part(0, False, False)
    database, queries = codes_of(part)
    index = HammingIndex(12)
    index.add(database)
    found = part.truth.measure(queries, database, part)
    assert tuple(found) == CANDIDATES
    near = np.argsort(-part.vector_queries.nearness(part.X_database), axis=1)[:, :K]
    for candidates in CANDIDATES:
        rescoring = VectorRescoring(part.X_queries, part.X_database)
        ids = index.search(queries, K, rescore=rescoring, oversample=candidates).ids
        shares = [np.isin(a, b).mean() for a, b in zip(near, ids, strict=True)]
        np.testing.assert_allclose(found[candidates][f"recall@{K}"], shares)


def test_more_candidates_find_no_less():
    part = data_of(NeighbourTruth(300, K)).part(0, False, False)
    database, queries = codes_of(part)
    found = part.truth.measure(queries, database, part)
    recalls = [found[candidates][f"recall@{K}"] for candidates in CANDIDATES]
    assert (np.diff(recalls, axis=0) >= 0).all()


def test_vectors_find_all_of_their_neighbours():
    part = data_of(NeighbourTruth(300, K)).part(0, False, False)
    found = part.truth.measure_vectors(part)
    assert (found[1][f"recall@{K}"] == 1).all()


def random_labels(several, seed=0, n=300):
    rng = np.random.default_rng(seed)
    if several:
        return (rng.random((n, 6)) < 0.25).astype(int)
    return rng.integers(0, 7, n)


@pytest.mark.parametrize("asked", ["codes", "vectors"])
@pytest.mark.parametrize("several", [False, True])
def test_measures_of_labels_are_those_of_the_metrics(several, asked):
    y = random_labels(several)
    part = data_of(make_truth(300, y, None, K)).part(0, False, False)
    database, queries = codes_of(part)
    if asked == "vectors":
        database, queries = part.X_database, part.vector_queries
    found = part.truth.measure(queries, database, part)[1]
    theirs, ours = y[part.split.database], y[part.queries]
    right = relevance_from_labels(ours, theirs)
    expected = {
        f"precision@{K}": precision_at_k(queries, database, right, K),
        "map": average_precision(queries, database, right),
    }
    if several:
        expected[f"ndcg@{K}"] = ndcg(queries, database, ours @ theirs.T, k=K)
    assert tuple(found) == part.truth.measures == tuple(expected)
    for name, values in expected.items():
        np.testing.assert_allclose(found[name], values)


@pytest.mark.parametrize("method", ["vectors", "itq-cca"])
def test_in_use_means_that_the_training_items_are_in_the_database(method, monkeypatch):
    monkeypatch.setattr(_data, "IN_USE_QUERIES", 10)
    y = random_labels(several=False)
    X = np.random.RandomState(0).normal(size=(300, 6))
    data = data_of(make_truth(300, y, None, K), X)
    split = data.part(0, False, False).split
    stored = np.concatenate([split.training, split.database])
    queries = np.concatenate([split.choosing[::4], split.reporting[::4]])
    assert queries.max() > 200 > 100 > queries.min()  # from all over a file that may be sorted
    if method == "vectors":
        asked, database = VectorQueries(X[queries]), X[stored]
    else:
        hasher = make_hasher(method, n_bits=4, random_state=0)
        hasher.fit(X[split.training], y[split.training])
        asked, database = hasher.encode(X[queries]), hasher.encode(X[stored])
    right = relevance_from_labels(y[queries], y[stored])
    expected = precision_at_k(asked, database, right, K)
    ranking = measure(Task(method, 4 * (method != "vectors")), data, 1)["rankings"][0]
    found = [ranking[part][IN_USE + f"precision@{K}"] for part in ("choosing", "reporting")]
    np.testing.assert_allclose(np.ravel(found), expected, atol=1e-5)


def random_pairs(seed=0, n=300, share=0.1):
    """Return an affinity of which most pairs are not known."""
    rng = np.random.default_rng(seed)
    pairs = np.triu(rng.choice([-1, 0, 1], (n, n), p=[share, 1 - 2 * share, share]), 1)
    return as_affinity(pairs + pairs.T, None, pairs)


@pytest.fixture(scope="module")
def of_pairs():
    truth = PairTruth(random_pairs(), K)
    part = data_of(truth).part(0, False, False)
    return SimpleNamespace(truth=truth, part=part, codes=codes_of(part))


def test_measures_of_pairs_are_those_among_the_known(of_pairs):
    database, queries = of_pairs.codes
    found = of_pairs.truth.measure(queries, database, of_pairs.part)[1]
    Y = of_pairs.truth.affinity.block(slice(None))
    Y = np.asarray(Y)[np.ix_(of_pairs.part.queries, of_pairs.part.split.database)]
    for i, y in enumerate(Y):
        known = y != 0
        args = queries[i : i + 1], database[known], y[None, known] > 0
        assert found[f"precision@{K}"][i] == pytest.approx(precision_at_k(*args, K)[0])
        assert found["map"][i] == pytest.approx(average_precision(*args)[0])


def few_pairs(n, seed):
    i, j = np.random.default_rng(seed).integers(0, n, (2, n // 2))
    y = np.random.default_rng(seed).choice([-1, 1], n // 2)
    return np.column_stack([i, j, y])[i != j]


AFFINITIES = {
    "labels": lambda seed: LabelAffinity(np.random.default_rng(seed).integers(0, 40, 150)),
    "label sets": lambda seed: MultilabelAffinity(
        (np.random.default_rng(seed).random((150, 30)) < 0.04) * 1
    ),
    "pairs": lambda seed: SparseAffinity.from_pairs(few_pairs(150, seed), 150),
    "matrix": lambda seed: DenseAffinity(
        SparseAffinity.from_pairs(few_pairs(150, seed), 150).as_sparse().toarray()
    ),
}


@pytest.mark.parametrize("kind", AFFINITIES)
@settings(max_examples=10)
@given(seed=st.integers(0, 1000))
def test_items_are_kept_out_with_all_that_similar_pairs_connect_them_to(kind, seed):
    """In blocks of rows: all pairs of 20,000 items once took 10 GB."""
    affinity = AFFINITIES[kind](seed)
    expected = connected_components(affinity.as_sparse() > 0, directed=False)[1]
    found = _connected(affinity)
    assert len(set(zip(found, expected, strict=True))) == len(set(found)) == len(set(expected))


def test_queries_whose_rankings_are_all_the_same_are_left_out():
    """Few known pairs once had a precision that no codes could change."""
    truth = PairTruth(random_pairs(share=0.01), K)
    part = data_of(truth).part(0, False, False)
    database, queries = codes_of(part)
    found = truth.measure(queries, database, part)[1]
    Y = np.asarray(truth.affinity.block(slice(None)))[np.ix_(part.queries, part.split.database)]
    n_right, n_wrong = (Y > 0).sum(axis=1), (Y < 0).sum(axis=1)
    both, many = (n_right > 0) & (n_wrong > 0), n_right + n_wrong > K
    assert (both.any(), both.all()) == (True, False)
    np.testing.assert_array_equal(np.isfinite(found["map"]), both)
    np.testing.assert_array_equal(np.isfinite(found[f"precision@{K}"]), both & many)
    np.testing.assert_array_equal(truth.has_answer(part), both)


def test_items_of_unknown_pairs_change_nothing(of_pairs):
    database, queries = of_pairs.codes
    found = of_pairs.truth.measure(queries, database, of_pairs.part)[1]
    for i in range(5):
        y = of_pairs.truth.affinity.block(np.array([of_pairs.part.queries[i]]))[0]
        others = np.where((y[of_pairs.part.split.database] == 0)[:, None], queries[i], database)
        changed = of_pairs.truth.measure(queries, others, of_pairs.part)[1]
        assert {name: values[i] for name, values in changed.items()} == {
            name: values[i] for name, values in found.items()
        }


@pytest.mark.parametrize("kind", ["labels", "several", "pairs"])
def test_no_ranking_is_better_than_the_ceiling(kind):
    """A query with few items to find, all found first, has a precision below 1."""
    if kind == "pairs":
        truth = PairTruth(random_pairs(share=0.08), 10)
    else:
        truth = make_truth(300, np.arange(300) % 40, None, 10)
        if kind == "several":
            truth = make_truth(300, np.eye(40, dtype=int)[np.arange(300) % 40], None, 10)
    data = data_of(truth, k=10)
    part = data.part(0, False, False)
    values = []
    for i, query in enumerate(part.queries):
        if kind == "pairs":
            right = truth.affinity.block(np.array([query]))[0, part.split.database] > 0
        else:
            right = part.split.database % 40 == query % 40
        values.append(_alone(part, i, right))
    assert np.nanmean(values[: part.n_choosing]) == pytest.approx(data.ceiling())


def _alone(part, i, right):
    """Return the precision of a query by codes of one bit, which find just what is right."""
    database = np.where(right, 0, 255).astype(np.uint8)[:, None]
    queries = np.zeros((len(part.queries), 1), dtype=np.uint8)
    return part.truth.measure(queries, database, part)[1]["precision@10"][i]


def classes_of(kind, seed):
    """Return a truth, and a set of classes of each item."""
    rng = np.random.default_rng(seed)
    if kind == "pairs":
        groups = rng.integers(0, 9, 1200)
        y = np.where(groups[:, None] == groups, 1, -1)
        np.fill_diagonal(y, 0)
        return PairTruth(as_affinity(y, None, y), K), [{group} for group in groups]
    if kind == "several":
        y = np.eye(9, dtype=int)[rng.integers(0, 9, 1200)]
        y[:100] |= np.eye(9, dtype=int)[rng.integers(0, 9, 100)]
        return make_truth(1200, y, None, K), [set(np.flatnonzero(row)) for row in y]
    y = rng.integers(0, 9, 1200)
    return make_truth(1200, y, None, K), [{label} for label in y]


@pytest.mark.parametrize("kind", ["labels", "several", "pairs"])
@pytest.mark.parametrize("seed", range(3))
def test_classes_kept_out_are_in_no_training_item(kind, seed):
    truth, classes = classes_of(kind, seed)
    data = data_of(truth, np.random.RandomState(0).normal(size=(1200, 3)), seed=seed)
    assert data.has_new
    kept_out = []
    for fold in range(N_FOLDS):
        part = data.part(fold, False, True)
        learned = set().union(*(classes[i] for i in part.split.training))
        asked = set().union(*(classes[i] for i in part.queries))
        assert part.is_new.all()
        assert part.queries.size
        assert not learned & asked
        kept_out.append(asked)
    assert sorted(label for asked in kept_out for label in asked) == list(range(9))  # once each


@pytest.mark.parametrize("method", ["itq", "itq-cca"])
def test_no_method_learns_from_items_of_classes_kept_out(method, monkeypatch):
    """Rotations of items without labels once had those of the classes kept out among them."""
    truth, _ = classes_of("labels", 0)
    data = data_of(truth, np.random.RandomState(0).normal(size=(1200, 4)))
    hasher, learned = make_hasher(method, n_bits=4), []
    fit = type(hasher).fit
    monkeypatch.setattr(
        type(hasher), "fit", lambda self, X, *y, **ys: learned.append(X) or fit(self, X, *y, **ys)
    )
    record = measure(Task(method, 4, new=True), data)
    np.testing.assert_array_equal(learned[0], data.part(0, False, True).X_training)
    names = {name for ranking in record["rankings"] for name in ranking["choosing"]}
    assert names == {f"new-precision@{K}", "new-map"}


def test_a_fold_keeps_out_classes_or_says_that_it_keeps_none():
    """Of two labels, a third fold would keep out nothing, and the others leave one to learn."""
    y = np.eye(2, dtype=int)[np.random.RandomState(0).randint(2, size=900)]
    data = data_of(make_truth(900, y, None, K), np.random.RandomState(0).normal(size=(900, 3)))
    for fold in range(N_FOLDS if data.has_new else 0):
        part = data.part(fold, False, True)
        assert part.queries.size
        assert np.ptp(y[part.split.training], axis=0).any()


@pytest.mark.parametrize("seed", range(4))
def test_every_fold_has_enough_queries_of_the_classes_that_it_keeps_out(seed):
    """Of one large class and two small ones, a fold that keeps out a small one has few queries."""
    y = np.random.RandomState(0).choice(3, 900, p=[0.9, 0.05, 0.05])
    X = np.random.RandomState(0).normal(size=(900, 3))
    data = data_of(make_truth(900, y, None, K), X, seed=seed)
    for fold in range(N_FOLDS if data.has_new else 0):
        part = data.part(fold, False, True)
        assert min(part.n_choosing, part.queries.size - part.n_choosing) >= _truths.MIN_NEW


def test_codes_of_two_classes_have_no_classes_kept_out():
    data = data_of(make_truth(300, np.arange(300) % 2, None, K))
    assert not data.has_new


MISSING = {
    "number": ([0, 1, 2], -1),
    "none": (["a", "b", "c"], None),
    "nan": ([0.0, 1.0, 2.0], np.nan),
    "several": ([[1, 0, 0], [0, 1, 0], [0, 0, 1]], [-1, -1, -1]),
}


@pytest.mark.parametrize("kind", MISSING)
def test_items_without_a_label_are_in_no_split_but_learned_from_where_they_can_be(kind):
    names, unknown = MISSING[kind]
    is_missing = np.arange(300) % 4 == 0
    y = [unknown if gone else names[i % 3] for i, gone in enumerate(is_missing)]
    y = np.array(y, dtype=object) if kind == "none" else np.array(y)
    truth = make_truth(300, y, None, K)
    assert isinstance(truth, LabelTruth)
    assert truth.n_missing == is_missing.sum()
    data = data_of(truth)
    for fold in range(N_FOLDS):
        split = data.part(fold, False, False).split
        assert not is_missing[np.concatenate(split)].any()
        items, given = truth.given(split.training, semi_supervised=False)
        assert (items is split.training, len(given["y"])) == (True, len(items))
        assert (given["y"] >= 0).all()
        items, given = truth.given(split.training, semi_supervised=True)
        assert set(split.training) < set(items)
        assert len(items) - len(split.training) == round(len(split.training) / 3)
        assert is_missing[np.setdiff1d(items, split.training)].all()
        gone = given["y"].reshape(len(items), -1).min(axis=1) < 0
        np.testing.assert_array_equal(gone, is_missing[items])


def test_minus_1_beside_1_is_a_class():
    assert make_truth(300, np.where(np.arange(300) % 3, 1, -1), None, K).n_missing == 0


def test_labels_are_the_same_by_any_name():
    y = random_labels(False)
    names = np.array(["b", "a", "ü", "d", "7", "f", "g"])
    for other in (names[y], names[y].tolist(), names[y].astype(object), y.astype(float) + 5):
        truth = make_truth(300, other, None, K)
        assert len(set(zip(y, truth.y, strict=True))) == np.unique(truth.y).size == 7
