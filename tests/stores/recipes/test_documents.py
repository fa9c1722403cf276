"""OpenSearch and Elasticsearch get documents that give back codes, distances and neighbours."""

import json
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashlearn.search import unpack_codes
from hashlearn.stores import StoreError
from hashlearn.stores.recipes import elasticsearch, make_layout, opensearch
from hashlearn.stores.recipes.documents import bulk_bodies, check_bulk
from tests.search.brute_force import random_codes
from tests.stores.recipes.items import COLUMNS, WHERES, as_lists, expected, values_of
from tests.stores.recipes.search_engine import (
    SearchEngine,
    bits_of,
    elasticsearch_score,
    opensearch_score,
)


class Kind(NamedTuple):
    recipe: object
    score: object

    def engine_with(self, layout, packed, ids, values=None):
        engine = SearchEngine(self.recipe.index_body(layout), self.score)
        for body in self.recipe.bulk_bodies(layout, packed, ids, values, batch_size=100):
            assert self.recipe.check_bulk(engine.bulk(body)) == body.count("\n") // 2
        return engine


KINDS = {
    "opensearch": Kind(opensearch, opensearch_score),
    "elasticsearch": Kind(elasticsearch, elasticsearch_score),
}


QUERY = np.zeros(2, dtype=np.uint8)


@pytest.fixture(params=KINDS)
def kind(request):
    return KINDS[request.param]


@pytest.mark.parametrize("first", range(1, 131, 26))
def test_codes_come_back_at_their_distances(kind, first):
    for n_bits in range(first, first + 26):
        random = np.random.default_rng(n_bits)
        layout, packed = make_layout(n_bits), random_codes(random, 12, n_bits)
        ids = np.arange(12) * 5 - 20
        engine = kind.engine_with(layout, packed, ids)
        stored = [bits_of(document["code"]) for document in engine.documents.values()]
        assert np.array_equal(np.array(stored)[:, :n_bits], unpack_codes(packed, n_bits))
        assert not np.array(stored)[:, n_bits:].any()
        for query in random.permutation(packed)[:2]:
            answer = engine.search(kind.recipe.nearest(layout, query, 12))
            assert as_lists(kind.recipe.read(layout, answer)) == expected(query, packed, ids)


@given(n_bits=st.integers(1, 4096), seed=st.integers(0, 2**32 - 1))
@pytest.mark.parametrize("name", KINDS)
def test_a_score_of_32_bits_tells_every_distance(name, n_bits, seed):
    kind, layout = KINDS[name], make_layout(n_bits)
    distances = np.random.default_rng(seed).integers(0, n_bits + 1, 50)
    scores = kind.score(distances, -(-n_bits // 8) * 8).astype(np.float32)
    hits = [{"_id": str(i), "_score": float(score)} for i, score in enumerate(scores)]
    found = kind.recipe.read(layout, {"hits": {"hits": hits}})
    assert np.array_equal(found.distances, np.sort(distances))


@pytest.mark.parametrize("radius", [0, 1, 5, 12, 13, pytest.param(10**400, id="huge")])
def test_within_finds_all_and_no_more(kind, radius, random):
    layout, packed, ids = make_layout(13), random_codes(random, 200, 13), np.arange(200)
    engine = kind.engine_with(layout, packed, ids)
    answer = engine.search(kind.recipe.within(layout, packed[0], radius))
    assert as_lists(kind.recipe.read(layout, answer)) == expected(
        packed[0], packed, ids, radius=radius
    )


def test_within_is_whole_or_an_error(kind, random):
    layout, packed = make_layout(13), random_codes(random, 40, 13)
    engine = kind.engine_with(layout, packed, np.arange(40))
    answer = engine.search(kind.recipe.within(layout, packed[0], 13, limit=40))
    assert len(kind.recipe.read(layout, answer).ids) == 40
    answer = engine.search(kind.recipe.within(layout, packed[0], 13, limit=39))
    with pytest.raises(StoreError, match=r"39 of at least 40 items came; .* a smaller radius"):
        kind.recipe.read(layout, answer)


def test_a_count_that_is_cut_is_an_error(kind):
    found = {"hits": [{"_id": "1", "_score": 1.0}], "total": {"value": 1, "relation": "gte"}}
    with pytest.raises(StoreError, match="1 of at least 1 items came"):
        kind.recipe.read(make_layout(8), {"hits": found})


@pytest.mark.parametrize("effort", [None, 100])
def test_the_k_nearest_are_whole_where_there_are_more(kind, effort, random):
    layout, packed, ids = make_layout(64), random_codes(random, 40, 64), np.arange(40)
    engine = kind.engine_with(layout, packed, ids)
    answer = engine.search(kind.recipe.nearest(layout, packed[0], 1, effort=effort))
    assert as_lists(kind.recipe.read(layout, answer)) == ([0], [0])


@pytest.mark.parametrize("effort", [None, 100])
@pytest.mark.parametrize("where", WHERES)
def test_where_is_fulfilled(kind, where, effort, random):
    n, given_where, fulfilled = 120, *WHERES[where]
    layout, ids, values = make_layout(9, COLUMNS), np.arange(n), values_of(n)
    packed = random_codes(random, n, 9)
    engine = kind.engine_with(layout, packed, ids, values)
    body = kind.recipe.nearest(layout, packed[3], n, given_where, effort=effort)
    found = kind.recipe.read(layout, engine.search(body))
    allowed = fulfilled(values, ids)
    assert as_lists(found) == expected(packed[3], packed, ids, allowed=allowed)
    body = kind.recipe.within(layout, packed[3], 3, given_where)
    found = kind.recipe.read(layout, engine.search(body))
    assert as_lists(found) == expected(packed[3], packed, ids, radius=3, allowed=allowed)


def test_what_is_sent_again_replaces_what_is_there(kind, random):
    layout, packed, ids = make_layout(16), random_codes(random, 10, 16), np.arange(10)
    engine = kind.engine_with(layout, packed, ids)
    for body in bulk_bodies(layout, packed[::-1], ids):
        engine.bulk(body)
    assert len(engine.documents) == 10
    assert bits_of(engine.documents["0"]["code"]) == unpack_codes(packed, 16)[9].tolist()


def test_bodies_are_cut_and_end_with_a_line(random):
    layout, packed = make_layout(8, {"digit": int}), random_codes(random, 5, 8)
    bodies = list(bulk_bodies(layout, packed, range(5), {"digit": range(5)}, batch_size=2))
    assert [body.count("\n") for body in bodies] == [4, 4, 2]
    assert all(body.endswith("\n") for body in bodies)
    assert list(bulk_bodies(layout, packed[:0], [], {"digit": []})) == []


def test_large_ids_and_values_stay_whole():
    layout, largest = make_layout(8, {"digit": int}), 2**63 - 1
    packed = np.zeros((2, 1), dtype=np.uint8)
    (body,) = bulk_bodies(layout, packed, [largest, -largest], {"digit": [largest, -largest - 1]})
    _, first, action, last = map(json.loads, body.splitlines())
    assert first == {"id": largest, "code": [0], "digit": largest}
    assert action == {"index": {"_id": str(-largest)}}
    assert last["digit"] == -largest - 1


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_numbers_that_json_has_not_are_refused_before_the_first_body(value):
    layout, codes = make_layout(8, {"weight": float}), np.zeros((2, 1), dtype=np.uint8)
    with pytest.raises(ValueError, match="values of 'weight' hold"):
        bulk_bodies(layout, codes, [1, 2], {"weight": [0.0, value]}, batch_size=1)


def test_a_bulk_answer_with_errors_is_one():
    wrong = {"type": "mapper_parsing_exception", "reason": "failed to parse field [code]"}
    answer = {
        "errors": True,
        "items": [{"index": {"_id": "1"}}, {"index": {"_id": "2", "error": wrong}}],
    }
    with pytest.raises(StoreError, match=r"1 of 2 documents .* '2', since: failed to parse field"):
        check_bulk(answer)


@pytest.mark.parametrize("error", [{"type": "parsing_exception", "reason": "no [x]"}, "no [x]"])
def test_a_refused_request_is_an_error(kind, error):
    answer = {"error": error, "status": 400}
    with pytest.raises(StoreError, match=r"refused: no \[x\]"):
        kind.recipe.read(make_layout(8), answer)
    with pytest.raises(StoreError, match=r"refused: no \[x\]"):
        check_bulk(answer)


@pytest.mark.parametrize("part", [{"timed_out": True}, {"_shards": {"total": 2, "failed": 1}}])
def test_an_answer_that_is_not_whole_is_an_error(kind, part):
    with pytest.raises(StoreError, match="not whole"):
        kind.recipe.read(make_layout(8), {"hits": {"hits": []}, **part})


@pytest.mark.parametrize(
    ("query", "k", "options", "reason"),
    [
        (np.zeros((1, 2), dtype=np.uint8), 1, {}, r"query has shape \(1, 2\)"),
        (np.zeros(3, dtype=np.uint8), 1, {}, "3 bytes wide"),
        (np.full(2, 255, dtype=np.uint8), 1, {}, "padding bits must be 0"),
        (QUERY, 0, {}, "k=0"),
        (QUERY, 1, {"effort": 0}, "effort=0"),
        (QUERY, 1, {"where": {"id) or 1": 1}}, "where names column"),
    ],
)
def test_wrong_queries_are_refused(kind, query, k, options, reason):
    with pytest.raises(ValueError, match=reason):
        kind.recipe.nearest(make_layout(13), query, k, **options)


def test_wrong_radii_are_refused(kind):
    with pytest.raises(ValueError, match="radius must be"):
        kind.recipe.within(make_layout(13), QUERY, -1)
    with pytest.raises(ValueError, match="limit=0"):
        kind.recipe.within(make_layout(13), QUERY, 1, limit=0)
