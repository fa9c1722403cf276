"""An index of packed codes: exact neighbours by Hamming or another distance."""

from __future__ import annotations

import os
from threading import Lock
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from hashlearn._numerics.candidates import (
    candidate_count,
    check_rescoring,
    rescore_candidates,
)
from hashlearn._numerics.checks import check_k, check_n_bits, check_option
from hashlearn.search import _faiss
from hashlearn.search._contents import Contents
from hashlearn.search._layouts import LayoutChoice, LayoutName
from hashlearn.search._queries import check_queries
from hashlearn.search.float_queries import FloatQueries
from hashlearn.search.packing import PackedCodes, check_packed, joint_model
from hashlearn.search.rescoring import Rescoring
from hashlearn.search.results import Neighbours, RadiusHits, TieOrder

if TYPE_CHECKING:
    from hashlearn.search.distances import Distance


class HammingIndex:
    """Packed codes arranged for exact search by Hamming distance.

    Results are ordered by distance, then by `ties`, for any number of threads.

    Parameters
    ----------
    n_bits : int
        Bits per code, 1 to 4,096.
    layout : {"auto", "plain", "bucketed", "multi-index"}, default="auto"
        How codes are arranged; the results are the same. "plain" scans all codes, "bucketed"
        the distinct ones; "auto" is "bucketed" when at most half of the codes are distinct.
        "multi-index" looks up substrings in tables, and scans where that is cheaper. It pays off
        for a radius, or neighbours, of about 4 of 64 bits on a million codes and 8 on ten million;
        k-nearest search in random codes does not gain. It needs 17 to 250 more bytes per item (64
        to 256 bits) and time to build, so "auto" never chooses it.
    ties : {"neutral", "insertion"}, default="neutral"
        The order of items at equal distance. "neutral" is by a fixed mixing of their ids: it does
        not depend on the order of insertion, and favours no part of a sorted file. It needs 4 more
        bytes per item. "insertion" is the order in which items were added.
    check_model : bool, default=True
        Whether codes of another model than those in the index are refused. The index takes the
        model from the first codes that know theirs, as those of `encode` do.

    Examples
    --------
    >>> import numpy as np
    >>> from hashlearn import HammingIndex
    >>> index = HammingIndex(n_bits=8)
    >>> index.add(np.array([[0b0000], [0b0111], [0b0001]], dtype=np.uint8), ids=[10, 20, 30])
    >>> distances, ids = index.search(np.array([[0b0011]], dtype=np.uint8), k=2)
    >>> distances, ids
    (array([[1, 1]]), array([[30, 20]]))
    >>> index.radius_search(np.array([[0b0000]], dtype=np.uint8), radius=1)
    RadiusHits(offsets=array([0, 2]), ids=array([10, 30]), distances=array([0, 1]))
    """

    def __init__(
        self,
        n_bits: int,
        *,
        layout: LayoutChoice = "auto",
        ties: TieOrder = "neutral",
        check_model: bool = True,
    ) -> None:
        check_n_bits(n_bits)
        check_option("layout", layout, LayoutChoice)
        check_option("ties", ties, TieOrder)
        self.n_bits, self.check_model = int(n_bits), check_model
        self._contents = Contents.empty(self.n_bits, layout, ties)
        self._changing = Lock()  # readers need none: contents are replaced, not changed

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_changing"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _changing=Lock())

    def __len__(self) -> int:
        return len(self._contents)

    def __repr__(self) -> str:
        return f"<HammingIndex of {len(self):,} codes of {self.n_bits} bits>"

    @property
    def ids(self) -> np.ndarray:
        """The ids in the order of insertion, int64 or objects of text."""
        return self._contents.ids.values.copy()

    @property
    def layout(self) -> LayoutName:
        """The layout of the codes: "plain", "bucketed" or "multi-index"."""
        return self._contents.layout.name

    @property
    def ties(self) -> TieOrder:
        """The order of items at equal distance: "neutral" or "insertion"."""
        return self._contents.ties

    @property
    def model(self) -> str | None:
        """The fingerprint of the model that made the codes; None if unknown."""
        return self._contents.model

    @property
    def n_distinct(self) -> int:
        """The number of distinct codes; counted each time unless bucketed."""
        return self._contents.layout.n_distinct

    def add(self, packed: ArrayLike, ids: Any = None) -> None:
        """Add codes; many at once rather than one by one, since a search rearranges them.

        Parameters
        ----------
        packed : array-like of shape (n, ceil(n_bits / 8)), uint8
            Packed codes.
        ids : array-like of shape (n,), optional
            An int64 per code, unique and not -1, or a text (a UUID or a path becomes one); all ids
            of an index are of one kind. By default consecutive numbers after the largest id so
            far, from 0.
        """
        checked = check_packed(packed, self.n_bits, "packed")
        with self._changing:
            model = self._joint_model("packed", packed)
            self._contents = self._contents.appended(checked, ids, model)

    def remove(self, ids: Any) -> None:
        """Remove items, which copies the others; default ids do not use their ids again.

        Parameters
        ----------
        ids : array-like or set of int or str
            Ids that are in the index.
        """
        with self._changing:
            self._contents = self._contents.without(ids)

    def reconstruct(self, ids: Any) -> PackedCodes:
        """Return the packed codes of items.

        Parameters
        ----------
        ids : array-like of int or str
            Ids that are in the index.

        Returns
        -------
        packed : PackedCodes of shape (n, ceil(n_bits / 8)), uint8
        """
        contents = self._contents
        packed = contents.packed_at(contents.places(contents.find(ids)))
        return PackedCodes(packed, contents.model)

    def search(
        self,
        queries: ArrayLike | FloatQueries,
        k: int,
        *,
        distance: Distance | None = None,
        among: Any = None,
        rescore: Rescoring | None = None,
        oversample: float = 10,
    ) -> Neighbours:
        """Find the k nearest items of each query.

        Parameters
        ----------
        queries : array-like of shape (n_queries, ceil(n_bits / 8)), uint8, or FloatQueries
            Packed codes; or queries that are not rounded to bits, as a hasher's `encode_queries`
            returns them, or an array of margins, (n_queries, n_bits) floats. Distances are then
            theirs, float64.
        k : int
            Neighbours per query, at most the size of the index. An empty index accepts any k.
        distance : Distance, optional
            A distance of packed codes other than Hamming's, such as a hasher's `distance_`; all
            codes are scanned in any layout. The distances are then float64.
        among : array-like or set of int or str, or array-like of bool, optional
            The only items to search: their ids (unknown ids are ignored), or a mask in the order
            of insertion. If fewer than k are allowed, rows end with id -1 (None among texts) at
            distance ``n_bits + 1``, infinite where distances are float64.
        rescore : Rescoring, optional
            Orders the ``oversample * k`` nearest items again: `VectorRescoring` or
            `MarginRescoring`. The distances are then its scores, infinite for id -1. Excludes
            `distance`.
        oversample : float, default=10
            Candidates of a rescoring, in multiples of k.

        Returns
        -------
        distances : ndarray of shape (n_queries, k)
            Increasing along each row.
        ids : ndarray of shape (n_queries, k), int64 or objects of text
            Equal distances in the order of `ties`; equal scores in that of the candidates.
        """
        asked, contents = check_queries(queries, self.n_bits, distance), self._contents
        self._joint_model("queries", queries)
        if distance is not None and rescore is not None:
            raise ValueError("distance and rescore exclude each other; got both.")
        n = len(contents)
        check_k(k, n if n else max(1, k))  # an empty index accepts any
        k = min(int(k), n)
        if rescore is None:
            distances, places = contents.nearest(asked, k, among)
            return Neighbours(distances, contents.ids_at(places))
        check_rescoring(rescore, len(asked), self.n_bits)
        self._joint_model("rescore", rescore)
        n_candidates = candidate_count(k, oversample, n)
        _, places = contents.nearest(asked, n_candidates, among)
        return Neighbours(
            *rescore_candidates(
                rescore, places, places >= 0, contents.ids_at, contents.packed_at, k
            )
        )

    def radius_search(
        self,
        queries: ArrayLike | FloatQueries,
        radius: float,
        *,
        distance: Distance | None = None,
    ) -> RadiusHits:
        """Find all items within a distance of each query.

        Parameters
        ----------
        queries : array-like of shape (n_queries, ceil(n_bits / 8)), uint8, or FloatQueries
            Packed codes, or queries that are not rounded to bits, as in `search`.
        radius : int or float
            The largest distance: at least 0, and an integer for Hamming's; any number for float
            queries.
        distance : Distance, optional
            A distance of packed codes other than Hamming's, such as a hasher's `distance_`; all
            codes are scanned.

        Returns
        -------
        offsets : ndarray of shape (n_queries + 1,), int64
            The items of query i are at ``offsets[i]:offsets[i + 1]``.
        ids : ndarray of shape (n_hits,), int64 or objects of text
            By distance, then in the order of `ties`.
        distances : ndarray of shape (n_hits,), int64 or float64
        """
        asked, contents = check_queries(queries, self.n_bits, distance), self._contents
        self._joint_model("queries", queries)
        asked.check_radius(radius)
        hits = asked.within(contents, radius)
        return RadiusHits(hits.offsets, contents.ids_at(hits.positions), hits.distances)

    def _joint_model(self, name: str, codes: Any) -> str | None:
        """Return the model of the index, or of codes if it has none; raise if they differ."""
        if self.check_model:
            return joint_model(**{name: codes}, index=self.model)
        return self.model or getattr(codes, "model", None)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the index to a file, whole or not at all; nothing is pickled.

        Parameters
        ----------
        path : str or path-like
            The file to write, or to replace.
        """
        self._contents.save(path)

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        *,
        mmap: bool = True,
        verify: bool | None = None,
        check_model: bool = True,
    ) -> Self:
        """Open the index in a file.

        Parameters
        ----------
        path : str or path-like
            A file that :meth:`save` wrote.
        mmap : bool, default=True
            Leave the codes in the file: opening reads only its header, and a search what it
            needs. Adding and removing happens in memory, where the layout is chosen again; only
            `save` changes the file. Others may replace the file meanwhile, as `save` does, but
            must not write into it.
        verify : bool, optional
            Whether to compare checksums, which reads the whole file; by default only if the file
            is read whole anyway, with ``mmap=False``. Header and sizes are always checked.
        check_model : bool, default=True
            As in the constructor.

        Returns
        -------
        index : HammingIndex

        Raises
        ------
        OSError
            If the file is missing or cannot be read.
        IndexFileError
            If it is not a whole index file that this version can read.
        """
        verify = not mmap if verify is None else verify
        contents = Contents.load(path, mmap=mmap, verify=verify)
        index = cls(contents.n_bits, check_model=check_model)
        index._contents = contents
        return index

    def to_faiss(self) -> Any:
        """Return the codes and ids as a faiss index.

        Returns
        -------
        index : faiss.IndexBinaryFlat or faiss.IndexBinaryIDMap2
            The latter if the ids are not the positions; bits are padded to whole bytes. Text ids
            are refused: faiss has integers only.
        """
        contents = self._contents
        packed = contents.packed_at(contents.places(np.arange(len(contents))))
        return _faiss.to_faiss(packed, contents.ids.stored)

    @classmethod
    def from_faiss(cls, index: Any, n_bits: int | None = None) -> Self:
        """Return an index with the codes and ids of a flat binary faiss index.

        Parameters
        ----------
        index : faiss.IndexBinaryFlat, or an IndexBinaryIDMap of one
        n_bits : int, optional
            Bits per code; by default 8 per byte.
        """
        packed, ids = _faiss.from_faiss(index)
        taken = cls(8 * packed.shape[1] if n_bits is None else n_bits)
        taken.add(packed, ids)
        return taken
