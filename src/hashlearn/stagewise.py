"""Stagewise learning: each bit is inferred from the outputs of the hash functions before it."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.base import clone

from hashlearn.affinity import Affinity, SparseAffinity
from hashlearn.affinity.sampling import NO_PARTNER, draw_partners
from hashlearn.hash_functions import HashFunction
from hashlearn.inference import CoordinateDescent, Inference
from hashlearn.inference.graph_cut import stored
from hashlearn.inference.objectives import make_objective
from hashlearn.inference.problems import DenseProblem, SparseProblem
from hashlearn.io import storable
from hashlearn.losses import Loss
from hashlearn.progress import say, track

MAX_ALL_PAIRS = 5_000  # items; above, pairs are sampled and the cost is linear
N_SIMILAR = 100  # sampled partners per item
N_DISSIMILAR = 100


@storable("bit-by-bit")
class BitByBitHash(HashFunction):
    """Hash functions of one bit each, trained one after the other.

    Parameters
    ----------
    hash_function : HashFunction
        Cloned for every bit.

    Attributes
    ----------
    parts_ : list of HashFunction
        The fitted hash functions, one per bit.

    Examples
    --------
    >>> from hashlearn.hash_functions import LinearSVMHash
    >>> hash_function = BitByBitHash(LinearSVMHash())
    >>> X, codes = np.array([[0.0], [1.0], [2.0]]), np.array([[0, 0], [0, 1], [1, 1]])
    >>> bits = hash_function.fit(X, codes).decision_function(X) > 0
    >>> bool((bits == codes).all())
    True
    """

    def __init__(self, hash_function: HashFunction) -> None:
        self.hash_function = hash_function

    @property
    def accepts_sparse(self) -> bool:  # type: ignore[override]
        """Whether the hash function of a bit takes sparse X."""
        return self.hash_function.accepts_sparse

    @property
    def takes_weights(self) -> bool:  # type: ignore[override]
        """Whether the hash function of a bit weighs items."""
        return self.hash_function.takes_weights

    def check(self, n_samples: int) -> None:
        """Raise if a parameter of the hash function is wrong."""
        self.hash_function.check(n_samples)

    def prepare(self, X: Any) -> Any:
        """Return the items in the form that the hash function of a bit is trained on."""
        return self.hash_function.prepare(X)

    def fit_prepared(
        self,
        X: Any,
        codes: np.ndarray,
        verbose: int = 0,
        sample_weight: np.ndarray | None = None,
    ) -> Self:
        """Train all bits, on items that `prepare` returned."""
        self.parts_: list[HashFunction] = []
        for k in track(range(codes.shape[1]), "Step 2: bits", codes.shape[1], verbose):
            self.add_bit(X, codes[:, k], None if sample_weight is None else sample_weight[:, k])
        return self

    def add_bit(self, X: Any, bit: np.ndarray, weights: np.ndarray | None) -> HashFunction:
        """Train one more bit, an array of 0/1, on prepared items; return its hash function."""
        part = clone(self.hash_function)
        sample_weight = None if weights is None else weights[:, None]
        self.parts_.append(part.fit_prepared(X, bit[:, None], 0, sample_weight))
        return part

    def decision_function(self, X: Any) -> np.ndarray:
        """Return the (n, n_bits) margins; a bit is 1 where its margin is positive."""
        return np.hstack([part.decision_function(X) for part in self.parts_])


class Stages(NamedTuple):
    """What stagewise learning found.

    Attributes
    ----------
    codes : ndarray of shape (n_items, n_bits)
        Step 1's codes, 0/1.
    objective : ndarray of shape (n_bits,)
        The loss of the hash functions' outputs after every bit, over the bits learned by then.
    hash_function : BitByBitHash
        The fitted hash functions.
    """

    codes: np.ndarray
    objective: np.ndarray
    hash_function: BitByBitHash


def check_stagewise(stagewise: Any, inference: Inference) -> None:
    """Raise if bits are to be learned one by one, and the inference gives all at once.

    Examples
    --------
    >>> from hashlearn.inference import CoordinateDescent
    >>> check_stagewise(True, CoordinateDescent("graph-cut"))
    """
    if not isinstance(stagewise, bool | np.bool_):
        raise ValueError(f"stagewise={stagewise!r} is not True or False.")
    if stagewise and not isinstance(inference, CoordinateDescent):
        raise ValueError(
            f"stagewise=True infers bits one by one, and {inference!r} gives all at once; use a "
            "solver of single bits such as inference='graph-cut'."
        )


def learn_stagewise(
    X: Any,
    affinity: Affinity,
    loss: Loss,
    inference: Any,
    hash_function: HashFunction,
    n_bits: int,
    random_state: np.random.RandomState,
    verbose: int = 0,
) -> Stages:
    """Learn bit after bit: infer it, train its hash function, go on from what that one says.

    Bit k's problem sees the outputs of the bits before it; bits that are not learned yet are
    left out of the loss. An item counts in training with the sum over j of abs(a_ij), what its
    bit can change, where the hash function weighs items.
    """
    solver = inference.make_solver()
    affinity = linear_in_items(affinity, random_state, verbose)
    n = affinity.n_items
    objective, factor = make_objective(
        affinity, loss, n_bits, np.ones(n), np.zeros(n), random_state
    )
    stages = Stages(
        np.empty((n, n_bits), dtype=np.uint8), np.empty(n_bits), BitByBitHash(hash_function)
    )
    stages.hash_function.parts_ = []
    prepared = hash_function.prepare(X)
    unlearned = np.zeros(n, dtype=np.int8)
    for k in track(range(n_bits), "Both steps: bits", n_bits, verbose):
        problem = stored(objective.problem(k))
        bit = solver.minimise(problem, unlearned, random_state) > 0  # Step 1
        weights = item_weights(problem) if hash_function.takes_weights else None
        part = stages.hash_function.add_bit(prepared, bit, weights)  # Step 2
        outputs = part.decision_function(X)[:, 0] > 0
        objective.set_bit(k, np.where(outputs, 1, -1))
        stages.codes[:, k] = bit
        stages.objective[k] = factor * objective.value()
    return stages


def item_weights(problem: DenseProblem | SparseProblem) -> np.ndarray:
    """Return the sum over j of abs(a_ij) for every item, with mean 1."""
    totals = np.asarray(abs(problem.A).sum(axis=1), dtype=np.float64).ravel()
    return totals / totals.mean() if totals.any() else np.ones_like(totals)


def linear_in_items(
    affinity: Affinity, random_state: np.random.RandomState, verbose: int = 0
) -> Affinity:
    """Return the affinity, or a sample of its pairs where all of them would be too many.

    Every item draws as many similar and as many dissimilar partners (fewer where a partner comes
    up twice). Stored pairs and graded affinities stay as they are.

    Examples
    --------
    >>> from hashlearn.affinity import LabelAffinity
    >>> linear_in_items(LabelAffinity([0, 0, 1]), np.random.RandomState(0))
    LabelAffinity(3 items, 1 similar and 2 dissimilar pairs)
    """
    n = affinity.n_items
    if n <= MAX_ALL_PAIRS or affinity.graded or isinstance(affinity, SparseAffinity):
        return affinity
    pairs = []
    for sign, n_partners in ((1, N_SIMILAR), (-1, N_DISSIMILAR)):
        i = np.repeat(np.arange(n), n_partners)
        j = draw_partners(affinity, i, sign, random_state)
        found = j != NO_PARTNER
        pairs.append(np.column_stack([i[found], j[found], np.full(found.sum(), sign)]))
    sample = SparseAffinity.from_pairs(np.concatenate(pairs), n)
    say(f"{affinity!r} is sampled: {sample!r}", verbose)
    return sample
