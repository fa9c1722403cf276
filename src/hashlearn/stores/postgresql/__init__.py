"""Codes in PostgreSQL."""

from hashlearn.stores.postgresql.store import PostgresStore

__all__ = ["PostgresStore"]
