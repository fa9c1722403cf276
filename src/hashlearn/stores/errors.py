"""What goes wrong with a database, in sentences that hold no password."""

from __future__ import annotations


class StoreError(RuntimeError):
    """A database cannot do what was asked: no such table, no such index, a disk that is full."""


class StoreLostError(StoreError, ConnectionError):
    """The connection to a database was lost; what it had not confirmed is not in the table."""
