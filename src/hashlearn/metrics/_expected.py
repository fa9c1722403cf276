r"""Means over all orders of equally distant items, in closed form.

A distance holds :math:`T` items, :math:`R` of them relevant; :math:`N` items, :math:`H` of them
relevant, are nearer. In a random order of the :math:`T` items

- each of the first :math:`t` is relevant with probability :math:`R / T`;
- if the :math:`j`-th is relevant, :math:`H + 1 + (j - 1) c` with :math:`c = (R - 1) / (T - 1)`
  relevant items are expected up to it, at rank :math:`N + j`. So the precisions at the relevant
  ones among the first :math:`t` sum to :math:`\frac{R}{T} \left( c t + (H + 1 - c (N + 1))
  (h_{N+t} - h_N) \right)`, with harmonic numbers :math:`h`;
- the first :math:`t` hold a hypergeometric number :math:`x` of relevant ones, and given
  :math:`x` they are themselves in random order.

References
----------
.. [1] McSherry and Najork, "Computing Information Retrieval Performance Measures Efficiently
   in the Presence of Tied Scores", ECIR 2008.
.. [2] He et al., "Hashing as Tie-Aware Learning to Rank", CVPR 2018.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hashlearn._numerics.compiled import compiled

if TYPE_CHECKING:
    from hashlearn.metrics.counts import RankingCounts


def expected_precision_sum(counts: RankingCounts, k: int) -> np.ndarray:
    """Return per query and distance the expected sum of precisions at relevant ranks up to k."""
    harmonic = _harmonic_numbers(int(counts.total.sum(axis=1).max(initial=0)))
    sums = np.empty(counts.total.shape)
    _write_precision_sums(counts.total, counts.relevant, k, harmonic, sums)
    return sums


@compiled
def _write_precision_sums(
    total: np.ndarray, relevant: np.ndarray, k: int, harmonic: np.ndarray, sums: np.ndarray
) -> None:
    for q in range(total.shape[0]):
        N, H = 0, 0
        for d in range(total.shape[1]):
            T, R = total[q, d], relevant[q, d]
            t = min(max(k - N, 0), T)
            c = (R - 1) / max(T - 1, 1)
            step = harmonic[N + t] - harmonic[N]
            sums[q, d] = R / max(T, 1) * (c * t + (H + 1 - c * (N + 1)) * step)
            N, H = N + T, H + R


def expected_precision_over_found(counts: RankingCounts, k: int) -> np.ndarray:
    """Return per query the expected mean precision at the relevant ranks up to k, 0 for none.

    The sum and the number of precisions both depend on the order of the last distance's items.
    """
    t = counts.inside(k)
    last = t.shape[1] - 1 - np.argmax(t[:, ::-1] > 0, axis=1)
    rows = np.arange(last.size)
    sums = expected_precision_sum(counts, k)
    nearer = np.where(np.arange(t.shape[1]) < last[:, None], sums, 0.0).sum(axis=1)
    N, H = counts.total_before[rows, last], counts.relevant_before[rows, last]
    T, R, t = counts.total[rows, last], counts.relevant[rows, last], t[rows, last]
    harmonic = _harmonic_numbers(k)
    return _over_found(nearer, N, H, T, R, t, harmonic[N + t] - harmonic[N])


def _harmonic_numbers(n: int) -> np.ndarray:
    return np.concatenate([[0.0], np.cumsum(1.0 / np.arange(1, n + 1))])


@compiled
def _over_found(
    nearer: np.ndarray,
    N: np.ndarray,
    H: np.ndarray,
    T: np.ndarray,
    R: np.ndarray,
    t: np.ndarray,
    step: np.ndarray,
) -> np.ndarray:
    """Average (precision sum) / (relevant found) over the hypergeometric x, per query."""
    means = np.zeros(nearer.size)
    for q in range(nearer.size):
        low, high = max(0, t[q] - (T[q] - R[q])), min(t[q], R[q])
        # Unnormalised probabilities, from the mode outwards: no overflow, no gamma functions.
        mode = min(max((t[q] + 1) * (R[q] + 1) // (T[q] + 2), low), high)
        outside = T[q] - R[q] - t[q]
        weights = np.ones(high - low + 1)
        for x in range(mode, high):
            ratio = (R[q] - x) * (t[q] - x) / ((x + 1) * (outside + x + 1))
            weights[x + 1 - low] = weights[x - low] * ratio
        for x in range(mode, low, -1):
            ratio = x * (outside + x) / ((R[q] - x + 1) * (t[q] - x + 1))
            weights[x - 1 - low] = weights[x - low] * ratio
        for x in range(max(low, 1 - H[q]), high + 1):
            c = (x - 1) / max(t[q] - 1, 1)
            last = x / max(t[q], 1) * (c * t[q] + (H[q] + 1 - c * (N[q] + 1)) * step[q])
            means[q] += weights[x - low] * (nearer[q] + last) / (H[q] + x)
        means[q] /= weights.sum()
    return means
