"""What should be found: which database items are relevant to a query, and how much.

A relevance is read in blocks of query rows, so that labels never become one large matrix.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from scipy import sparse


@runtime_checkable
class Relevance(Protocol):
    """Anything that yields relevance in blocks.

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
    """Make a relevance of a matrix; one that yields blocks already is returned as it is.

    Parameters
    ----------
    relevance : Relevance, scipy sparse matrix or array-like of shape (n_queries, n_database)
        Above 0 is relevant; a missing entry is not.

    Returns
    -------
    relevance : Relevance

    Examples
    --------
    >>> as_relevance([[True, False, True]]).block(0, 1)
    array([[ True, False,  True]])
    """
    if isinstance(relevance, Relevance):
        return relevance
    matrix = _sparse_or_array(relevance)
    if _is_sparse(matrix):
        _check_finite(matrix.data, "relevance")
        return SparseRelevance(matrix)
    if matrix.ndim != 2 or matrix.dtype.kind not in "biuf":
        raise ValueError(
            f"relevance is an array of shape {matrix.shape} and dtype {matrix.dtype}: it takes a "
            "(n_queries, n_database) matrix of bool or numbers (or relevance_from_labels)."
        )
    _check_finite(matrix, "relevance")
    return DenseRelevance(matrix)


def relevance_from_labels(query_labels: Any, database_labels: Any) -> Relevance:
    """Make a relevance of labels: items are relevant to each other if they share one.

    Parameters
    ----------
    query_labels : array-like of shape (n_queries,) or (n_queries, n_labels)
        One label per query, or a 0/1 indicator of several labels (dense or scipy sparse).
    database_labels : array-like of shape (n_database,) or (n_database, n_labels)
        The same for the database.

    Returns
    -------
    relevance : Relevance

    Examples
    --------
    >>> relevance_from_labels(["cat", "dog"], ["dog", "cat", "dog"]).block(0, 2)
    array([[False,  True, False],
           [ True, False,  True]])
    >>> relevance_from_labels([[1, 0, 1]], [[0, 1, 0], [0, 1, 1]]).block(0, 1)
    array([[False,  True]])
    """
    queries, database = _sparse_or_array(query_labels), _sparse_or_array(database_labels)
    if queries.ndim == database.ndim == 1:
        return _from_one_label(queries, database)
    if queries.ndim == database.ndim == 2 and queries.shape[1] == database.shape[1]:
        return SharedLabelRelevance(
            _check_indicator(queries, "query_labels"),
            _check_indicator(database, "database_labels"),
        )
    raise ValueError(
        f"query_labels has shape {queries.shape} and database_labels {database.shape}: they take "
        "two 1-D arrays of labels, or two 0/1 indicators with the same number of labels."
    )


@dataclass(frozen=True)
class DenseRelevance:
    """Relevance given as a dense matrix."""

    matrix: np.ndarray

    @property
    def shape(self) -> tuple[int, int]:
        """Queries and database items."""
        return self.matrix.shape

    def block(self, start: int, stop: int) -> np.ndarray:
        """Return rows `start` to `stop`."""
        return self.matrix[start:stop]


@dataclass(frozen=True)
class SparseRelevance:
    """Relevance given as a scipy CSR matrix; a missing entry is not relevant."""

    matrix: Any

    @property
    def shape(self) -> tuple[int, int]:
        """Queries and database items."""
        return self.matrix.shape

    def block(self, start: int, stop: int) -> np.ndarray:
        """Return rows `start` to `stop` as a dense array."""
        return self.matrix[start:stop].toarray()


@dataclass(frozen=True)
class LabelRelevance:
    """One label per item, as integers: equal labels are relevant."""

    query_labels: np.ndarray
    database_labels: np.ndarray

    @property
    def shape(self) -> tuple[int, int]:
        """Queries and database items."""
        return self.query_labels.shape[0], self.database_labels.shape[0]

    def block(self, start: int, stop: int) -> np.ndarray:
        """Return rows `start` to `stop` as bool."""
        return self.query_labels[start:stop, None] == self.database_labels


@dataclass(frozen=True)
class SharedLabelRelevance:
    """Several labels per item, as 0/1 indicators: one shared label makes items relevant."""

    query_labels: Any
    database_labels: Any

    @property
    def shape(self) -> tuple[int, int]:
        """Queries and database items."""
        return self.query_labels.shape[0], self.database_labels.shape[0]

    def block(self, start: int, stop: int) -> np.ndarray:
        """Return rows `start` to `stop` as bool."""
        shared = self.query_labels[start:stop] @ self.database_labels.T
        return (shared.toarray() if _is_sparse(shared) else shared) > 0


def _is_sparse(values: Any) -> bool:  # hides a type guard: scipy's ABC lists no methods
    return sparse.issparse(values)


def _sparse_or_array(values: Any) -> Any:
    """Return a scipy sparse matrix as CSR, anything else as an array."""
    return values.tocsr() if _is_sparse(values) else np.asarray(values)


def _from_one_label(queries: np.ndarray, database: np.ndarray) -> LabelRelevance:
    _check_finite(queries, "query_labels")
    _check_finite(database, "database_labels")
    if (queries.dtype.kind in "biuf") != (database.dtype.kind in "biuf"):
        raise ValueError(
            f"query_labels has dtype {queries.dtype} and database_labels {database.dtype}: "
            "both take numbers, or neither."
        )
    _, labels = np.unique(np.concatenate([queries, database]), return_inverse=True)
    labels = labels.astype(np.int32)
    return LabelRelevance(labels[: queries.size], labels[queries.size :])


def _check_indicator(labels: Any, name: str) -> Any:
    """Return a 0/1 indicator as float32, for a fast product."""
    values = labels.data if _is_sparse(labels) else labels
    if not np.isin(values, (0, 1)).all():
        raise ValueError(f"{name} is 2-D with values other than 0 and 1: it takes a 0/1 indicator.")
    return labels.astype(np.float32)


def _check_finite(values: np.ndarray, name: str) -> None:
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        raise ValueError(f"{name} holds NaN or infinity: it takes finite values.")
