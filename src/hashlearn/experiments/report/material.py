"""Material of the parts: the results, and the images of data sets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from hashlearn.experiments.summaries import Result

ImagesOf = Callable[[str], np.ndarray | None]


@dataclass(frozen=True)
class Material:
    """What all parts are made of."""

    results: list[Result]
    images_of: ImagesOf
