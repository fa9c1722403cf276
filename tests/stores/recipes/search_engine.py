"""A stand-in for OpenSearch and Elasticsearch, which answers as their documentation says."""

import json

import numpy as np


def bits_of(signed):
    """Return the bits of signed bytes, the highest first: 99 is 0, 1, 1, 0, 0, 0, 1, 1."""
    return [(byte & 0xFF) >> shift & 1 for byte in signed for shift in range(7, -1, -1)]


def opensearch_score(distance, dims):
    return 1 / (1 + distance)


def elasticsearch_score(distance, dims):
    return (dims - distance) / dims


class SearchEngine:
    """An index of documents: `bulk` fills it, `search` reads a body and answers."""

    def __init__(self, body, score):
        code = body["mappings"]["properties"]["code"]
        self.dims = code.get("dims", code.get("dimension"))
        assert self.dims % 8 == 0
        self.fields = set(body["mappings"]["properties"])
        self.score = score
        self.documents = {}

    def bulk(self, body):
        assert body.endswith("\n")
        lines = [json.loads(line) for line in body.splitlines()]
        for action, document in zip(lines[::2], lines[1::2], strict=True):
            assert set(document) == self.fields
            assert len(document["code"]) * 8 == self.dims
            assert all(-128 <= byte <= 127 for byte in document["code"])
            self.documents[action["index"]["_id"]] = document
        items = [{"index": {"_id": action["index"]["_id"]}} for action in lines[::2]]
        return {"errors": False, "items": items}

    def search(self, body):
        body = json.loads(json.dumps(body))
        query, allowed, least = self._parts(body)
        hits = []
        for id_, document in self.documents.items():
            score = float(np.float32(self.score(self._distance(query, document), self.dims)))
            if score >= least and fulfils(document, allowed):
                hits.append({"_id": id_, "_score": score, "sort": [score, document["id"]]})
        if "sort" in body:
            assert body["sort"] == [{"_score": "desc"}, {"id": "asc"}]
            assert body["track_scores"]
            hits.sort(key=lambda hit: (-hit["_score"], hit["sort"][1]))
        else:
            hits.sort(key=lambda hit: -hit["_score"])
        found = {"hits": hits[: body["size"]]}
        counted = body.get("track_total_hits", 10_000)
        if counted is True:
            found["total"] = {"value": len(hits), "relation": "eq"}
        elif counted:
            more = len(hits) > counted
            found["total"] = {"value": min(len(hits), counted), "relation": "gte" if more else "eq"}
        return {"timed_out": False, "_shards": {"total": 1, "failed": 0}, "hits": found}

    def _parts(self, body):
        if "knn" in body:  # Elasticsearch's section
            assert body["knn"]["k"] <= body["knn"]["num_candidates"]
            return body["knn"]["query_vector"], body["knn"].get("filter"), 0
        if "knn" in body["query"]:  # OpenSearch's query
            knn = body["query"]["knn"]["code"]
            return knn["vector"], knn.get("filter"), 0
        scored = body["query"]["script_score"]
        params = scored["script"]["params"]
        query = params.get("query_value", params.get("queryVector"))
        return query, scored["query"], scored.get("min_score", 0)

    def _distance(self, query, document):
        assert len(query) == len(document["code"])
        return sum(a != b for a, b in zip(bits_of(query), bits_of(document["code"]), strict=True))


def fulfils(document, query):
    """Tell whether a document fulfils a query of the kinds that the recipes use."""
    if query is None:
        return True
    ((kind, content),) = query.items()
    if kind == "bool":
        return all(fulfils(document, clause) for clause in content["filter"])
    if kind in ("match_all", "match_none"):
        return kind == "match_all"
    ((field, wanted),) = content.items()
    value = document[field]
    if kind == "terms":
        return value in wanted
    assert kind == "range"
    signs = {"gte": lambda bound: value >= bound, "lte": lambda bound: value <= bound}
    return all(signs[name](bound) for name, bound in wanted.items())
