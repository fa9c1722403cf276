"""Elasticsearch: `dense_vector` fields of bits, by Hamming distance, from version 8.15 on.

A byte's highest bit is the first (10000001 is -127 in [1]_), as in packed codes, and bytes have a
sign. So a code's own bytes are sent, padded with zeros to whole bytes. Scores of the `knn` section
are (dims - d) / dims [1]_, with `filter` and `num_candidates`, at most 10,000 [2]_. Exact search is
by a script with `hamming`, with `min_score` for a radius [3]_; equal scores are sorted by id, for
which scores have to be tracked [4]_. `track_total_hits` counts all items that a search finds, or
none [5]_.

References
----------
.. [1] Elasticsearch reference, "Dense vector field type", section "Indexing & Searching bit
   vectors".
.. [2] Elasticsearch reference, "Knn query".
.. [3] Elasticsearch reference, "Script score query".
.. [4] Elasticsearch reference, "Sort search results".
.. [5] Elasticsearch reference, "Track total hits".
"""

from __future__ import annotations

from typing import Any

from hashlearn.stores.batches import Layout
from hashlearn.stores.recipes.documents import bulk_bodies, check_bulk, properties
from hashlearn.stores.recipes.items import padded_bits
from hashlearn.stores.recipes.searches import Engine

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


def _script(code: list[int], n_bits: int) -> dict[str, Any]:
    return {"source": SCORE, "params": {"dims": n_bits, "queryVector": code}}


def _graph(code: list[int], k: int, effort: int, allowed: dict[str, Any] | None) -> dict[str, Any]:
    knn: dict[str, Any] = {"field": "code", "query_vector": code, "k": k}
    knn["num_candidates"] = max(effort, k)
    if allowed is not None:
        knn["filter"] = allowed
    return {"knn": knn}


_engine = Engine(
    script=_script,
    graph=_graph,
    score=lambda distance, n_bits: 1 - distance / n_bits,
    distances=lambda scores, n_bits: (1 - scores) * n_bits,
)
nearest, within, read = _engine.nearest, _engine.within, _engine.read
