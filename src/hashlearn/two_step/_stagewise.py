"""Stagewise learning: each bit is inferred from the outputs of the hash functions before it."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from hashlearn._progress import say, track
from hashlearn.affinity import Affinity
from hashlearn.files import storable
from hashlearn.hash_functions import HashFunction
from hashlearn.inference import CoordinateDescent, Inference
from hashlearn.losses import Loss
from hashlearn.two_step._items import TrainingItems

MAX_ALL_PAIRS = 5_000  # items; above, pairs are sampled and the cost is linear
N_SIMILAR = 100  # sampled partners per item
N_DISSIMILAR = 100

_MAX_LOST = 0.01  # of the fall of the objective: a loss that can be 0 varies by so much near it


@storable("bit-by-bit")
class BitByBitHash(HashFunction):
    """Fitted hash functions of one bit each, `parts_`, side by side."""

    parts_: list[HashFunction]

    @classmethod
    def of(cls, parts: list[HashFunction]) -> Self:
        """Put fitted hash functions together."""
        together = cls()
        together.parts_ = parts
        return together

    @property
    def accepts_sparse(self) -> bool:  # type: ignore[override]
        """Whether the hash functions take sparse X."""
        return all(part.accepts_sparse for part in self.parts_)

    def decision_function(self, X: Any) -> np.ndarray:
        """Return the (n, n_bits) margins; a bit is 1 where its margin is positive."""
        return np.hstack([part.decision_function(X) for part in self.parts_])

    def bits(self, X: Any) -> np.ndarray:
        """Return which margins are positive."""
        return np.hstack([part.bits(X) for part in self.parts_])


class Stages(NamedTuple):
    """Step 1's codes, 0/1, the loss of the outputs after every bit, and the fitted Step 2."""

    codes: np.ndarray
    objective: np.ndarray
    hash_function: BitByBitHash


def check_stagewise(stagewise: Any, inference: Inference) -> None:
    """Raise if bits are to be learned one by one, and the inference gives all at once."""
    if not isinstance(stagewise, bool | np.bool_):
        raise ValueError(f"stagewise must be True or False; got {stagewise!r}.")
    if stagewise and not inference.one_by_one:
        raise ValueError(
            f"inference must infer bits one by one if stagewise=True; got {inference!r}. Use a "
            "solver of single bits such as 'graph-cut'."
        )


def learn_stagewise(
    items: TrainingItems,
    loss: Loss,
    inference: CoordinateDescent,
    hash_function: HashFunction,
    n_bits: int,
    random_state: np.random.RandomState,
    verbose: int,
) -> Stages:
    """Learn bit after bit: infer it, train its hash function, go on from what that one says.

    Bit k's problem sees the outputs of the bits before it; bits that are not learned yet are
    left out of the loss. An item counts in training with the sum over j of abs(a_ij), what its
    bit can change, where the hash function weighs items.
    """
    if items.weights is not None and not hash_function.takes_weights:
        raise ValueError(
            f"sample_weight is given, and {hash_function!r} does not weigh the bits of items, as "
            "stagewise=True needs; 'boosted-trees' does."
        )
    say(f"{n_bits} bits, one by one, by {hash_function!r}", verbose)
    affinity = linear_in_items(items.affinity, random_state, verbose)
    n = affinity.n_items
    counts = np.ones(n) if items.weights is None else items.weights
    bits = inference.bit_by_bit(
        affinity, loss, n_bits, sample_weight=items.weights, random_state=random_state
    )
    prepared = hash_function.prepare(items.X)
    codes, values = np.empty((n, n_bits), dtype=np.uint8), np.empty(n_bits)
    parts: list[HashFunction] = []
    for k in track(range(n_bits), "Both steps: bits", n_bits, verbose):
        bit = bits.infer(k)  # Step 1
        weights = None
        if hash_function.takes_weights:
            weights = counts.mean() * bits.influence()[:, None]
        part = clone(hash_function).fit_prepared(prepared, bit[:, None], 0, weights)  # Step 2
        outputs = part.decision_function(items.X)[:, 0] > 0
        codes[:, k], values[k] = bit, bits.keep(k, outputs)
        parts.append(part.without_updates())  # learned bit by bit, none has a `partial_fit`
    _warn_if_risen(values)
    return Stages(codes, values, BitByBitHash.of(parts))


def _warn_if_risen(objective: np.ndarray) -> None:
    """Warn if the last bits took back more than a little of what the others had won."""
    lowest = int(objective.argmin())
    risen = objective[-1] - objective[lowest]
    if risen > _MAX_LOST * (objective[0] - objective[lowest]):
        warnings.warn(
            f"The objective rose from {objective[lowest]:.3g} after bit {lowest + 1} to "
            f"{objective[-1]:.3g} after bit {objective.size}: the hash function cannot predict the "
            "last bits. Use fewer bits, a stronger hash function such as 'boosted-trees', or "
            "stagewise=False.",
            ConvergenceWarning,
            stacklevel=5,
        )


def linear_in_items(
    affinity: Affinity, random_state: np.random.RandomState, verbose: int = 0
) -> Affinity:
    """Return the affinity, or a sample of its pairs where all of them would be too many.

    Every item draws as many similar and as many dissimilar partners (fewer where a partner comes up
    twice). Stored pairs and graded affinities stay as they are.
    """
    n = affinity.n_items
    if n <= MAX_ALL_PAIRS or affinity.graded or affinity.stored_pairs is not None:
        return affinity
    sample = affinity.sample_partners(N_SIMILAR, N_DISSIMILAR, random_state)
    say(f"{affinity!r} is sampled: {sample!r}", verbose)
    return sample
