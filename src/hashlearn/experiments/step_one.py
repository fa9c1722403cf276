"""Step 1 alone: its codes, and its time within a fit."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from hashlearn.affinity import Affinity
from hashlearn.inference import Inference, StepOne, as_inference
from hashlearn.losses import as_loss


def infer_codes(affinity: Affinity, loss: Any, n_bits: int, random_state: Any) -> np.ndarray:
    """Return the codes that `TwoStepHasher` would infer, 0/1.

    Examples
    --------
    >>> from hashlearn.affinity import LabelAffinity
    >>> codes = infer_codes(LabelAffinity([0, 0, 1]), "bre", n_bits=4, random_state=0)
    >>> int((codes[0] != codes[1]).sum()), int((codes[0] != codes[2]).sum())
    (0, 4)
    """
    loss = as_loss(loss)
    random = check_random_state(random_state)
    return as_inference("auto", loss).infer(affinity, loss, n_bits, random_state=random).codes


class TimedInference(Inference):
    """An inference that notes how long Step 1 took.

    Parameters
    ----------
    inference : Inference
        What does the work.

    Attributes
    ----------
    seconds_ : float
        The time of the last Step 1.
    """

    def __init__(self, inference: Inference) -> None:
        self.inference = inference

    def check(self, loss: Any) -> None:
        """Raise if the loss cannot work here."""
        self.inference.check(loss)

    def check_affinity(self, affinity: Any, loss: Any) -> None:
        """Raise if the affinity cannot work here."""
        self.inference.check_affinity(affinity, loss)

    def infer(self, *args: Any, **kwargs: Any) -> StepOne:
        """Return the codes, and note the time."""
        begin = time.perf_counter()
        step_one = self.inference.infer(*args, **kwargs)
        self.seconds_ = time.perf_counter() - begin
        return step_one
