"""Distances between codes beside Hamming's, for methods with a ranking of their own."""

from hashlearn.search.distances.base import (
    DISTANCES,
    Distance,
    bits_of_distance,
    check_distance,
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
    "bits_of_distance",
    "check_distance",
]
