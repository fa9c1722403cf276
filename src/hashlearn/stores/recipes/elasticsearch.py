"""Elasticsearch: `dense_vector` fields of bits, by Hamming distance, from version 8.15 on.

A byte's highest bit is the first (10000001 is -127 in [1]_), as in packed codes, and bytes have a
sign. So a code's own bytes are sent, padded with zeros to whole bytes. Scores of the `knn` section
are (dims - d) / dims [1]_, with `filter` and `num_candidates`, at most 10,000 [2]_. Exact search is
by a script with `hamming`, with `min_score` for a radius [3]_; equal scores are sorted by id, for
which scores have to be tracked [4]_.

References
----------
.. [1] Elasticsearch reference, "Dense vector field type", section "Indexing & Searching bit
   vectors".
.. [2] Elasticsearch reference, "Knn query".
.. [3] Elasticsearch reference, "Script score query".
.. [4] Elasticsearch reference, "Sort search results".
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

SCORE = "(params.dims - hamming(params.queryVector, 'code')) / params.dims"  # as `knn` scores


def index_body(layout: Layout) -> dict[str, Any]:
    """Return the body that creates an index (``PUT /items``).

    Parameters
    ----------
    layout : Layout
        What `make_layout` returned.

    Examples
    --------
    >>> from hashlearn.stores.recipes import make_layout
    >>> index_body(make_layout(13))["mappings"]["properties"]["code"]["dims"]
    16
    """
    code = {
        "type": "dense_vector",
        "element_type": "bit",
        "dims": padded_bits(layout),
        "similarity": "l2_norm",  # which is Hamming's for bits
    }
    return {"mappings": {"properties": properties(layout, code)}}


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
        Search the graph, and look at so many candidates per shard (`num_candidates`), at least k.
        Unless given, the search is exact: it scores every item that `where` allows, and takes
        equal distances by id.
    """
    k = check_count(k, "k")
    code, allowed = as_code(layout, query), matching(layout, where)
    if effort is None:
        return exact_search(_script(layout, code), allowed, k)
    knn: dict[str, Any] = {"field": "code", "query_vector": signed_bytes(code), "k": k}
    knn["num_candidates"] = max(check_count(effort, "effort"), k)
    if allowed is not None:
        knn["filter"] = allowed
    return {"size": k, "_source": False, "knn": knn}


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
    dims = padded_bits(layout)
    min_score = max(0.0, 1 - (int(radius) + 0.5) / dims)  # between those of radius and radius + 1
    script = _script(layout, as_code(layout, query))
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
    >>> answer = {"hits": {"hits": [{"_id": "7", "_score": 0.55}]}}
    >>> read(make_layout(40), answer)
    Found(ids=array([7]), distances=array([18]))
    """
    return read_hits(answer, lambda scores: (1 - scores) * padded_bits(layout))


def _script(layout: Layout, code: np.ndarray) -> dict[str, Any]:
    params = {"dims": padded_bits(layout), "queryVector": signed_bytes(code)}
    return {"source": SCORE, "params": params}
