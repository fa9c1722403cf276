"""Codes for the tests of this room."""

import numpy as np


def random_codes(n, n_bits, seed=0):
    """Return packed codes with many ties and repetitions."""
    return np.packbits(np.random.default_rng(seed).random((n, n_bits)) < 0.15, axis=1)
