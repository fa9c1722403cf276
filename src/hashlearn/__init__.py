"""Compact binary codes: learned from labels, pairs or raw vectors, searched by Hamming distance."""

from hashlearn._version import __version__
from hashlearn.io import load_model as load
from hashlearn.methods import list_methods, make_hasher
from hashlearn.search import HammingIndex, nearest_codes, pack_codes, unpack_codes
from hashlearn.two_step import TwoStepHasher

__all__ = [
    "HammingIndex",
    "TwoStepHasher",
    "__version__",
    "list_methods",
    "load",
    "make_hasher",
    "nearest_codes",
    "pack_codes",
    "unpack_codes",
]
