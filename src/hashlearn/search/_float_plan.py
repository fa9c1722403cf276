"""Float queries as a scan reads them: their margins in a few bit planes, with bounds of the error.

Weights are rounded to ``step * n``, n an integer of a few bits, so that the rounded cost of a code
is counted: the bits set in each plane of n where code and query differ. The true cost is between
``step * count - excess`` and ``step * count + missing``, the sums of what was added and taken away.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hashlearn._numerics.words import as_words
from hashlearn.search.float_queries import FloatQueries

# Of 2 to 6 planes, 4 are within a seventh of the fastest for embeddings of 64 to 4,096 bits, and
# for random codes, whose nearest are hardest to tell from the rest, of up to 384.
N_PLANES = 4
SHARES = (1.0, 0.85, 0.7, 0.55, 0.4)  # of the largest weight, tried as the largest multiple
UNIT_BITS = 50  # lower bounds are integers below 2^50, exact in float64
ROUNDING = 2.0**-47  # of sums of that size, in float64: more than all operations add up to
SMALLEST_UNIT = 2.0**-1000


class Plan(NamedTuple):
    """Queries for a scan, arrays of one row per query, and their terms.

    The lower bound of a code's key is ``offset + unit * bound``, the bound an integer: its count
    without terms; with them at level l
    ``(per_count * count - per_code) * (scale + scale_step * l) + per_level * l``.
    """

    signs: np.ndarray  # (n_queries, n_words) uint64
    planes: np.ndarray  # (n_queries, N_PLANES, n_words) uint64, the highest bits first
    weights: np.ndarray  # (n_queries, 64 * n_words), in the order of bits
    constants: np.ndarray
    shifts: np.ndarray
    units: np.ndarray
    offsets: np.ndarray
    widths: np.ndarray  # a key is at most this above its lower bound
    per_count: np.ndarray
    per_code: np.ndarray
    per_level: np.ndarray
    scale: float
    scale_step: float
    base: float
    bias_step: float
    is_root: bool  # whether distances are roots of keys


def make_plan(queries: FloatQueries) -> Plan:
    """Return queries for a scan."""
    weights, terms = queries.weights, queries.terms
    n_queries, n_bits = weights.shape
    steps, multiples = _rounded(weights, (1 << N_PLANES) - 1)
    errors = steps[:, None] * multiples - weights
    excess, missing = np.maximum(errors, 0).sum(axis=1), np.maximum(-errors, 0).sum(axis=1)
    bits = (multiples[:, None] >> np.arange(N_PLANES)[::-1, None]) & 1
    planes = np.packbits(bits.astype(bool), axis=2)
    signs = as_words(queries.codes)
    padded = np.zeros((n_queries, 64 * signs.shape[1]))
    padded[:, :n_bits] = weights

    scale, scale_step, base, bias_step = (
        (1.0, 0.0, 0.0, 0.0)
        if terms is None
        else (terms.scale, terms.scale_step, terms.base, terms.bias_step)
    )
    largest_scale = max(scale, scale + 255 * scale_step)  # scales are never negative
    sizes = (weights.sum(axis=1) + excess + np.abs(queries.shifts)) * largest_scale
    sizes += 255 * abs(bias_step)
    slack = ROUNDING * (sizes + np.abs(queries.constants) + abs(base))
    if terms is None:
        units = steps
        offsets = queries.constants - queries.shifts - excess - slack
    else:
        units = np.maximum(np.ldexp(sizes, -UNIT_BITS), SMALLEST_UNIT)
        slack += 2 * units  # a bound is cut off to an integer
        offsets = queries.constants + base - slack
    return Plan(
        signs=signs,
        planes=as_words(planes.reshape(-1, planes.shape[2])).reshape(-1, N_PLANES, signs.shape[1]),
        weights=padded,
        constants=queries.constants,
        shifts=queries.shifts,
        units=units,
        offsets=offsets,
        widths=(excess + missing) * largest_scale + 2 * slack,
        per_count=steps / units,
        per_code=(excess + queries.shifts) / units,
        per_level=bias_step / units,
        scale=scale,
        scale_step=scale_step,
        base=base,
        bias_step=bias_step,
        is_root=terms is not None and terms.use == "bias",
    )


def _rounded(weights: np.ndarray, largest: int) -> tuple[np.ndarray, np.ndarray]:
    """Return steps and multiples up to `largest`, those of several that err the least in sum."""
    top = weights.max(axis=1)
    top[top == 0] = 1.0
    tried = np.maximum(np.outer(top, SHARES) / largest, SMALLEST_UNIT)[:, :, None]
    multiples = np.minimum(np.rint(weights[:, None] / tried), largest)
    errors = np.abs(tried * multiples - weights[:, None]).sum(axis=2)
    best = np.arange(len(weights)), errors.argmin(axis=1)
    return tried[best][:, 0], multiples[best].astype(np.int64)
