"""An index with shards on the workers of a cluster."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike

from hashlearn._numerics.checks import check_k, check_n_bits, check_option
from hashlearn._numerics.ids import Ids, tie_keys
from hashlearn.distributed._client import find_client, gather
from hashlearn.distributed._shards import Shards, is_dask, no_rows
from hashlearn.search import (
    FloatQueries,
    HammingIndex,
    Neighbours,
    PackedCodes,
    RadiusHits,
    as_float_queries,
    check_packed,
    joint_model,
)
from hashlearn.search.results import TieOrder

_HIT_BYTES = 16  # a distance and an id, int64


class DistributedHammingIndex:
    """Packed codes in shards on the workers of a Dask cluster, searched exactly.

    The results are those of a :class:`~hashlearn.HammingIndex` of all codes, in the same order and
    types. Each shard is such an index on a worker and returns its own nearest items; the client
    merges them. The scheduler makes a shard again that is lost with its worker, so a search then
    takes longer and finds the same.

    The codes stay on the cluster as long as this object lives. Given ids stay with the client too,
    8 bytes per item. Items cannot be removed.

    Parameters
    ----------
    n_bits : int
        Bits per code, 1 to 4,096.
    client : distributed.Client, optional
        The cluster; by default that of the default client.
    ties : {"neutral", "insertion"}, default="neutral"
        The order of items at equal distance, as in a :class:`~hashlearn.HammingIndex`.
    check_model : bool, default=True
        Whether codes of another model than those in the index are refused, as there.

    Attributes
    ----------
    model : str or None
        The fingerprint of the model that made the codes; None if unknown.

    Examples
    --------
    >>> import numpy as np
    >>> from distributed import Client
    >>> from hashlearn.distributed import DistributedHammingIndex
    >>> codes = np.array([[0b0000], [0b0111], [0b0001]], dtype=np.uint8)
    >>> with Client(processes=False, n_workers=1, dashboard_address=":0") as client:
    ...     index = DistributedHammingIndex(n_bits=8, client=client)
    ...     index.add(codes, ids=[10, 20, 30])
    ...     index.search(np.array([[0b0011]], dtype=np.uint8), k=2)
    Neighbours(distances=array([[1, 1]]), ids=array([[30, 20]]))
    """

    def __init__(
        self,
        n_bits: int,
        client: Any = None,
        *,
        ties: TieOrder = "neutral",
        check_model: bool = True,
    ) -> None:
        check_n_bits(n_bits)
        check_option("ties", ties, TieOrder)
        self.n_bits, self.ties = int(n_bits), ties
        self.model: str | None = None
        self.check_model = check_model
        self._shards = _CodeShards(find_client(client))
        self._empty = HammingIndex(self.n_bits, check_model=False)  # checks, and answers nothing
        self._ids = Ids()

    def __len__(self) -> int:
        return len(self._shards)

    def __repr__(self) -> str:
        return (
            f"<DistributedHammingIndex of {len(self):,} codes of {self.n_bits} bits in "
            f"{len(self._shards.futures)} shards>"
        )

    def add(self, packed: Any, ids: Any = None) -> None:
        """Add codes, and wait until they are on the workers.

        Parameters
        ----------
        packed : array-like or dask array of shape (n, ceil(n_bits / 8)), uint8
            Packed codes. Each chunk of a dask array is a shard, which is computed on the cluster
            and stays there. Others are cut into shards and sent; the scheduler keeps their bytes
            too, so that it can make a shard again.
        ids : array-like of shape (n,), optional
            An int64 or a text per code, as in a :class:`~hashlearn.HammingIndex`; by default
            consecutive numbers after the largest id so far, from 0. A dask array of ids is
            computed.
        """
        client = self._shards.client
        model = self._joint_model(packed=packed)
        if is_dask(packed):
            check_packed(no_rows(packed), self.n_bits, "packed")  # the workers check the values
        else:
            packed = check_packed(packed, self.n_bits, "packed")
        if is_dask(ids):
            (ids,) = gather(client, [client.compute(ids)], _CodeShards.advice)
        n = packed.shape[0]
        # Wrong ids are refused before the work, unless the dask array does not know its rows.
        known = None if np.isnan(n) else self._ids.appended(n, ids)
        coded = _CodeShards.build(client, partial(_check_codes, self.n_bits), packed)
        if is_dask(packed):  # only its chunks know their model
            chunks = enumerate(coded.ask(_model_of))
            model = self._joint_model(**{f"chunk {i} of packed": chunk for i, chunk in chunks})
        known = self._ids.appended(len(coded), ids) if known is None else known
        added = coded.mapped(partial(_make_shard, self.n_bits, self.ties), self._own(coded, known))
        self._ids, self._shards, self.model = known, self._shards.joined(added), model

    def _joint_model(self, **codes: Any) -> str | None:
        """Return the model of the index, or of codes if it has none; raise if they differ."""
        if self.check_model:
            return joint_model(**codes, index=self.model)
        models = [getattr(each, "model", each) for each in codes.values()]
        return self.model or next((model for model in models if isinstance(model, str)), None)

    def _own(self, coded: _CodeShards, known: Ids) -> list[Any]:
        """Return the ids of each new shard: an array, or the first of consecutive ones."""
        bounds = (len(self) + coded.offsets).tolist()
        if known.stored is None:
            return bounds[:-1]
        return [known.stored[start:stop] for start, stop in pairwise(bounds)]

    def search(self, queries: ArrayLike | FloatQueries, k: int) -> Neighbours:
        """Find the k nearest items of each query.

        Parameters
        ----------
        queries : array-like of shape (n_queries, ceil(n_bits / 8)), uint8, or FloatQueries
            Packed codes, or queries that are not rounded to bits. They are sent in batches, so
            that the answers under way are bounded.
        k : int
            Neighbours per query, at most the size of the index. An empty index accepts any k.

        Returns
        -------
        distances : ndarray of shape (n_queries, k), int64, or float64 of float queries
            Increasing along each row.
        ids : ndarray of shape (n_queries, k), int64 or objects of text
            Equal distances in the order of `ties`.
        """
        self._joint_model(queries=queries)
        asked, shards = self._checked(queries), self._shards
        n = len(shards)
        check_k(k, n if n else max(1, k))  # an empty index accepts any
        k = min(int(k), n)
        parts = []
        for batch in shards.batches(len(asked), _HIT_BYTES * k):
            nothing = self._empty.search(asked[batch], max(1, k))
            found = shards.ask(_nearest, asked[batch], k)
            parts.append(_merge_nearest([nothing, *found], k, self.ties))
        return Neighbours(*map(np.concatenate, zip(*parts, strict=True)))

    def radius_search(self, queries: ArrayLike | FloatQueries, radius: float) -> RadiusHits:
        """Find all items within a distance of each query.

        Parameters
        ----------
        queries : array-like of shape (n_queries, ceil(n_bits / 8)), uint8, or FloatQueries
            Packed codes, or queries that are not rounded to bits.
        radius : int or float
            The largest distance: an integer of at least 0, or any number for float queries.

        Returns
        -------
        offsets : ndarray of shape (n_queries + 1,), int64
            The items of query i are at ``offsets[i]:offsets[i + 1]``.
        ids : ndarray of shape (n_hits,), int64 or objects of text
            By distance, then in the order of `ties`.
        distances : ndarray of shape (n_hits,), int64, or float64 of float queries
        """
        self._joint_model(queries=queries)
        asked, shards = self._checked(queries), self._shards
        parts = []
        for batch in shards.batches(len(asked), _HIT_BYTES):
            nothing = self._empty.radius_search(asked[batch], radius)  # which checks the radius
            found = shards.ask(HammingIndex.radius_search, asked[batch], radius)
            parts.append(_merge_hits([nothing, *found], self.ties))
        return _join_hits(parts)

    def _checked(self, queries: ArrayLike | FloatQueries) -> np.ndarray | FloatQueries:
        """Return queries that fit the codes."""
        floats = as_float_queries(queries)
        if floats is None:
            return check_packed(cast(ArrayLike, queries), self.n_bits, "queries")
        self._empty.search(floats, 1)
        return floats


class _CodeShards(Shards):
    """The shards of an index, which live longer than a call."""

    advice = "Connect and add the codes again."


class _Shard(HammingIndex):
    """An index that tells Dask its size, from which Dask estimates the cost of moving it."""

    def __sizeof__(self) -> int:
        return self._contents.words.nbytes


def _check_codes(n_bits: int, packed: np.ndarray) -> PackedCodes:
    return PackedCodes(check_packed(packed, n_bits, "packed"), getattr(packed, "model", None))


def _model_of(packed: PackedCodes) -> str | None:
    return packed.model


def _make_shard(n_bits: int, ties: TieOrder, packed: np.ndarray, ids: Any) -> _Shard:
    """Return a shard with ids, or with consecutive ones from the first."""
    shard = _Shard(n_bits, ties=ties)
    shard.add(packed, np.arange(ids, ids + len(packed)) if isinstance(ids, int) else ids)
    return shard


def _nearest(shard: _Shard, queries: np.ndarray, k: int) -> Neighbours:
    return shard.search(queries, max(1, min(k, len(shard))))


def _merge_nearest(answers: Sequence[Neighbours], k: int, ties: TieOrder) -> Neighbours:
    """Merge the nearest items of each shard.

    A shard orders by distance, then by ties. A stable sort by distance keeps insertion, since the
    items of a shard come before those of the next.
    """
    distances = np.concatenate([answer.distances for answer in answers], axis=1)
    ids = np.concatenate([answer.ids for answer in answers], axis=1)
    if ties == "neutral":
        keys = tie_keys(ids.ravel()).reshape(ids.shape)
        nearest = np.lexsort((keys, distances))[:, :k]
    else:
        small = distances.astype(np.uint16) if distances.dtype == np.int64 else distances
        nearest = np.argsort(small, axis=1, kind="stable")[:, :k]
    return Neighbours(
        np.take_along_axis(distances, nearest, axis=1), np.take_along_axis(ids, nearest, axis=1)
    )


def _merge_hits(answers: Sequence[RadiusHits], ties: TieOrder) -> RadiusHits:
    """Merge the items within a radius that each shard found."""
    n_queries = answers[0].offsets.size - 1
    each = np.arange(n_queries)
    query = np.concatenate([np.repeat(each, np.diff(answer.offsets)) for answer in answers])
    ids = np.concatenate([answer.ids for answer in answers])
    distances = np.concatenate([answer.distances for answer in answers])
    keys = (tie_keys(ids),) if ties == "neutral" else ()
    order = np.lexsort((*keys, distances, query))  # stable
    offsets = np.concatenate([[0], np.cumsum(np.bincount(query, minlength=n_queries))])
    return RadiusHits(offsets, ids[order], distances[order])


def _join_hits(batches: Sequence[RadiusHits]) -> RadiusHits:
    """Join the hits of batches of queries."""
    counts = np.concatenate([np.diff(batch.offsets) for batch in batches])
    return RadiusHits(
        np.concatenate([[0], np.cumsum(counts)]),
        np.concatenate([batch.ids for batch in batches]),
        np.concatenate([batch.distances for batch in batches]),
    )
