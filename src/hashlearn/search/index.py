"""An index of packed codes: exact neighbours by Hamming distance."""

from __future__ import annotations

import os
import sys
from numbers import Integral
from typing import Any, Self, get_args

import numpy as np
from numpy.typing import ArrayLike

from hashlearn.bits import check_n_bits
from hashlearn.io.index_file import IndexContent, load_index, save_index
from hashlearn.search import faiss_exchange
from hashlearn.search.among import allowed_positions, nearest_among
from hashlearn.search.ids import NOT_FOUND, Ids, as_ids
from hashlearn.search.layouts import (
    Layout,
    LayoutChoice,
    LayoutName,
    arrange,
    count_distinct,
    restore,
    stored_arrays,
)
from hashlearn.search.nearest import check_k
from hashlearn.search.packing import as_words, check_packed, from_words
from hashlearn.search.rescoring import (
    Rescoring,
    candidate_count,
    check_rescoring,
    rescore_candidates,
)
from hashlearn.search.results import Neighbours, RadiusHits


class HammingIndex:
    """Packed codes arranged for exact search by Hamming distance.

    Results are ordered by distance, then by insertion, whatever the number of threads.

    Parameters
    ----------
    n_bits : int
        Bits per code, 1 to 4,096.
    layout : {"auto", "plain", "bucketed", "multi-index"}, default="auto"
        Whether a search scans all codes or the distinct ones; the results are the same. By
        default the latter when at most half of the codes are distinct. "multi-index" looks
        substrings up in tables instead, and scans where that is cheaper. It pays for a radius, or
        neighbours, of about 4 of 64 bits on a million codes and 8 on ten million; k-nearest
        search in random codes does not gain. It takes 17 to 250 bytes more per item (64 to 256
        bits) and time to build, so it is never chosen by itself.

    Examples
    --------
    >>> index = HammingIndex(n_bits=8)
    >>> index.add(np.array([[0b0000], [0b0111], [0b0001]], dtype=np.uint8), ids=[10, 20, 30])
    >>> distances, ids = index.search(np.array([[0b0011]], dtype=np.uint8), k=2)
    >>> distances, ids
    (array([[1, 1]]), array([[20, 30]]))
    >>> index.radius_search(np.array([[0b0000]], dtype=np.uint8), radius=1)
    RadiusHits(offsets=array([0, 2]), ids=array([10, 30]), distances=array([0, 1]))
    """

    def __init__(self, n_bits: int, *, layout: LayoutChoice = "auto") -> None:
        check_n_bits(n_bits)
        names = get_args(LayoutChoice)
        if layout not in names:
            raise ValueError(f"layout={layout!r} is not known: it takes one of {names}.")
        self.n_bits = int(n_bits)
        self._wanted_layout = layout
        self._ids = Ids()
        self._parts = [np.empty((-(-self.n_bits // 64), 0), dtype=np.uint64)]
        self._arranged: Layout | None = None

    def __len__(self) -> int:
        return len(self._ids)

    def __repr__(self) -> str:
        return f"<HammingIndex of {len(self):,} codes of {self.n_bits} bits>"

    @property
    def ids(self) -> np.ndarray:
        """The ids in the order of insertion, int64."""
        return self._ids.values().copy()

    @property
    def layout(self) -> LayoutName:
        """How the codes are arranged: "plain", "bucketed" or "multi-index"."""
        return self._layout.name

    @property
    def n_distinct(self) -> int:
        """How many distinct codes there are; counted anew each time unless bucketed."""
        return count_distinct(self._layout)

    def add(self, packed: ArrayLike, ids: Any = None) -> None:
        """Add codes.

        Parameters
        ----------
        packed : array-like of shape (n, ceil(n_bits / 8)), uint8
            Packed codes.
        ids : array-like of shape (n,), optional
            An int64 for each, any but -1, and none twice. Unless given, numbers that go on after
            the largest so far, from 0.
        """
        packed = check_packed(packed, self.n_bits, "packed")
        self._ids.append(len(packed), ids)
        self._parts.append(np.array(as_words(packed).T, order="C"))  # a copy, also of one word
        self._arranged = None

    def remove(self, ids: Any) -> None:
        """Remove items; their ids are not given again by themselves.

        Parameters
        ----------
        ids : array-like or set of int
            Ids that are in the index.
        """
        kept = np.ones(len(self), dtype=bool)
        kept[self._positions(ids)] = False
        positions = np.flatnonzero(kept)
        self._parts = [np.ascontiguousarray(self._words[:, positions])]
        self._ids = self._ids.keep(positions)
        self._arranged = None

    def reconstruct(self, ids: Any) -> np.ndarray:
        """Return the packed codes of items.

        Parameters
        ----------
        ids : array-like of int
            Ids that are in the index.

        Returns
        -------
        packed : ndarray of shape (n, ceil(n_bits / 8)), uint8
        """
        return self._packed(self._positions(ids))

    def search(
        self,
        queries: ArrayLike,
        k: int,
        *,
        among: Any = None,
        rescore: Rescoring | None = None,
        oversample: float = 10,
    ) -> Neighbours:
        """Find the k nearest items of each query.

        Parameters
        ----------
        queries : array-like of shape (n_queries, ceil(n_bits / 8)), uint8
            Packed codes.
        k : int
            Neighbours per query, at most the size of the index. An empty index has none.
        among : array-like or set of int, or array-like of bool, optional
            The only items to look at: their ids (others than the index has are ignored), or a
            mask in the order of insertion. Where fewer than k are allowed, rows end with id -1 at
            distance ``n_bits + 1``.
        rescore : Rescoring, optional
            Orders ``oversample * k`` nearest items anew: `VectorRescoring` or `MarginRescoring`.
            The distances are then its scores, infinite for id -1.
        oversample : float, default=10
            Candidates of a rescoring, in multiples of k.

        Returns
        -------
        distances : ndarray of shape (n_queries, k)
            Increasing along each row.
        ids : ndarray of shape (n_queries, k), int64
            Equal distances in the order of insertion.
        """
        packed = check_packed(queries, self.n_bits, "queries")
        check_k(k, len(self) or sys.maxsize)
        k = min(k, len(self))
        if rescore is None:
            distances, positions = self._nearest(as_words(packed), k, among)
            return Neighbours(distances, self._ids_at(positions))
        check_rescoring(rescore, len(packed), self.n_bits)
        n_candidates = candidate_count(k, oversample, len(self))
        _, positions = self._nearest(as_words(packed), n_candidates, among)
        return Neighbours(*rescore_candidates(rescore, positions, self._ids_at, self._packed, k))

    def radius_search(self, queries: ArrayLike, radius: int) -> RadiusHits:
        """Find all items within a Hamming distance of each query.

        Parameters
        ----------
        queries : array-like of shape (n_queries, ceil(n_bits / 8)), uint8
            Packed codes.
        radius : int
            The largest distance, at least 0.

        Returns
        -------
        offsets : ndarray of shape (n_queries + 1,), int64
            The items of query i are at ``offsets[i]:offsets[i + 1]``.
        ids : ndarray of shape (n_hits,), int64
            By distance, then by insertion.
        distances : ndarray of shape (n_hits,), int64
        """
        packed = check_packed(queries, self.n_bits, "queries")
        if not isinstance(radius, Integral) or isinstance(radius, bool) or radius < 0:
            raise ValueError(f"radius={radius!r} is wrong: it takes an integer of at least 0.")
        hits = self._layout.within(as_words(packed), int(radius))
        return RadiusHits(hits.offsets, self._ids_at(hits.positions), hits.distances)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the index to a file, whole or not at all; nothing is pickled.

        Parameters
        ----------
        path : str or path-like
            The file to write, or to replace.
        """
        layout = self._layout
        save_index(
            path,
            IndexContent(
                n_bits=self.n_bits,
                next_id=self._ids.next_id,
                layout=layout.name,
                words=self._words,
                ids=self._ids.stored,
                **stored_arrays(layout),
            ),
        )

    @classmethod
    def load(
        cls, path: str | os.PathLike[str], *, mmap: bool = True, verify: bool | None = None
    ) -> Self:
        """Open the index in a file.

        Parameters
        ----------
        path : str or path-like
            A file that :meth:`save` wrote.
        mmap : bool, default=True
            Leave the codes in the file: opening reads its header only, and a search what it
            needs. Adding and removing happens in memory; the file changes with `save` only.
        verify : bool, optional
            Whether checksums are compared, which reads the whole file. Unless given, that is done
            when the file is read whole anyway, with ``mmap=False``. Header and sizes are checked
            in any case.

        Returns
        -------
        index : HammingIndex

        Raises
        ------
        OSError
            If the file is missing or cannot be read.
        IndexFileError
            If it is no whole index file that this version can read.
        """
        verify = not mmap if verify is None else verify
        content = load_index(path, mmap=mmap, verify=verify)
        # A choice that is never made by itself is kept when codes are added.
        wanted: LayoutChoice = "multi-index" if content.layout == "multi-index" else "auto"
        index = cls(content.n_bits, layout=wanted)
        index._parts = [content.words]
        index._ids = Ids(content.words.shape[1], content.ids, content.next_id)
        index._arranged = restore(content)
        return index

    def to_faiss(self) -> Any:
        """Return the codes as an index of faiss, with the ids.

        Returns
        -------
        index : faiss.IndexBinaryFlat or faiss.IndexBinaryIDMap2
            The latter if the ids are not 0, 1, 2, ...; the bits are padded to whole bytes.
        """
        return faiss_exchange.to_faiss(self._packed(slice(None)), self._ids.stored)

    @classmethod
    def from_faiss(cls, index: Any, n_bits: int | None = None) -> Self:
        """Take over the codes and ids of a flat binary index of faiss.

        Parameters
        ----------
        index : faiss.IndexBinaryFlat, or an IndexBinaryIDMap of one
        n_bits : int, optional
            Bits per code; 8 times the bytes unless given.
        """
        packed, ids = faiss_exchange.from_faiss(index)
        taken = cls(8 * packed.shape[1] if n_bits is None else n_bits)
        taken.add(packed, ids)
        return taken

    @property
    def _words(self) -> np.ndarray:
        """The codes as words, (n_words, n)."""
        if len(self._parts) > 1:  # many small parts are joined once, when they are read
            self._parts = [np.concatenate(self._parts, axis=1)]
        return self._parts[0]

    @property
    def _layout(self) -> Layout:
        """The codes arranged for search, which happens at the first one."""
        if self._arranged is None:
            self._arranged = arrange(self._words, self._wanted_layout, n_bits=self.n_bits)
        return self._arranged

    def _nearest(self, queries: np.ndarray, k: int, among: Any) -> tuple[np.ndarray, np.ndarray]:
        """Return distances and positions, -1 where too few items are allowed."""
        if among is not None:
            allowed = allowed_positions(among, self._ids)
            return nearest_among(queries, self._words, k, allowed, missing=self.n_bits + 1)
        if k == 0:
            empty = np.empty((len(queries), 0), dtype=np.int64)
            return empty, empty
        return self._layout.nearest(queries, k)

    def _positions(self, ids: Any) -> np.ndarray:
        """Return where items stand."""
        ids = as_ids(ids)
        positions = self._ids.find(ids)
        if (positions == NOT_FOUND).any():
            raise ValueError(
                f"ids holds {ids[positions == NOT_FOUND][0]}, which is not in the index."
            )
        return positions

    def _ids_at(self, positions: np.ndarray) -> np.ndarray:
        """Return the ids at positions, -1 for none."""
        return np.where(positions == NOT_FOUND, NOT_FOUND, self._ids.at(positions))

    def _packed(self, positions: Any) -> np.ndarray:
        """Return the packed codes at positions."""
        return from_words(self._words[:, positions], self.n_bits)
