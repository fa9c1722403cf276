"""Block graph cuts: exact minima over sub-modular blocks of items, the rest fixed."""

from __future__ import annotations

from numbers import Integral

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import breadth_first_order, maximum_flow
from sklearn.utils import check_scalar

from hashlearn._numerics.compiled import compiled
from hashlearn.inference._problems import BinaryProblem
from hashlearn.inference._relaxation import relaxed_minimum, signs
from hashlearn.inference.base import Solver, register_solver

EIGENVECTOR_TOLERANCE = 1e-2  # only its signs are used, and they are improved at once
MAX_FLOW = 1 << 29  # residuals of two-way arcs reach twice a capacity, and are 32-bit integers


@register_solver("graph-cut")
class GraphCut(Solver):
    r"""Block graph cuts: minimise over one sub-modular block of items after the other [1]_.

    A block is a set of items with :math:`a_{ij} \le 0` among them (with class labels, a class).
    With the other items fixed, its part of :math:`z^T A z` is sub-modular, and a minimum cut
    gives its exact minimum, so no step can rise. Capacities are 32-bit integers: whole numbers up
    to :math:`2^{29}`, as quadratic losses have them on all but huge problems, are exact, others
    are rounded to :math:`2^{-29}` of the largest flow.

    Parameters
    ----------
    n_sweeps : int, default=2
        How often all blocks are visited.

    References
    ----------
    .. [1] Lin, Shen, Shi, van den Hengel and Suter, "Fast Supervised Hashing with Decision
       Trees for High-Dimensional Data", CVPR 2014.

    Examples
    --------
    >>> import numpy as np
    >>> from hashlearn.affinity import LabelAffinity
    >>> from hashlearn.inference import CoordinateDescent, GraphCut
    >>> from hashlearn.losses import KSHLoss
    >>> affinity, random_state = LabelAffinity([0, 0, 1]), np.random.RandomState(0)
    >>> inference = CoordinateDescent(GraphCut(n_sweeps=1))
    >>> codes = inference.infer(affinity, KSHLoss(), 4, random_state=random_state).codes
    >>> bool((codes[0] == codes[1]).all())
    True
    """

    def __init__(self, n_sweeps: int = 2) -> None:
        self.n_sweeps = n_sweeps

    def check(self) -> None:
        """Raise if a parameter is wrong."""
        check_scalar(self.n_sweeps, "n_sweeps", Integral, min_val=1)

    def minimise(
        self, problem: BinaryProblem, start: np.ndarray, random_state: np.random.RandomState
    ) -> np.ndarray:
        """Return signs with z^T A z no higher than at `start`, or at the spectral signs."""
        z = start
        if not start.any():
            z = signs(relaxed_minimum(problem, random_state, tol=EIGENVECTOR_TOLERANCE))
        A = sp.csr_array(problem.stored().A)
        z = z.astype(np.float64)
        blocks = [_Block(A, items) for items in _submodular_blocks(A, random_state)]
        for _ in range(self.n_sweeps):
            for block in blocks:
                block.improve(z)
        return z.astype(np.int8)


def _submodular_blocks(A: sp.csr_array, random_state: np.random.RandomState) -> list[np.ndarray]:
    """Distribute the items over blocks with no positive entry of A among their items.

    A block grows from a random item along negative entries, so that items that want the same bit
    come together; an item in conflict with a member is left to a later block.
    """
    block = np.full(A.shape[0], -1)
    order = random_state.permutation(A.shape[0])
    n_blocks = _grow_blocks(A.indptr, A.indices, A.data, order, block)
    ends = np.cumsum(np.bincount(block, minlength=n_blocks))
    return np.split(np.argsort(block, kind="stable"), ends[:-1])


@compiled
def _grow_blocks(
    indptr: np.ndarray, indices: np.ndarray, data: np.ndarray, order: np.ndarray, block: np.ndarray
) -> int:
    """Write the number of each item's block; return how many there are."""
    queue = np.empty_like(block)
    queued = np.full(block.size, -1)  # by which block
    in_conflict = np.full(block.size, -1)  # with which block
    n_blocks = 0
    for seed in order:
        if block[seed] >= 0:
            continue
        queue[0], head, tail = seed, 0, 1
        while head < tail:
            i = queue[head]
            head += 1
            if in_conflict[i] == n_blocks:
                continue
            block[i] = n_blocks
            for entry in range(indptr[i], indptr[i + 1]):
                j = indices[entry]
                if data[entry] > 0:
                    in_conflict[j] = n_blocks
                elif data[entry] < 0 and block[j] < 0 and queued[j] != n_blocks:
                    queued[j] = n_blocks
                    queue[tail] = j
                    tail += 1
        n_blocks += 1
    return n_blocks


class _Block:
    """Some items of a problem with the matrix A that make a sub-modular block."""

    def __init__(self, A: sp.csr_array, items: np.ndarray) -> None:
        self.items = items
        self.rows = A[items]
        self.inside = sp.csr_array(self.rows[:, items], dtype=np.float64)

    def improve(self, z: np.ndarray) -> None:
        """Give the block's part of z its minimum, in place, if that is lower."""
        old = z[self.items]
        outside = self.rows @ z - self.inside @ old  # the linear term of the fixed items
        new = _minimum_cut(self.inside, outside)
        if self._value(new, outside) < self._value(old, outside):
            z[self.items] = new

    def _value(self, z: np.ndarray, outside: np.ndarray) -> float:
        return float(z @ (self.inside @ z) + 2 * outside @ z)


def _minimum_cut(A: sp.csr_array, b: np.ndarray) -> np.ndarray:
    """Return the signs z that minimise z^T A z + 2 b^T z, for A symmetric without positive entries.

    Two items that differ pay -2 a_ij each way, an item pays 2 abs(b_i) on the wrong side: half of
    that are the capacities of the arcs between items, from the source (+1) and to the sink (-1).
    """
    if (b >= 0).all() or (b <= 0).all():  # no item wants the other sign
        return np.full(b.size, -1.0 if (b > 0).any() else 1.0)
    n = b.size
    A = sp.coo_array(A)
    wants_plus, wants_minus = np.flatnonzero(b < 0), np.flatnonzero(b > 0)
    source, sink = n, n + 1
    tails = [A.coords[0], np.full(wants_plus.size, source), wants_minus]
    heads = [A.coords[1], wants_plus, np.full(wants_minus.size, sink)]
    capacities = _whole_capacities(-A.data, -b[wants_plus], b[wants_minus])
    arcs = (np.concatenate(capacities), (np.concatenate(tails), np.concatenate(heads)))
    graph = sp.csr_array(arcs, shape=(n + 2, n + 2))
    residual = graph - maximum_flow(graph, source, sink).flow
    z = np.full(n + 2, -1.0)
    z[breadth_first_order(residual, source, return_predecessors=False)] = 1
    return z[:n]


def _whole_capacities(
    between: np.ndarray, source: np.ndarray, sink: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return capacities as 32-bit integers whose sums cannot overflow, exact where possible."""
    kinds = (between, source, sink)
    largest = max(between.max(initial=0), source.sum(), sink.sum())
    whole = all((c == np.rint(c)).all() for c in kinds)
    scale = 1.0 if whole and largest <= MAX_FLOW else MAX_FLOW / largest
    between, source, sink = (np.rint(scale * c).astype(np.int32) for c in kinds)
    return between, source, sink
