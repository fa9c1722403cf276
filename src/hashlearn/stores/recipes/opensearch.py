"""OpenSearch: `knn_vector` fields of binary data, by Hamming distance, from version 2.16 on.

A byte's highest bit is the first (0, 1, 1, 0, 0, 0, 1, 1 is 99 in [1]_), as in packed codes, and
bytes have a sign. So a code's own bytes are sent, padded with zeros to whole bytes. Scores are
1 / (1 + d) in exact and approximate search [2]_; exact search is by the script `knn_score` [3]_
with `min_score` [4]_ for a radius, since radial search (`max_distance`) refuses binary data [5]_;
approximate search is the `knn` query with `filter` and `ef_search` [6]_.

References
----------
.. [1] OpenSearch documentation, "Memory-optimized vectors", section "Binary vectors".
.. [2] OpenSearch documentation, "Spaces".
.. [3] OpenSearch documentation, "Exact k-NN search with a scoring script".
.. [4] OpenSearch documentation, "Script score query".
.. [5] Issue 9146 of opensearch-project/documentation-website.
.. [6] OpenSearch documentation, "k-NN query".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hashlearn.search.nearest import check_radius
from hashlearn.stores.base import check_count
from hashlearn.stores.batches import Found, Layout
from hashlearn.stores.recipes.documents import (
    MAX_HITS,
    bulk_bodies,
    check_bulk,
    exact_search,
    matching,
    properties,
    read_hits,
    signed_bytes,
)
from hashlearn.stores.recipes.items import as_code, padded_bits
from hashlearn.stores.where import Where

__all__ = ["bulk_bodies", "check_bulk", "index_body", "nearest", "read", "within"]


def index_body(layout: Layout) -> dict[str, Any]:
    """Return the body that creates an index (``PUT /items``).

    Parameters
    ----------
    layout : Layout
        What `make_layout` returned.

    Examples
    --------
    >>> from hashlearn.stores.recipes import make_layout
    >>> index_body(make_layout(13))["mappings"]["properties"]["code"]["dimension"]
    16
    """
    code = {
        "type": "knn_vector",
        "dimension": padded_bits(layout),
        "data_type": "binary",
        "space_type": "hamming",
        "method": {"name": "hnsw", "engine": "faiss"},
    }
    return {
        "settings": {"index": {"knn": True}},
        "mappings": {"properties": properties(layout, code)},
    }


def nearest(
    layout: Layout,
    query: ArrayLike,
    k: int,
    where: Where | None = None,
    *,
    effort: int | None = None,
) -> dict[str, Any]:
    """Return the body of a search for the k nearest items (``POST /items/_search``).

    Parameters
    ----------
    layout : Layout
        What `make_layout` returned.
    query : array-like of shape (ceil(n_bits / 8),), uint8
        One packed code.
    k : int
        Neighbours, at most 10,000 unless the index allows more.
    where : mapping, optional
        What columns, or "id", of an item must be, as in `Store.search`.
    effort : int, optional
        Search the graph, and look at so many candidates (`ef_search`). Unless given, the search
        is exact: it scores every item that `where` allows, and takes equal distances by id.
    """
    k = check_count(k, "k")
    code, allowed = as_code(layout, query), matching(layout, where)
    if effort is None:
        return exact_search(_script(code), allowed, k)
    knn: dict[str, Any] = {"vector": signed_bytes(code), "k": k}
    knn["method_parameters"] = {"ef_search": check_count(effort, "effort")}
    if allowed is not None:
        knn["filter"] = allowed
    return {"size": k, "_source": False, "query": {"knn": {"code": knn}}}


def within(
    layout: Layout,
    query: ArrayLike,
    radius: int,
    where: Where | None = None,
    *,
    limit: int = MAX_HITS,
) -> dict[str, Any]:
    """Return the body of an exact search for all items within a distance.

    Parameters
    ----------
    layout, query, where
        As in :func:`nearest`.
    radius : int
        The largest distance, at least 0.
    limit : int, default=10000
        The most items that come back, the nearest of them. If so many come, there may be more.
    """
    check_radius(radius)
    limit = check_count(limit, "limit")
    min_score = 1 / (1.5 + int(radius))  # between the scores of radius and radius + 1
    script = _script(as_code(layout, query))
    return exact_search(script, matching(layout, where), limit, min_score)


def read(layout: Layout, answer: Mapping[str, Any]) -> Found:
    """Return the ids and distances of an answer, by distance and then by id.

    Parameters
    ----------
    layout : Layout
        What `make_layout` returned.
    answer : mapping
        What a search answered, read from JSON.

    Examples
    --------
    >>> from hashlearn.stores.recipes import make_layout
    >>> answer = {"hits": {"hits": [{"_id": "7", "_score": 0.25}]}}
    >>> read(make_layout(64), answer)
    Found(ids=array([7]), distances=array([3]))
    """
    return read_hits(answer, lambda scores: 1 / scores - 1)


def _script(code: np.ndarray) -> dict[str, Any]:
    params = {"field": "code", "query_value": signed_bytes(code), "space_type": "hamming"}
    return {"source": "knn_score", "lang": "knn", "params": params}
