"""Codes in LanceDB."""

from hashlearn.stores.lancedb.store import LanceStore

__all__ = ["LanceStore"]
