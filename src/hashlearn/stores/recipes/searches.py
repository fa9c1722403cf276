"""How OpenSearch and Elasticsearch are searched: what differs is an `Engine`, the rest is here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hashlearn._numerics.checks import check_radius
from hashlearn.stores.batches import Found, Layout
from hashlearn.stores.checks import check_count
from hashlearn.stores.errors import StoreError
from hashlearn.stores.recipes.documents import check_accepted, signed_bytes
from hashlearn.stores.recipes.items import as_code, padded_bits
from hashlearn.stores.where import Condition, OneOf, Where, as_conditions

MAX_HITS = 10_000  # both engines' index.max_result_window, unless an index sets another


@dataclass(frozen=True)
class Engine:
    """What differs between the two engines, and searches made of it.

    Attributes
    ----------
    script : callable
        Takes a query's signed bytes and the bits of a code; returns what scores a document.
    graph : callable
        Takes a query's signed bytes, k, the effort and a filter, which may be None; returns a
        search of the graph.
    score : callable
        Takes a distance and the bits of a code; returns the score, which decreases.
    distances : callable
        Takes scores and the bits of a code; returns the distances.
    """

    script: Callable[[list[int], int], dict[str, Any]]
    graph: Callable[[list[int], int, int, dict[str, Any] | None], dict[str, Any]]
    score: Callable[[float, int], float]
    distances: Callable[[np.ndarray, int], np.ndarray]

    def nearest(
        self,
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
            Search the graph, and look at so many candidates: OpenSearch's `ef_search`,
            Elasticsearch's `num_candidates`, which is at least k. Unless given, the search is
            exact: it scores every item that `where` allows, and takes equal distances by id.
        """
        k = check_count(k, "k")
        code, allowed = signed_bytes(as_code(layout, query)), _matching(layout, where)
        if effort is None:
            search = _scored(self.script(code, padded_bits(layout)), allowed)
        else:
            search = self.graph(code, k, check_count(effort, "effort"), allowed)
        return {"size": k, "_source": False, "track_total_hits": False, **search}

    def within(
        self,
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
            The most items that come back, as many as the index allows. All items are counted, and
            :func:`read` raises if there are more.
        """
        check_radius(radius)
        limit = check_count(limit, "limit")
        n_bits, reach = padded_bits(layout), min(int(radius), layout.n_bits)
        least = max(0.0, self.score(reach + 0.5, n_bits))  # between this distance and the next
        script = self.script(signed_bytes(as_code(layout, query)), n_bits)
        search = _scored(script, _matching(layout, where), least)
        return {"size": limit, "_source": False, "track_total_hits": True, **search}

    def read(self, layout: Layout, answer: Mapping[str, Any]) -> Found:
        """Return the ids and distances of an answer, by distance and then by id.

        Parameters
        ----------
        layout : Layout
            What `make_layout` returned.
        answer : mapping
            What a search answered, read from JSON.

        Raises
        ------
        StoreError
            If the search was refused, or the answer is not whole.

        Examples
        --------
        >>> from hashlearn.stores.recipes import make_layout, opensearch
        >>> answer = {"hits": {"hits": [{"_id": "7", "_score": 0.25}]}}
        >>> opensearch.read(make_layout(64), answer)
        Found(ids=array([7]), distances=array([3]))
        """
        _check_whole(answer)
        hits = answer["hits"]["hits"]
        ids = np.array([int(hit["_id"]) for hit in hits], dtype=np.int64)
        scores = np.array([hit["_score"] for hit in hits], dtype=np.float64)
        distances = np.rint(self.distances(scores, padded_bits(layout)))
        return Found(ids, distances.astype(np.int64)).in_order()


def _matching(layout: Layout, where: Where | None) -> dict[str, Any] | None:
    """Return a query for the documents that fulfil all conditions; None if there are none."""
    conditions = as_conditions(where, layout.columns)
    return {"bool": {"filter": [_clause(one) for one in conditions]}} if conditions else None


def _clause(condition: Condition) -> dict[str, Any]:
    if isinstance(condition, OneOf):
        one_of = {"terms": {condition.column: list(condition.values)}}
        return one_of if condition.values else {"match_none": {}}
    bounds = {"gte": condition.low, "lte": condition.high}
    given = {name: bound for name, bound in bounds.items() if bound is not None}
    return {"range": {condition.column: given}}


def _scored(
    script: dict[str, Any], allowed: dict[str, Any] | None, least: float | None = None
) -> dict[str, Any]:
    """Return a search that scores every document by a script, equal ones by id."""
    scored: dict[str, Any] = {"query": allowed or {"match_all": {}}, "script": script}
    if least is not None:
        scored["min_score"] = least
    return {
        "track_scores": True,
        "sort": [{"_score": "desc"}, {"id": "asc"}],
        "query": {"script_score": scored},
    }


def _check_whole(answer: Mapping[str, Any]) -> None:
    """Raise if hits are missing; they are counted where the search asked for all of them."""
    check_accepted(answer)
    if answer.get("timed_out") or answer.get("_shards", {}).get("failed"):
        raise StoreError("the answer is not whole: the search ran out of time, or a shard failed.")
    n_hits, total = len(answer["hits"]["hits"]), answer["hits"].get("total")
    if total is not None and (total["value"] > n_hits or total["relation"] != "eq"):
        raise StoreError(
            f"the answer is not whole: {n_hits:,} of at least {total['value']:,} items came; "
            "search within a smaller radius."
        )
