"""What is sent to OpenSearch is what its documentation shows."""

from hashlearn.search import pack_codes
from hashlearn.stores.recipes import make_layout, opensearch

QUERY = pack_codes([[0, 1, 1, 0, 0, 0, 1, 1, 1]])[0]  # its bytes are 99 and 128


def test_an_index_is_described_as_documented():
    assert opensearch.index_body(make_layout(9, {"price": float, "name": str})) == {
        "settings": {"index": {"knn": True}},
        "mappings": {
            "properties": {
                "id": {"type": "long"},
                "code": {
                    "type": "knn_vector",
                    "dimension": 16,
                    "data_type": "binary",
                    "method": {"name": "hnsw", "engine": "faiss", "space_type": "hamming"},
                },
                "price": {"type": "double"},
                "name": {"type": "keyword"},
            }
        },
    }


def test_an_approximate_search_is_written_as_documented():
    layout = make_layout(9, {"digit": int})
    assert opensearch.nearest(layout, QUERY, 2, {"digit": [3, 5]}, effort=100) == {
        "size": 2,
        "_source": False,
        "track_total_hits": False,
        "query": {
            "knn": {
                "code": {
                    "vector": [99, -128],
                    "k": 2,
                    "method_parameters": {"ef_search": 100},
                    "filter": {"bool": {"filter": [{"terms": {"digit": [3, 5]}}]}},
                }
            }
        },
    }


def test_an_exact_search_is_written_as_documented():
    script = {
        "source": "knn_score",
        "lang": "knn",
        "params": {"field": "code", "query_value": [99, -128], "space_type": "hamming"},
    }
    body = opensearch.within(make_layout(9), QUERY, 2)
    scored = body["query"]["script_score"]
    assert scored["query"] == {"match_all": {}}
    assert scored["script"] == script
    assert 1 / 4 < scored["min_score"] < 1 / 3
    assert body["size"] == 10_000
    assert body["track_total_hits"] is True


def test_documented_hits_are_read():
    """The answer of "Memory-optimized vectors": codes 10 and 15 are 1 and 3 bits from 8."""
    hits = [{"_id": "2", "_score": 0.5}, {"_id": "3", "_score": 0.25}]
    found = opensearch.read(make_layout(8), {"timed_out": False, "hits": {"hits": hits}})
    assert found.ids.tolist() == [2, 3]
    assert found.distances.tolist() == [1, 3]
    assert [(code ^ 8).bit_count() for code in (10, 15)] == [1, 3]


def test_no_hits_are_no_items():
    found = opensearch.read(make_layout(8), {"hits": {"hits": []}})
    assert found.ids.shape == found.distances.shape == (0,)
