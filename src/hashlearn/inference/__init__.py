"""Step 1: from an affinity and a loss to codes of the training items."""

from hashlearn.inference.base import INFERENCE, Inference, StepOne
from hashlearn.inference.box import RandomBox, SpectralBox
from hashlearn.inference.code_bounds import largest_possible_distance
from hashlearn.inference.coordinate_descent import (
    SOLVERS,
    CoordinateDescent,
    Solver,
    as_inference,
)
from hashlearn.inference.eigenmap import Eigenmap
from hashlearn.inference.graph_cut import GraphCut
from hashlearn.inference.local_search import SignFlip
from hashlearn.inference.new_group import infer_new_code
from hashlearn.inference.spectral import Spectral

__all__ = [
    "INFERENCE",
    "SOLVERS",
    "CoordinateDescent",
    "Eigenmap",
    "GraphCut",
    "Inference",
    "RandomBox",
    "SignFlip",
    "Solver",
    "Spectral",
    "SpectralBox",
    "StepOne",
    "as_inference",
    "infer_new_code",
    "largest_possible_distance",
]
