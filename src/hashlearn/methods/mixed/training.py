"""What a mixed hasher is fitted on, and by what."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from hashlearn.methods.mixed.parts import Parts
from hashlearn.methods.mixed.supervision import Supervision


class Training(NamedTuple):
    """What choices are made on.

    Attributes
    ----------
    X : array or CSR matrix of n_items rows
        All items, the unlabelled ones too.
    supervision : Supervision
        What is known of them.
    parts : Parts
        The hashers.
    random_state : RandomState
        Draws what is held out or hidden, and what is learned from.
    verbose : int
        Above 0, a bar over what is tried.
    """

    X: Any
    supervision: Supervision
    parts: Parts
    random_state: np.random.RandomState
    verbose: int
