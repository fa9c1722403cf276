"""Step 1: from an affinity and a loss to codes of the training items."""

from hashlearn.inference._code_bounds import largest_possible_distance
from hashlearn.inference.base import (
    INFERENCE,
    SOLVERS,
    Inference,
    Solver,
    StepOne,
    as_item_weights,
    register,
    register_solver,
)
from hashlearn.inference.bit_by_bit import BitByBit
from hashlearn.inference.coordinate_descent import CoordinateDescent, as_inference
from hashlearn.inference.eigenmap import Eigenmap, laplacian_eigenvectors
from hashlearn.inference.graph_cut import GraphCut
from hashlearn.inference.lbfgsb import RandomBox, SpectralBox
from hashlearn.inference.new_code import infer_new_code
from hashlearn.inference.sign_flip import SignFlip
from hashlearn.inference.spectral import Spectral

__all__ = [
    "INFERENCE",
    "SOLVERS",
    "BitByBit",
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
    "as_item_weights",
    "infer_new_code",
    "laplacian_eigenvectors",
    "largest_possible_distance",
    "register",
    "register_solver",
]
