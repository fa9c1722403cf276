"""Packed codes in databases: one folder per engine, one interface for all."""

from hashlearn.stores.base import STORES, Store, register
from hashlearn.stores.batches import Batch, Found, Layout
from hashlearn.stores.errors import (
    IndexMissingError,
    ModelMismatchError,
    StoreError,
    StoreLostError,
    TableMissingError,
)
from hashlearn.stores.lancedb import LanceStore
from hashlearn.stores.listing import TableInfo, list_tables
from hashlearn.stores.opening import is_store_address, open_store
from hashlearn.stores.postgresql import PostgresStore
from hashlearn.stores.sqlite import SQLiteStore
from hashlearn.stores.where import Between, Condition, Not

__all__ = [
    "STORES",
    "Batch",
    "Between",
    "Condition",
    "Found",
    "IndexMissingError",
    "LanceStore",
    "Layout",
    "ModelMismatchError",
    "Not",
    "PostgresStore",
    "SQLiteStore",
    "Store",
    "StoreError",
    "StoreLostError",
    "TableInfo",
    "TableMissingError",
    "is_store_address",
    "list_tables",
    "open_store",
    "register",
]
