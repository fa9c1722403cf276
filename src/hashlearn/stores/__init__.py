"""Packed codes in databases: one adapter file per engine, one face for all."""

from hashlearn.stores.base import STORES, Store
from hashlearn.stores.batches import Batch
from hashlearn.stores.errors import StoreError, StoreLostError
from hashlearn.stores.lancedb import LanceStore
from hashlearn.stores.opening import open_store
from hashlearn.stores.postgresql import PostgresStore
from hashlearn.stores.sqlite import SQLiteStore
from hashlearn.stores.where import Between

__all__ = [
    "STORES",
    "Batch",
    "Between",
    "LanceStore",
    "PostgresStore",
    "SQLiteStore",
    "Store",
    "StoreError",
    "StoreLostError",
    "open_store",
]
