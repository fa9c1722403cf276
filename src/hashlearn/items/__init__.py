"""Items in files: features, labels and ids, read in blocks. One file per kind of file."""

from hashlearn.items.base import SUFFIXES, Block, Items
from hashlearn.items.csv import CsvItems
from hashlearn.items.npy import NpyItems
from hashlearn.items.npz import NpzItems
from hashlearn.items.opening import open_items, read_column
from hashlearn.items.parquet import ParquetItems
from hashlearn.items.sampling import sample_items
from hashlearn.items.values import as_ids, as_numbers

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
