"""scikit-learn's digits: a small set that needs no file."""

from __future__ import annotations

import numpy as np
import sklearn.datasets

from hashlearn.datasets._files import Folder
from hashlearn.datasets.base import Dataset, register

LEVELS = 16  # the largest grey value


@register("digits")
def load_digits(data_home: Folder | None = None) -> Dataset:
    """Load scikit-learn's digits: 1,797 handwritten digits of 8 x 8 pixels in 10 classes.

    Parameters
    ----------
    data_home : str or path-like, optional
        Not needed: the set comes with scikit-learn.

    Returns
    -------
    Dataset
        `X` is float32 from 0 to 1, `y` the digits, `images` uint8 from 0 to 255.

    Examples
    --------
    >>> from hashlearn.datasets import load_digits
    >>> load_digits()
    Dataset('digits': 1,797 items, 64 features, 10 classes, images 8 x 8)
    """
    digits = sklearn.datasets.load_digits()
    return Dataset(
        name="digits",
        X=(digits.data / LEVELS).astype(np.float32),
        y=digits.target.astype(np.int64),
        images=np.rint(digits.images * (255 / LEVELS)).astype(np.uint8),
        label_names=tuple("0123456789"),
    )
