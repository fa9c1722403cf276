"""The measures of a database in shards are those of the whole, to the last digit."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from hashlearn import metrics
from hashlearn.distributed import _shards as shards
from hashlearn.distributed import evaluate
from hashlearn.metrics import relevance_from_labels
from tests.distributed.conftest import random_codes

da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")
pytest.importorskip("distributed")

SIZES = (60, 1, 17, 0, 122)
N = sum(SIZES)


def one_label(n, seed):
    return np.random.default_rng(seed).integers(0, 5, n)


def words(n, seed):
    return np.array(["cat", "dog", "horse", "owl", "ox"])[one_label(n, seed)]


def several_labels(n, seed):
    return (np.random.default_rng(seed).random((n, 6)) < 0.2).astype(np.uint8)


def problem(labels, n_bits):
    return random_codes(30, n_bits, 1), random_codes(N, n_bits, 2), labels(30, 3), labels(N, 4)


def locally(queries, codes, query_labels, labels, **options):
    relevance = relevance_from_labels(query_labels, labels)
    return metrics.evaluate(queries, codes, relevance, **options)


@pytest.mark.parametrize("ties", ["expected", "neutral", "insertion"])
@pytest.mark.parametrize("labels", [one_label, words, several_labels])
@pytest.mark.parametrize("n_bits", [8, 19])
def test_shards_of_any_size_measure_as_the_whole(client, labels, n_bits, ties):
    queries, codes, query_labels, database_labels = problem(labels, n_bits)
    options = {"k": 20, "map_cutoff": 90, "radius": 1, "ties": ties, "n_bits": n_bits}
    given = evaluate(
        queries,
        da.from_array(codes, chunks=(SIZES, 1)),
        query_labels,
        da.from_array(database_labels, chunks=50),
        **options,
    )
    assert given == locally(queries, codes, query_labels, database_labels, **options)


@pytest.mark.parametrize("ties", ["expected", "neutral", "insertion"])
def test_arrays_in_memory_are_cut_into_shards(client, ties, monkeypatch):
    given = problem(one_label, 16)
    wanted = locally(*given, ties=ties)
    assert evaluate(*given, ties=ties) == wanted
    monkeypatch.setattr(shards, "SHARD_BYTES", 64)
    assert evaluate(*given, ties=ties) == wanted


def test_ids_decide_the_order_of_ties(client):
    given = problem(one_label, 8)
    ids = np.random.default_rng(0).permutation(5 * N)[:N]
    for one in (ids, [f"item {i}" for i in ids]):
        wanted = locally(*given, ties="neutral", ids=one)
        assert evaluate(*given, ties="neutral", ids=one) == wanted
        assert wanted != locally(*given, ties="neutral")
    with pytest.raises(ValueError, match=f"ids must have {N} entries, one per item; got 3"):
        evaluate(*given, ties="neutral", ids=[1, 2, 3])


@pytest.mark.parametrize("ties", ["expected", "neutral", "insertion"])
def test_batches_of_queries_change_nothing(client, ties, monkeypatch):
    given = problem(several_labels, 16)
    monkeypatch.setattr(shards, "BATCH_QUERIES", 7)
    assert evaluate(*given, ties=ties) == locally(*given, ties=ties)


def test_labels_in_memory_go_with_codes_on_the_cluster_and_the_other_way_round(client):
    queries, codes, query_labels, labels = problem(one_label, 16)
    wanted = locally(queries, codes, query_labels, labels)
    chunks = (SIZES, -1)
    assert evaluate(queries, da.from_array(codes, chunks=chunks), query_labels, labels) == wanted
    assert evaluate(queries, codes, query_labels, da.from_array(labels, chunks=70)) == wanted


def test_sparse_labels_are_cut_too(client):
    queries, codes, query_labels, labels = problem(several_labels, 16)
    wanted = locally(queries, codes, query_labels, labels)
    labels = sparse.csr_array(labels)
    assert evaluate(queries, codes, sparse.coo_array(query_labels), labels) == wanted
    assert evaluate(queries, da.from_array(codes, chunks=(90, 2)), query_labels, labels) == wanted


def test_a_dataframe_gives_codes_and_labels_of_unknown_length(client):
    queries, codes, query_labels, labels = problem(words, 16)
    frame = dd.from_pandas(pd.DataFrame(codes).assign(label=labels), npartitions=3)
    unknown = frame[[0, 1]].to_dask_array()
    given = evaluate(queries, unknown, query_labels, frame["label"])
    assert given == locally(queries, codes, query_labels, labels)


def test_queries_with_nothing_relevant_are_treated_alike(client):
    queries, codes, query_labels, labels = problem(one_label, 16)
    query_labels[:5] = 99
    assert evaluate(queries, codes, query_labels, labels) == locally(
        queries, codes, query_labels, labels
    )


@pytest.mark.parametrize(
    "change",
    [
        {"k": 0},
        {"map_cutoff": 0},
        {"radius": -1},
        {"ties": "random"},
        {"n_bits": 20},
        {"codes": np.zeros((N, 3), dtype=np.uint8)},
        {"codes": np.zeros((N, 2))},
        {"labels": np.zeros((N, 2), dtype=int)},
        {"labels": np.array(["cat"] * N)},
        {"labels": np.full(N, np.nan)},
    ],
    ids=lambda change: next(iter(change)),
)
def test_what_is_refused_locally_is_refused_alike(client, change):
    queries, codes, query_labels, labels = problem(one_label, 16)
    codes, labels = change.pop("codes", codes), change.pop("labels", labels)
    with pytest.raises(ValueError) as wanted:  # noqa: PT011
        locally(queries, codes, query_labels, labels, **change)
    with pytest.raises(ValueError) as given:  # noqa: PT011
        evaluate(queries, codes, query_labels, labels, **change)
    assert str(given.value) == str(wanted.value)


@pytest.mark.parametrize(
    ("labels", "complaint"),
    [
        (np.zeros(N - 1), f"database_labels must have {N} rows, as database_codes; got {N - 1}"),
        (da.zeros(N - 1, chunks=50), f"got {N - 1}"),
    ],
    ids=["memory", "chunks"],
)
def test_as_many_labels_as_codes_are_taken(client, labels, complaint):
    queries, codes, query_labels, _ = problem(one_label, 16)
    with pytest.raises(ValueError, match=complaint):
        evaluate(queries, codes, query_labels, labels)
    with pytest.raises(ValueError, match="query_labels must have 30 rows, as query_codes; got 29"):
        evaluate(queries, codes, query_labels[1:], one_label(N, 0))


def test_chunks_of_unknown_length_take_the_same_chunks(client):
    queries, codes, query_labels, labels = problem(one_label, 16)
    unknown = dd.from_pandas(pd.DataFrame(codes), npartitions=2).to_dask_array()
    with pytest.raises(ValueError, match="compute_chunk_sizes"):
        evaluate(queries, unknown, query_labels, labels)
    with pytest.raises(ValueError, match="same chunks; got 3 and 2"):
        evaluate(queries, unknown, query_labels, da.from_array(labels, chunks=((1, 2, N - 3),)))
    with pytest.raises(ValueError, match=r"got chunks of 100 and (99|101) rows"):
        evaluate(queries, unknown, query_labels, da.from_array(labels, chunks=((99, N - 99),)))
