"""Milvus: fields of type `BINARY_VECTOR`, by Hamming distance, from version 2.5 on.

A byte's lowest bit is the first (bit i is ``1 << (i % 8)`` of byte ``i // 8`` in [1]_), the other
way round than in packed codes. So the bits of each byte are reversed, which changes no distance,
and codes are padded with zeros to whole bytes. Indexes are BIN_FLAT [2]_, or BIN_IVF_FLAT with
`nlist` and `nprobe` [3]_. A range search finds ``range_filter <= d < radius`` for HAMMING [4]_; of
BIN_IVF_FLAT it looks at one cluster after the other, until `max_empty_result_buckets` of them had
nothing to give [5]_. Values of filters go apart from their text, in `filter_params` [6]_, and
columns cannot be named as the words of that text are [7]_. A search returns at most 16,384 items
per query, and texts have at most 65,535 bytes [8]_.

References
----------
.. [1] Milvus documentation, "Binary Vector".
.. [2] Milvus documentation, "BIN_FLAT".
.. [3] Milvus documentation, "BIN_IVF_FLAT".
.. [4] Milvus documentation, "Range Search".
.. [5] Milvus API reference, "search()".
.. [6] Milvus documentation, "Filter Templating".
.. [7] Grammar of filters, internal/parser/planparserv2/Plan.g4 of milvus-io/milvus.
.. [8] Milvus documentation, "Milvus Limits".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hashlearn._numerics.checks import check_radius
from hashlearn.search.packing import check_packed
from hashlearn.stores.batches import Batch, Found, Layout
from hashlearn.stores.bit_order import reverse_bits
from hashlearn.stores.checks import check_count
from hashlearn.stores.columns import ColumnType
from hashlearn.stores.errors import StoreError
from hashlearn.stores.recipes.items import padded_bits, parts_of
from hashlearn.stores.where import Condition, OneOf, Where, as_conditions

BINARY_VECTOR = 100  # numbers of pymilvus' DataType
TYPES: dict[ColumnType, dict[str, int]] = {
    int: {"datatype": 5},
    float: {"datatype": 11},
    str: {"datatype": 21, "max_length": 65_535},
    bool: {"datatype": 1},
}
MAX_HITS = 16_384
FILTER_WORDS = re.compile(
    "and|or|not|in|like|exists|true|false|null|interval|iso|threshold|minimum_should_match"
    "|(text|phrase)_match|match_(all|any|least|most|exact)|random_sample|element_filter"
    "|(json|array)_contains(_all|_any)?|array_length"
    "|st_(equals|touches|overlaps|crosses|contains|intersects|within|dwithin|isvalid)",
    flags=re.IGNORECASE,
)


def fields(layout: Layout) -> list[dict[str, Any]]:
    """Return what ``schema.add_field(**field)`` takes, for each field of a collection.

    Parameters
    ----------
    layout : Layout
        What `make_layout` returned.

    Examples
    --------
    >>> from hashlearn.stores.recipes import make_layout
    >>> for field in fields(make_layout(13)):
    ...     print(field)
    {'field_name': 'id', 'datatype': 5, 'is_primary': True}
    {'field_name': 'code', 'datatype': 100, 'dim': 16}
    """
    for name in layout.columns:
        if FILTER_WORDS.fullmatch(name):
            raise ValueError(
                f"column {name!r} is a word of Milvus' filters: it takes a name that is none."
            )
    return [
        {"field_name": "id", **TYPES[int], "is_primary": True},
        {"field_name": "code", "datatype": BINARY_VECTOR, "dim": padded_bits(layout)},
        *({"field_name": name, **TYPES[kind]} for name, kind in layout.columns.items()),
    ]


def index(n_lists: int | None = None) -> dict[str, Any]:
    """Return what ``index_params.add_index(**index)`` takes.

    Parameters
    ----------
    n_lists : int, optional
        Clusters of an approximate index, BIN_IVF_FLAT. Unless given, searches are exact, by
        BIN_FLAT.

    Examples
    --------
    >>> index()["index_type"], index(n_lists=128)["params"]
    ('BIN_FLAT', {'nlist': 128})
    """
    kind, params = "BIN_FLAT", {}
    if n_lists is not None:
        kind, params = "BIN_IVF_FLAT", {"nlist": check_count(n_lists, "n_lists")}
    return {"field_name": "code", "index_type": kind, "metric_type": "HAMMING", "params": params}


def row_batches(
    layout: Layout,
    packed: ArrayLike,
    ids: Any,
    values: Mapping[str, Any] | None = None,
    *,
    batch_size: int = 10_000,
) -> Iterator[list[dict[str, Any]]]:
    r"""Return what ``client.upsert("items", rows)`` takes, one list of rows after the other.

    Parameters
    ----------
    layout : Layout
        What `make_layout` returned.
    packed : array-like of shape (n, ceil(n_bits / 8)), uint8
        Packed codes.
    ids : array-like of shape (n,)
        An int64 for each, any but -1, and none twice.
    values : mapping of str to array-like of shape (n,), optional
        What the columns hold.
    batch_size : int, default=10000
        Items per list.

    Examples
    --------
    >>> from hashlearn.stores.recipes import make_layout
    >>> packed = np.array([[0b10000000, 0b01000000]], dtype=np.uint8)
    >>> next(row_batches(make_layout(13), packed, ids=[7]))
    [{'id': 7, 'code': b'\x01\x02'}]
    """
    batch = Batch.checked(layout, packed, ids, values)
    return (_rows(part) for part in parts_of(batch, batch_size))


def _rows(batch: Batch) -> list[dict[str, Any]]:
    columns = {"id": batch.ids.tolist(), "code": _lowest_first(batch.packed)}
    columns |= {name: values.tolist() for name, values in batch.values.items()}
    rows = zip(*columns.values(), strict=True)
    return [dict(zip(columns, row, strict=True)) for row in rows]


def nearest(
    layout: Layout,
    queries: ArrayLike,
    k: int,
    where: Where | None = None,
    *,
    effort: int | None = None,
) -> dict[str, Any]:
    """Return what ``client.search("items", **nearest)`` takes for the k nearest of each query.

    Parameters
    ----------
    layout : Layout
        What `make_layout` returned.
    queries : array-like of shape (n_queries, ceil(n_bits / 8)), uint8
        Packed codes.
    k : int
        Neighbours per query, at most 16,384.
    where : mapping, optional
        What columns, or "id", of an item must be, as in `Store.search`.
    effort : int, optional
        Clusters of BIN_IVF_FLAT to look at (`nprobe`); BIN_FLAT looks at all items.
    """
    params = _given("nprobe", effort)
    return _search(layout, queries, check_count(k, "k"), params, where)


def within(
    layout: Layout,
    queries: ArrayLike,
    radius: int,
    where: Where | None = None,
    *,
    limit: int = MAX_HITS,
    effort: int | None = None,
) -> dict[str, Any]:
    """Return what ``client.search("items", **within)`` takes for all items within a distance.

    It is exact with BIN_FLAT only: with BIN_IVF_FLAT, items may be missing.

    Parameters
    ----------
    layout, queries, where
        As in :func:`nearest`.
    radius : int
        The largest distance, at least 0.
    limit : int, default=16384
        The most items per query. If so many come, :func:`read` raises: there may be more.
    effort : int, optional
        Clusters of BIN_IVF_FLAT without an item within the distance, after which the search ends
        (`max_empty_result_buckets`); BIN_FLAT looks at all items.
    """
    check_radius(radius)
    params = {"radius": min(int(radius), layout.n_bits) + 1}  # which is excluded
    params |= _given("max_empty_result_buckets", effort)
    return _search(layout, queries, check_count(limit, "limit"), params, where)


def read(search: Mapping[str, Any], answer: Iterable[Iterable[Mapping[str, Any]]]) -> list[Found]:
    """Return the ids and distances of each query, by distance and then by id.

    Parameters
    ----------
    search : mapping
        What :func:`nearest` or :func:`within` returned.
    answer : iterable of iterable of mapping
        What ``client.search("items", **search)`` returned.

    Raises
    ------
    StoreError
        If items within the distance may be missing.

    Examples
    --------
    >>> from hashlearn.stores.recipes import make_layout
    >>> search = nearest(make_layout(8), np.zeros((1, 1), dtype=np.uint8), k=1)
    >>> read(search, [[{"id": 7, "distance": 3.0}]])
    [Found(ids=array([7]), distances=array([3]))]
    """
    rows = [[(hit["id"], round(hit["distance"])) for hit in hits] for hits in answer]
    longest, limit = max(map(len, rows), default=0), search["limit"]
    if "radius" in search["search_params"]["params"] and longest >= limit:
        raise StoreError(
            f"as many items came for a query as limit={limit} allows, and there may be more: "
            "search within a smaller radius."
        )
    return [Found.of_rows(found).in_order() for found in rows]


def _given(name: str, effort: int | None) -> dict[str, int]:
    """Return an effort under the name that Milvus has for it, if there is one."""
    return {} if effort is None else {name: check_count(effort, "effort")}


def _search(
    layout: Layout,
    queries: ArrayLike,
    limit: int,
    params: dict[str, int],
    where: Where | None,
) -> dict[str, Any]:
    packed = check_packed(queries, layout.n_bits, "queries")
    conditions = as_conditions(where, layout.columns)
    parts = [_condition(condition, place) for place, condition in enumerate(conditions)]
    return {
        "data": _lowest_first(packed),
        "anns_field": "code",
        "limit": limit,
        "search_params": {"metric_type": "HAMMING", "params": params},
        "filter": " and ".join(text for text, _ in parts),
        "filter_params": {name: value for _, values in parts for name, value in values.items()},
    }


def _lowest_first(packed: np.ndarray) -> list[bytes]:
    """Return each code as bytes of which the lowest bit is the first."""
    return [code.tobytes() for code in reverse_bits(packed)]


def _condition(condition: Condition, place: int) -> tuple[str, dict[str, Any]]:
    """Return a condition with names in place of its values, and the values by name."""
    column = condition.column
    if isinstance(condition, OneOf):
        if not condition.values:
            return f"{column} in []", {}
        return f"{column} in {{values_{place}}}", {f"values_{place}": list(condition.values)}
    bounds = {"low": (">=", condition.low), "high": ("<=", condition.high)}
    given = [(f"{name}_{place}", *bound) for name, bound in bounds.items() if bound[1] is not None]
    text = " and ".join(f"{column} {sign} {{{name}}}" for name, sign, _ in given)
    return text, {name: bound for name, _, bound in given}
