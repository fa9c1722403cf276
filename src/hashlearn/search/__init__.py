"""Packed codes and their nearest neighbours by Hamming distance."""

from hashlearn.search.nearest import nearest_codes
from hashlearn.search.packing import check_packed, pack_codes, unpack_codes

__all__ = ["check_packed", "nearest_codes", "pack_codes", "unpack_codes"]
