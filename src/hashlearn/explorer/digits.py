"""The collection that the explorer opens by itself: scikit-learn's digits under three methods."""

from __future__ import annotations

import numpy as np

from hashlearn.datasets.digits import load_digits
from hashlearn.experiments.digits import split_digits
from hashlearn.explorer.collection.coded import CodedItems
from hashlearn.explorer.collection.collection import Collection
from hashlearn.explorer.collection.labels import Labels
from hashlearn.methods import make_hasher

METHODS = {
    "tsh-ksh": "Two-step hashing, KSH loss",
    "itq": "Iterative quantization",
    "lsh": "Locality-sensitive hashing",
}


def digits_collection(n_bits: int = 32, seed: int = 0) -> Collection:
    """Learn codes of the digits by three methods, from 1,000 of them.

    The 1,797 digits are split as by :func:`~hashlearn.experiments.digits.split_digits`: 300 are
    held out, and whole-set measures ask for these. All of them are shown and searched.

    Parameters
    ----------
    n_bits : int, default=32
        Bits per code.
    seed : int, default=0
        Of the split and of the methods.

    Returns
    -------
    collection : Collection
        Ids are positions in scikit-learn's set.

    Examples
    --------
    >>> collection = digits_collection(n_bits=8)
    >>> collection.n_items, list(collection.methods)
    (1797, ['tsh-ksh', 'itq', 'lsh'])
    """
    from hashlearn.explorer.collection.images import ImageArray  # needs the extra 'explorer'
    from hashlearn.explorer.collection.readers import PixelReader

    digits, split = load_digits(), split_digits(seed)
    assert digits.images is not None
    methods = {}
    for name, title in METHODS.items():
        hasher = make_hasher(name, n_bits=n_bits, random_state=seed)
        hasher.fit(split.training.X, split.training.y)
        methods[name] = CodedItems(name, title, hasher.encode(digits.X), n_bits, hasher)
    display = ImageArray(digits.images)
    return Collection(
        name="digits",
        ids=np.arange(len(digits.X)),
        display=display,
        labels=Labels.from_values(digits.y),
        methods=methods,
        reader=PixelReader.like(display, scale=1 / 255),  # the hashers know grey values from 0 to 1
        curve_queries=np.sort(split.queries.ids),
    )
