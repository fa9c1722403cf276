"""Queries that are not rounded to bits: real margins against packed codes."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hashlearn.search._kernels.distances import table_sums, tables_of, with_exact_sums
from hashlearn.search.code_terms import CodeTerms
from hashlearn.search.packing import check_packed, joint_model


class FloatQueries:
    r"""Queries given by real margins, which a search compares with the bits of codes.

    An item at which bits of the query differ costs the sizes of their margins,
    :math:`c_i = \sum_k |f_k| [\mathrm{sign} f_k \ne z_{ik}]`: a bit about which the query is
    undecided costs little. The order is that of :math:`-f^T z`. `encode_queries` of a hasher
    returns them; wherever packed codes of queries are accepted, these are too.

    Margins are rounded to 52 binary digits of their sum, which makes all sums exact: the distance
    does not depend on the order of the bits, and equal ones are equal to the last digit.

    Parameters
    ----------
    margins : array-like of shape (n_queries, n_bits)
        `hasher.decision_function(queries)`, for instance.
    constants, shifts : array-like of shape (n_queries,), optional
        The distance is ``constants + (cost - shifts)``; by default both are 0.
    terms : CodeTerms, optional
        What items add beside their bits: the difference is multiplied by their scale, their bias is
        added, and with lengths as bias the distance is the square root of all that.
    model : str, optional
        The fingerprint of the model that made the margins.

    Attributes
    ----------
    n_bits : int
        Bits per code.
    codes : ndarray of shape (n_queries, ceil(n_bits / 8)), uint8
        The signs of the margins, packed.
    weights : ndarray of shape (n_queries, n_bits), float64
        The sizes of the margins, rounded.
    constants, shifts : ndarray of shape (n_queries,), float64
        As given, or 0.
    terms, model : CodeTerms and str, or None
        As given.

    Examples
    --------
    >>> import numpy as np
    >>> from hashlearn import FloatQueries
    >>> queries = FloatQueries([[0.1, -2.0, 1.0]])
    >>> codes = np.packbits([[0, 0, 1], [1, 1, 1], [1, 0, 1]], axis=1)
    >>> queries.distances(codes)
    array([[0.1, 2. , 0. ]])
    """

    def __init__(
        self,
        margins: ArrayLike,
        *,
        constants: ArrayLike | None = None,
        shifts: ArrayLike | None = None,
        terms: CodeTerms | None = None,
        model: str | None = None,
    ) -> None:
        margins = np.asarray(margins)
        if margins.ndim != 2 or margins.shape[1] == 0 or margins.dtype.kind not in "fiu":
            raise ValueError(
                "margins must be numbers of shape (n_queries, n_bits); got shape "
                f"{margins.shape} and dtype {margins.dtype}."
            )
        margins = margins.astype(np.float64, copy=False)
        with np.errstate(over="ignore"):
            if not np.isfinite(np.abs(margins).sum(axis=1)).all():
                raise ValueError("margins must be finite, and their sums; got NaN or infinity.")
        n, self.n_bits = margins.shape
        if terms is not None and terms.n_bits != self.n_bits:
            raise ValueError(f"terms has {terms.n_bits} bits; margins has {self.n_bits} columns.")
        self.codes = np.packbits(margins > 0, axis=1)
        self.weights = with_exact_sums(np.abs(margins))
        self.constants = _one_per_query(constants, n, "constants")
        self.shifts = _one_per_query(shifts, n, "shifts")
        self.terms, self.model = terms, model

    def __repr__(self) -> str:
        return f"FloatQueries({len(self)} queries, {self.n_bits} bits)"

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, rows: Any) -> FloatQueries:
        """Return some of the queries, given as a slice or an array."""
        if isinstance(rows, Integral):
            raise TypeError(f"queries are taken by a slice or an array; got {rows!r}.")
        taken = self.__class__.__new__(self.__class__)
        taken.n_bits, taken.terms, taken.model = self.n_bits, self.terms, self.model
        for name in ("codes", "weights", "constants", "shifts"):
            setattr(taken, name, getattr(self, name)[rows])
        return taken

    @classmethod
    def joined(cls, parts: Sequence[FloatQueries]) -> FloatQueries:
        """Return the queries of several, one after the other, of one model.

        Parameters
        ----------
        parts : sequence of FloatQueries
            At least one; all of one model.

        Returns
        -------
        queries : FloatQueries
        """
        if len({(part.n_bits, part.model, part.terms and part.terms.digest) for part in parts}) > 1:
            raise ValueError("queries to join must be of one model, with one number of bits.")
        all_of_them = parts[0][:]
        for name in ("codes", "weights", "constants", "shifts"):
            setattr(all_of_them, name, np.concatenate([getattr(part, name) for part in parts]))
        return all_of_them

    __iter__ = None  # a query alone is a slice of length 1

    def check(self, n_bits: int | None, distance: Any = None) -> None:
        """Raise if the queries do not fit codes, or come with another distance.

        Parameters
        ----------
        n_bits : int or None
            Bits per code; None fits all.
        distance : Distance or None, default=None
            What packed queries would be compared by.
        """
        if distance is not None:
            raise ValueError(
                "distance and float queries exclude each other: give packed codes with distance="
                f"{distance!r}, or margins without it."
            )
        if n_bits not in (None, self.n_bits):
            raise ValueError(
                f"queries has margins of {self.n_bits} bits; the codes have n_bits={n_bits}."
            )

    def distances(self, packed: ArrayLike) -> np.ndarray:
        """Return the distances to all of some codes.

        Parameters
        ----------
        packed : array-like of shape (n, ceil(n_bits / 8)), uint8
            Packed codes.

        Returns
        -------
        distances : ndarray of shape (n_queries, n), float64
        """
        joint_model(queries=self, packed=packed)
        codes = check_packed(packed, self.n_bits)
        levels = None if self.terms is None else self.terms.levels(codes)
        return self.of_costs(self.costs(codes), levels)

    def costs(self, codes: np.ndarray) -> np.ndarray:
        """Return what the bits cost in which codes differ from the queries.

        Parameters
        ----------
        codes : ndarray of shape (n, ceil(n_bits / 8)), uint8
            Packed codes.

        Returns
        -------
        costs : ndarray of shape (n_queries, n), float64
        """
        by_byte = np.ascontiguousarray(codes.T)
        costs = np.empty((len(self), len(codes)))
        for query in range(len(self)):
            tables = tables_of(self.weights[query])
            costs[query] = table_sums(self.codes[query : query + 1], by_byte, tables)
        return costs

    def of_costs(self, costs: np.ndarray, levels: np.ndarray | None) -> np.ndarray:
        """Return the distances that follow from costs.

        Parameters
        ----------
        costs : ndarray of shape (n_queries, n)
            Of items, by query.
        levels : ndarray of shape (n,) or (n_queries, n), uint8, or None
            Those of the terms, if there are terms.

        Returns
        -------
        distances : ndarray of shape (n_queries, n), float64
        """
        keys = costs - self.shifts[:, None]
        if self.terms is None or levels is None:
            return self.constants[:, None] + keys
        steps = levels.astype(np.float64)
        keys *= self.terms.scale + self.terms.scale_step * steps
        keys += self.terms.base + self.terms.bias_step * steps
        return self.terms.finish(self.constants[:, None] + keys)


def _one_per_query(values: ArrayLike | None, n: int, name: str) -> np.ndarray:
    """Return a finite number per query, by default 0."""
    numbers = np.zeros(n) if values is None else np.asarray(values, dtype=np.float64)
    if numbers.shape != (n,) or not np.isfinite(numbers).all():
        raise ValueError(f"{name} must be {n} finite numbers, one per query.")
    return numbers


def as_float_queries(queries: Any) -> FloatQueries | None:
    """Return queries given by real margins; None if they are packed codes.

    Parameters
    ----------
    queries : FloatQueries, array-like of float, or packed codes

    Returns
    -------
    queries : FloatQueries or None

    Examples
    --------
    >>> import numpy as np
    >>> from hashlearn.search import as_float_queries
    >>> as_float_queries([[0.5, -1.0]]).n_bits
    2
    >>> as_float_queries(np.zeros((1, 4), dtype=np.uint8)) is None
    True
    """
    if isinstance(queries, FloatQueries):
        return queries
    array = np.asarray(queries)
    return FloatQueries(array) if array.dtype.kind == "f" else None
