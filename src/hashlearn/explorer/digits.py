"""The default collection: scikit-learn's digits under three methods."""

from __future__ import annotations

import numpy as np

from hashlearn.datasets import load_digits
from hashlearn.explorer.collection.coded import CodedItems, method_title
from hashlearn.explorer.collection.collection import Collection
from hashlearn.explorer.collection.images import ImageArray
from hashlearn.explorer.collection.labels import Labels
from hashlearn.explorer.collection.readers import PixelReader
from hashlearn.methods import make_hasher

METHODS = ("tsh-ksh", "itq", "lsh")
N_QUERIES, N_TRAINING = 300, 1000  # the split of `hashlearn demo`


def digits_collection(n_bits: int = 32, seed: int = 0) -> Collection:
    """Learn codes of the digits by three methods, from 1,000 of them.

    All 1,797 digits are shown and searched; 300 others are the queries of whole-set measures.

    Parameters
    ----------
    n_bits : int, default=32
        Bits per code.
    seed : int, default=0
        Random state of the split and of the methods.

    Returns
    -------
    collection : Collection
        The ids are positions in scikit-learn's set.

    Examples
    --------
    >>> from hashlearn.explorer import digits_collection
    >>> collection = digits_collection(n_bits=8)
    >>> collection.n_items, list(collection.methods)
    (1797, ['tsh-ksh', 'itq', 'lsh'])
    """
    digits = load_digits()
    assert digits.images is not None
    assert digits.y is not None
    order = np.random.RandomState(seed).permutation(len(digits.X))
    queries, training = order[:N_QUERIES], order[N_QUERIES : N_QUERIES + N_TRAINING]
    methods = {}
    for name in METHODS:
        hasher = make_hasher(name, n_bits=n_bits, random_state=seed)
        hasher.fit(digits.X[training], digits.y[training])
        title, packed = method_title(hasher), hasher.encode(digits.X)
        methods[name] = CodedItems(name, title, packed, n_bits, hasher)
    display = ImageArray(digits.images)
    return Collection(
        name="digits",
        ids=np.arange(len(digits.X)),
        display=display,
        labels=Labels.from_values(digits.y),
        methods=methods,
        reader=PixelReader.like(display, scale=1 / 255),  # the hashers learned values in [0, 1]
        curve_queries=np.sort(queries),
    )
