"""OpenSearch: `knn_vector` fields of binary data, by Hamming distance, from version 2.16 on.

A byte's highest bit is the first (0, 1, 1, 0, 0, 0, 1, 1 is 99 in [1]_), as in packed codes, and
bytes have a sign. So a code's own bytes are sent, padded with zeros to whole bytes. The space is
given to the method [2]_: version 2.16 knows it nowhere else. Scores are 1 / (1 + d) in exact and
approximate search [3]_; exact search is by the script `knn_score` [4]_ with `min_score` [5]_ for a
radius, since radial search (`max_distance`) refuses binary data [6]_; approximate search is the
`knn` query with `filter` and `ef_search` [7]_. `track_total_hits` counts all items that a search
finds, or none [8]_.

References
----------
.. [1] OpenSearch documentation, "Memory-optimized vectors", section "Binary vectors".
.. [2] OpenSearch documentation, "Methods and engines", section "Common parameters".
.. [3] OpenSearch documentation, "Spaces".
.. [4] OpenSearch documentation, "Exact k-NN search with a scoring script".
.. [5] OpenSearch documentation, "Script score query".
.. [6] Issue 9146 of opensearch-project/documentation-website.
.. [7] OpenSearch documentation, "k-NN query".
.. [8] OpenSearch documentation, "Search API".
"""

from __future__ import annotations

from typing import Any

from hashlearn.stores.batches import Layout
from hashlearn.stores.recipes.documents import bulk_bodies, check_bulk, properties
from hashlearn.stores.recipes.items import padded_bits
from hashlearn.stores.recipes.searches import Engine

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
        "method": {"name": "hnsw", "engine": "faiss", "space_type": "hamming"},
    }
    return {
        "settings": {"index": {"knn": True}},
        "mappings": {"properties": properties(layout, code)},
    }


def _script(code: list[int], n_bits: int) -> dict[str, Any]:
    params = {"field": "code", "query_value": code, "space_type": "hamming"}
    return {"source": "knn_score", "lang": "knn", "params": params}


def _graph(code: list[int], k: int, effort: int, allowed: dict[str, Any] | None) -> dict[str, Any]:
    knn: dict[str, Any] = {"vector": code, "k": k, "method_parameters": {"ef_search": effort}}
    if allowed is not None:
        knn["filter"] = allowed
    return {"query": {"knn": {"code": knn}}}


_engine = Engine(
    script=_script,
    graph=_graph,
    score=lambda distance, n_bits: 1 / (1 + distance),
    distances=lambda scores, n_bits: 1 / scores - 1,
)
nearest, within, read = _engine.nearest, _engine.within, _engine.read
