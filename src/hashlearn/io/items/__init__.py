"""Items in files: features, labels and ids, read in blocks. One file per kind of file."""

from hashlearn.io.items.base import SUFFIXES, Block, Items
from hashlearn.io.items.csv import CsvItems
from hashlearn.io.items.npy import NpyItems
from hashlearn.io.items.npz import NpzItems
from hashlearn.io.items.opening import open_items, read_column
from hashlearn.io.items.parquet import ParquetItems
from hashlearn.io.items.sampling import sample_items
from hashlearn.io.items.values import as_ids, as_numbers

__all__ = [
    "SUFFIXES",
    "Block",
    "CsvItems",
    "Items",
    "NpyItems",
    "NpzItems",
    "ParquetItems",
    "as_ids",
    "as_numbers",
    "open_items",
    "read_column",
    "sample_items",
]
