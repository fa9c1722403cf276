"""Distances between codes other than Hamming's, for methods with their own ranking."""

from hashlearn.search.distances.base import (
    DISTANCES,
    Distance,
    check_distance,
    register,
)
from hashlearn.search.distances.eigenfunction import EigenfunctionDistance
from hashlearn.search.distances.spherical import SphericalHamming
from hashlearn.search.distances.weighted import WeightedHamming

__all__ = [
    "DISTANCES",
    "Distance",
    "EigenfunctionDistance",
    "SphericalHamming",
    "WeightedHamming",
    "check_distance",
    "register",
]
