"""Relevance of database items to queries.

It is read in blocks of query rows, so that labels never become one large matrix.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from scipy import sparse


@runtime_checkable
class Relevance(Protocol):
    """Anything that gives relevance in blocks of rows.

    A value above 0 is relevant; the value itself counts only where relevance is graded
    (:func:`~hashlearn.metrics.ndcg`). Blocks are asked for from several threads.

    Attributes
    ----------
    shape : tuple of int
        Queries and database items.
    """

    @property
    def shape(self) -> tuple[int, int]:
        """Queries and database items."""

    def block(self, start: int, stop: int) -> np.ndarray:
        """Return rows `start` to `stop` as a dense array of bool or numbers."""


def as_relevance(relevance: Any) -> Relevance:
    """Return a relevance from a matrix; one that gives blocks already is returned as it is.

    Parameters
    ----------
    relevance : Relevance, scipy sparse matrix or array-like of shape (n_queries, n_database)
        Above 0 is relevant; a missing entry is not.

    Returns
    -------
    relevance : Relevance

    Examples
    --------
    >>> from hashlearn.metrics import as_relevance
    >>> as_relevance([[True, False, True]]).block(0, 1)
    array([[ True, False,  True]])
    """
    if isinstance(relevance, Relevance):
        return relevance
    matrix = _sparse_or_array(relevance)
    if _is_sparse(matrix):
        _check_finite(matrix.data, "relevance")
        return _MatrixRelevance(matrix)
    if matrix.ndim != 2 or matrix.dtype.kind not in "biuf":
        raise ValueError(
            "relevance must be a (n_queries, n_database) matrix of bool or numbers (for labels see "
            f"relevance_from_labels); got shape {matrix.shape} and dtype {matrix.dtype}."
        )
    _check_finite(matrix, "relevance")
    return _MatrixRelevance(matrix)


def relevance_from_labels(
    query_labels: Any, database_labels: Any, *, graded: bool = False
) -> Relevance:
    """Return a relevance from labels: items that share a label are relevant to each other.

    Parameters
    ----------
    query_labels : array-like of shape (n_queries,) or (n_queries, n_labels)
        One label per query, or a 0/1 indicator of several labels (dense or scipy sparse).
    database_labels : array-like of shape (n_database,) or (n_database, n_labels)
        The same for the database.
    graded : bool, default=False
        Whether the relevance of items with several labels is the number of labels that they
        share, the gain of :func:`~hashlearn.metrics.ndcg`. Other measures only ask whether it is
        above 0.

    Returns
    -------
    relevance : Relevance

    Examples
    --------
    >>> from hashlearn.metrics import relevance_from_labels
    >>> relevance_from_labels(["cat", "dog"], ["dog", "cat", "dog"]).block(0, 2)
    array([[False,  True, False],
           [ True, False,  True]])
    >>> relevance_from_labels([[1, 0, 1]], [[0, 1, 0], [0, 1, 1]]).block(0, 1)
    array([[False,  True]])
    >>> relevance_from_labels([[1, 1, 1]], [[0, 0, 0], [0, 1, 1]], graded=True).block(0, 1)
    array([[0., 2.]], dtype=float32)
    """
    queries, database = _sparse_or_array(query_labels), _sparse_or_array(database_labels)
    if queries.ndim == database.ndim == 1:
        return _from_one_label(queries, database)
    if queries.ndim == database.ndim == 2 and queries.shape[1] == database.shape[1]:
        relevance = _SharedLabels if graded else _AnySharedLabel
        return relevance(
            _check_indicator(queries, "query_labels"),
            _check_indicator(database, "database_labels"),
        )
    raise ValueError(
        "query_labels and database_labels must be two 1-D arrays of labels, or two 0/1 indicators "
        f"with the same number of labels; got shapes {queries.shape} and {database.shape}."
    )


@dataclass(frozen=True)
class _MatrixRelevance:
    """Relevance given as a dense or a CSR matrix; a missing entry is not relevant."""

    matrix: Any

    @property
    def shape(self) -> tuple[int, int]:
        return self.matrix.shape

    def block(self, start: int, stop: int) -> np.ndarray:
        rows = self.matrix[start:stop]
        return rows.toarray() if _is_sparse(rows) else rows


@dataclass(frozen=True)
class _LabelRelevance:
    """One label per item, as integers: equal labels are relevant."""

    query_labels: Any
    database_labels: Any

    @property
    def shape(self) -> tuple[int, int]:
        return self.query_labels.shape[0], self.database_labels.shape[0]

    def block(self, start: int, stop: int) -> np.ndarray:
        return self.query_labels[start:stop, None] == self.database_labels


@dataclass(frozen=True)
class _SharedLabels(_LabelRelevance):
    """Several labels per item, as 0/1 indicators: the number of labels that two items share."""

    def block(self, start: int, stop: int) -> np.ndarray:
        shared = self.query_labels[start:stop] @ self.database_labels.T
        return shared.toarray() if _is_sparse(shared) else shared


@dataclass(frozen=True)
class _AnySharedLabel(_SharedLabels):
    """Several labels per item: one shared label makes items relevant."""

    def block(self, start: int, stop: int) -> np.ndarray:
        return super().block(start, stop) > 0


def _is_sparse(values: Any) -> bool:  # hides a type guard: scipy's ABC lists no methods
    return sparse.issparse(values)


def _sparse_or_array(values: Any) -> Any:
    """Return a scipy sparse matrix as CSR, anything else as an array."""
    return values.tocsr() if _is_sparse(values) else np.asarray(values)


def _from_one_label(queries: np.ndarray, database: np.ndarray) -> _LabelRelevance:
    _check_finite(queries, "query_labels")
    _check_finite(database, "database_labels")
    if (queries.dtype.kind in "biuf") != (database.dtype.kind in "biuf"):
        raise ValueError(
            "query_labels and database_labels must both be numbers, or neither; got dtypes "
            f"{queries.dtype} and {database.dtype}."
        )
    _, labels = np.unique(np.concatenate([queries, database]), return_inverse=True)
    labels = labels.astype(np.int32)
    return _LabelRelevance(labels[: queries.size], labels[queries.size :])


def _check_indicator(labels: Any, name: str) -> Any:
    """Return a 0/1 indicator as float32, for a fast product."""
    values = labels.data if _is_sparse(labels) else labels
    if not np.isin(values, (0, 1)).all():
        raise ValueError(f"{name} is 2-D, so it must be a 0/1 indicator; got other values.")
    return labels.astype(np.float32)


def _check_finite(values: np.ndarray, name: str) -> None:
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        raise ValueError(f"{name} must be finite; got NaN or infinity.")
