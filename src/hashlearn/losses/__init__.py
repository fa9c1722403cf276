"""Losses: how wrong a pair is, given the Hamming affinity of its codes."""

from hashlearn.losses.base import (
    LOSSES,
    FunctionLoss,
    Loss,
    as_loss,
    difference_table,
    is_groupable,
    loss_table,
    register,
    tabulate,
)
from hashlearn.losses.bre import BRELoss
from hashlearn.losses.ee import EELoss
from hashlearn.losses.exph import ExpHLoss
from hashlearn.losses.hinge import HingeLoss
from hashlearn.losses.ksh import KSHLoss
from hashlearn.losses.laplacian import LaplacianLoss
from hashlearn.losses.splh import SPLHLoss

__all__ = [
    "LOSSES",
    "BRELoss",
    "EELoss",
    "ExpHLoss",
    "FunctionLoss",
    "HingeLoss",
    "KSHLoss",
    "LaplacianLoss",
    "Loss",
    "SPLHLoss",
    "as_loss",
    "difference_table",
    "is_groupable",
    "loss_table",
    "register",
    "tabulate",
]
