"""Errors of databases, whose messages never contain a password."""

from __future__ import annotations


class StoreError(RuntimeError):
    """A database operation failed: a missing table, a full disk, a refused connection.

    Parameters
    ----------
    problem : str
        What is wrong, without a password.
    remedy : str, default=""
        What to do about it, if `problem` does not say so. A program with an interface of its own,
        such as the command line, may replace it.

    Examples
    --------
    >>> from hashlearn.stores import StoreError
    >>> print(StoreError("table items in codes.db does not exist", "create it first"))
    table items in codes.db does not exist: create it first.
    """

    def __init__(self, problem: str, remedy: str = "") -> None:
        super().__init__(problem, remedy)
        self.problem, self.remedy = problem, remedy

    def __str__(self) -> str:
        return f"{self.problem}: {self.remedy}." if self.remedy else self.problem


class StoreLostError(StoreError, ConnectionError):
    """The connection to a database was lost; what it had not confirmed is not in the table."""


class TableMissingError(StoreError):
    """The table of a store does not exist."""


class IndexMissingError(StoreError):
    """A search with `effort` needs an index, and the table has none."""


class ModelMismatchError(StoreError, ValueError):
    """Codes of one model meet a table with codes of another."""
