"""Files of items: features, labels and ids, read in blocks."""

from hashlearn.items.base import SUFFIXES, Block, Items, register
from hashlearn.items.codes import StoredCodes, read_codes, write_codes
from hashlearn.items.csv import CsvItems
from hashlearn.items.lookup import ItemLookup
from hashlearn.items.npy import NpyItems, map_array
from hashlearn.items.npz import NpzItems
from hashlearn.items.opening import open_items, read_column, read_ids
from hashlearn.items.parquet import ParquetItems
from hashlearn.items.sampling import Sample, sample_items
from hashlearn.items.table import TableItems
from hashlearn.items.values import as_ids, as_numbers, is_missing

__all__ = [
    "SUFFIXES",
    "Block",
    "CsvItems",
    "ItemLookup",
    "Items",
    "NpyItems",
    "NpzItems",
    "ParquetItems",
    "Sample",
    "StoredCodes",
    "TableItems",
    "as_ids",
    "as_numbers",
    "is_missing",
    "map_array",
    "open_items",
    "read_codes",
    "read_column",
    "read_ids",
    "register",
    "sample_items",
    "write_codes",
]
