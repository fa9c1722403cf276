"""Codes in SQLite files."""

from hashlearn.stores.sqlite.store import SQLiteStore

__all__ = ["SQLiteStore"]
