"""The public names, imported together: with them every part and method is registered."""

from hashlearn.comparison import compare
from hashlearn.files import load_model as load
from hashlearn.methods import list_methods, make_hasher
from hashlearn.methods.mixed import MixedHasher
from hashlearn.search import (
    EigenfunctionDistance,
    FloatQueries,
    HammingIndex,
    MarginRescoring,
    SphericalHamming,
    VectorRescoring,
    WeightedHamming,
    nearest_codes,
    pack_codes,
    unpack_codes,
)
from hashlearn.two_step import TwoStepHasher

__all__ = [
    "EigenfunctionDistance",
    "FloatQueries",
    "HammingIndex",
    "MarginRescoring",
    "MixedHasher",
    "SphericalHamming",
    "TwoStepHasher",
    "VectorRescoring",
    "WeightedHamming",
    "compare",
    "list_methods",
    "load",
    "make_hasher",
    "nearest_codes",
    "pack_codes",
    "unpack_codes",
]
