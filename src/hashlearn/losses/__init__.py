"""How wrong a pair is: losses on the Hamming affinity of two codes."""

from hashlearn.losses.base import LOSSES, FunctionLoss, Loss, as_loss, loss_table
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
    "loss_table",
]
