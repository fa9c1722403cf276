"""Packed codes and their nearest neighbours by Hamming or another distance."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from hashlearn.search.code_terms import CodeTerms
from hashlearn.search.float_queries import FloatQueries, as_float_queries
from hashlearn.search.index import HammingIndex
from hashlearn.search.nearest import nearest_codes
from hashlearn.search.packing import (
    PackedCodes,
    check_packed,
    joint_model,
    pack_codes,
    unpack_codes,
)
from hashlearn.search.rescoring import MarginRescoring, Rescoring, VectorRescoring
from hashlearn.search.results import Neighbours, RadiusHits

if TYPE_CHECKING:
    from hashlearn.search.distances import (
        Distance,
        EigenfunctionDistance,
        SphericalHamming,
        WeightedHamming,
    )

__all__ = [
    "CodeTerms",
    "Distance",
    "EigenfunctionDistance",
    "FloatQueries",
    "HammingIndex",
    "MarginRescoring",
    "Neighbours",
    "PackedCodes",
    "RadiusHits",
    "Rescoring",
    "SphericalHamming",
    "VectorRescoring",
    "WeightedHamming",
    "as_float_queries",
    "check_packed",
    "joint_model",
    "nearest_codes",
    "pack_codes",
    "unpack_codes",
]


def __getattr__(name: str) -> Any:
    """Import a distance when it is first used: Hamming's does not need scikit-learn."""
    if name in __all__:
        return getattr(import_module("hashlearn.search.distances"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
