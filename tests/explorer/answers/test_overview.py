"""Whole-set measures are the means of the library's own measures."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from hashlearn.explorer.answers import overview as module
from hashlearn.explorer.answers.overview import overview, overview_queries
from hashlearn.explorer.errors import NoAnswerError
from hashlearn.metrics import (
    PrecisionRecallCurve,
    average_precision,
    precision_at_k,
    precision_recall_curve,
)
from tests.explorer.small import collection_of, learned_collection, random_collection


def measured_one_by_one(collection, method, bits, positions, cutoff, ks):
    """Return the measures of queries, each against a database that lacks it."""
    packed = collection.methods[method].first_bits(np.arange(collection.n_items), bits)
    curves, averages, precisions = [], [], []
    for position in positions:
        others = np.delete(np.arange(collection.n_items), position)
        relevance = collection.labels.relevance(np.array([position])).block(0, 1)[:, others]
        given = packed[[position]], packed[others], relevance
        precisions.append([precision_at_k(*given, k, n_bits=bits)[0] for k in ks])
        if relevance.any():
            curves.append(precision_recall_curve(*given, n_bits=bits))
            averages.append(
                average_precision(*given, k=cutoff, denominator="found", n_bits=bits)[0]
            )
    curve = PrecisionRecallCurve(*np.mean(curves, axis=0))
    return curve, np.mean(averages), np.mean(precisions, axis=0)


@pytest.mark.parametrize(
    ("collection", "method", "bits"),
    [
        (learned_collection(60, curve_queries=np.arange(5, 25)), "lsh", 21),
        (learned_collection(60, curve_queries=np.arange(5, 25)), "itq", 3),
        (random_collection(3, n_items=25, n_bits=13, several=True), "codes", 13),
        (learned_collection(1100, curve_queries=np.array([3, 500])), "codes", 8),
        (collection_of(np.eye(4, dtype=int), labels=["a", "b", "", "b"]), "codes", 2),
    ],
    ids=["held out", "few bits", "several labels", "cut off", "lone and missing labels"],
)
def test_an_overview_is_the_mean_of_the_measures(collection, method, bits):
    found = overview(collection, method, bits)
    positions = overview_queries(collection)
    curve, average, precision = measured_one_by_one(
        collection, method, bits, positions, found.map_cutoff, found.precision_at.k
    )
    assert found.n_queries == len(positions)
    assert found.map_cutoff == min(1000, collection.n_items - 1)
    np.testing.assert_allclose(found.curve.precision, curve.precision, rtol=1e-12)
    np.testing.assert_allclose(found.curve.recall, curve.recall, rtol=1e-12)
    np.testing.assert_allclose(found.pr_area, curve.area, rtol=1e-12)
    np.testing.assert_allclose(found.mean_average_precision, average, rtol=1e-12)
    np.testing.assert_allclose(found.precision_at.precision, precision, rtol=1e-12)
    assert found.curve.recall[-1] == pytest.approx(1)


def test_all_bits_are_used_unless_told(collection):
    assert overview(collection, "itq") is overview(collection, "itq", 12)
    assert overview(collection, "itq").held_out is False


def test_queries_are_those_held_out():
    collection = learned_collection(60, curve_queries=np.array([9, 3, 3]))
    assert overview_queries(collection).tolist() == [3, 9]
    assert overview(collection, "lsh").held_out is True


def test_many_queries_are_sampled_always_the_same_ones():
    labels = np.arange(1000) % 7
    bits = (np.arange(1000)[:, None] >> np.arange(10)) & 1
    collection = collection_of(bits, labels)
    positions = overview_queries(collection)
    assert len(set(positions.tolist())) == len(positions) == 500
    assert (overview_queries(collection_of(bits, labels)) == positions).all()
    held_out = collection_of(bits, labels, curve_queries=np.arange(100, 800))
    assert set(overview_queries(held_out).tolist()) < set(range(100, 800))


def test_items_without_labels_are_no_queries():
    collection = collection_of([[0], [1], [0]], labels=["", "a", "a"])
    assert overview_queries(collection).tolist() == [1, 2]
    assert overview_queries(collection_of([[0], [1]])).tolist() == []


@pytest.mark.parametrize(
    ("labels", "said"),
    [(None, "no labels"), (["a", "b"], "nothing to find"), (["", ""], "nothing to find")],
)
def test_without_anything_to_find_there_is_no_overview(labels, said):
    with pytest.raises(NoAnswerError, match=said):
        overview(collection_of([[0], [1]], labels), "codes")


def test_fifty_threads_measure_once(monkeypatch):
    collection, measured = learned_collection(40), []
    measure = module._measure
    monkeypatch.setattr(module, "_measure", lambda *given: measured.append(1) or measure(*given))
    with ThreadPoolExecutor(50) as threads:
        asked = [threads.submit(overview, collection, "lsh", 9) for _ in range(50)]
        assert len({id(future.result()) for future in asked}) == len(measured) == 1
