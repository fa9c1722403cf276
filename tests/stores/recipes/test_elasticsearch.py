"""What is sent to Elasticsearch is what its documentation shows."""

import json

import numpy as np

from hashlearn.search import pack_codes
from hashlearn.stores.recipes import elasticsearch, make_layout
from tests.search.brute_force import distances_between

# "Indexing & searching bit vectors": two vectors of 40 bits, as bits and as signed bytes.
BITS = ["1000000100000000000000010010101001111111", "0111111110000001000000000000000100101010"]
SIGNED = [[-127, 0, 1, 42, 127], [127, -127, 0, 1, 42]]
DISTANCE, SCORE = 18, 0.55


def documented_codes():
    return pack_codes([[int(bit) for bit in bits] for bits in BITS])


def test_an_index_is_described_as_documented():
    assert elasticsearch.index_body(make_layout(33, {"flag": bool, "digit": int})) == {
        "mappings": {
            "properties": {
                "id": {"type": "long"},
                "code": {
                    "type": "dense_vector",
                    "element_type": "bit",
                    "dims": 40,
                    "similarity": "l2_norm",
                },
                "flag": {"type": "boolean"},
                "digit": {"type": "long"},
            }
        },
    }


def test_documented_bits_become_the_documented_bytes():
    (body,) = elasticsearch.bulk_bodies(make_layout(40), documented_codes(), [1, 2])
    lines = [json.loads(line) for line in body.splitlines()]
    assert lines == [
        {"index": {"_id": "1"}},
        {"id": 1, "code": SIGNED[0]},
        {"index": {"_id": "2"}},
        {"id": 2, "code": SIGNED[1]},
    ]


def test_the_documented_score_is_the_distance():
    codes = documented_codes()
    assert distances_between(codes[:1], codes[1:]) == DISTANCE
    hits = [{"_id": "1", "_score": 1.0}, {"_id": "2", "_score": SCORE}]
    found = elasticsearch.read(make_layout(40), {"hits": {"hits": hits}})
    assert found.ids.tolist() == [1, 2]
    assert found.distances.tolist() == [0, DISTANCE]


def test_an_approximate_search_is_written_as_documented():
    layout = make_layout(40, {"digit": int})
    body = elasticsearch.nearest(layout, documented_codes()[0], 10, {"digit": 3}, effort=5)
    assert body == {
        "size": 10,
        "_source": False,
        "track_total_hits": False,
        "knn": {
            "field": "code",
            "query_vector": SIGNED[0],
            "k": 10,
            "num_candidates": 10,  # not below k
            "filter": {"bool": {"filter": [{"terms": {"digit": [3]}}]}},
        },
    }


def test_an_exact_search_is_written_as_documented():
    body = elasticsearch.within(make_layout(40), documented_codes()[0], DISTANCE)
    scored = body["query"]["script_score"]
    assert scored["script"] == {
        "source": "(params.dims - hamming(params.queryVector, 'code')) / params.dims",
        "params": {"dims": 40, "queryVector": SIGNED[0]},
    }
    assert np.float32(SCORE) > scored["min_score"] > np.float32((40 - DISTANCE - 1) / 40)
    assert body["size"] == 10_000
    assert body["track_total_hits"] is True


def test_no_least_score_is_negative():
    body = elasticsearch.within(make_layout(40), documented_codes()[0], 10**6)
    assert body["query"]["script_score"]["min_score"] == 0
