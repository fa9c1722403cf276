"""Queries that are not rounded to bits: real margins against packed codes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hashlearn.search._kernels.distances import table_sums, tables_of, with_exact_sums
from hashlearn.search.code_terms import CodeTerms
from hashlearn.search.packing import check_packed


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
        What items add beside their bits; the difference above is multiplied by their scale.
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
        if not np.isfinite(margins).all():
            raise ValueError("margins must be finite; got NaN or infinity.")
        n, self.n_bits = margins.shape
        self.codes = np.packbits(margins > 0, axis=1)
        self.weights = with_exact_sums(np.abs(margins))
        self.constants = np.zeros(n) if constants is None else np.asarray(constants, np.float64)
        self.shifts = np.zeros(n) if shifts is None else np.asarray(shifts, np.float64)
        self.terms, self.model = terms, model

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, rows: Any) -> FloatQueries:
        """Return some of the queries, given as a slice or an array."""
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
            At least one; all with the terms of the first.

        Returns
        -------
        queries : FloatQueries
        """
        all_of_them = parts[0][:]
        for name in ("codes", "weights", "constants", "shifts"):
            setattr(all_of_them, name, np.concatenate([getattr(part, name) for part in parts]))
        return all_of_them

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
