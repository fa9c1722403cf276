"""Packed codes and their nearest neighbours by Hamming or another distance."""

from hashlearn.search.distances import (
    Distance,
    EigenfunctionDistance,
    SphericalHamming,
    WeightedHamming,
)
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

__all__ = [
    "Distance",
    "EigenfunctionDistance",
    "HammingIndex",
    "MarginRescoring",
    "Neighbours",
    "PackedCodes",
    "RadiusHits",
    "Rescoring",
    "SphericalHamming",
    "VectorRescoring",
    "WeightedHamming",
    "check_packed",
    "joint_model",
    "nearest_codes",
    "pack_codes",
    "unpack_codes",
]
