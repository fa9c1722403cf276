"""FastHash: two-step hashing, stagewise, with graph cuts and boosted trees."""

from __future__ import annotations

from typing import Any

from hashlearn.base import Card, register
from hashlearn.hash_functions.boosted_trees import BoostedTreesHash
from hashlearn.inference import CoordinateDescent, GraphCut
from hashlearn.two_step import TwoStepHasher


@register("fasthash")
class FastHashHasher(TwoStepHasher):
    r"""FastHash: bits inferred by block graph cuts, one by one, and learned by boosted trees [1]_.

    Bit k minimises :math:`\sum_{ij} a_{ij} z_i z_j`, :math:`a_{ij} = L(s_{ij} + 1, y_{ij}) -
    L(s_{ij} - 1, y_{ij})`, where :math:`s_{ij}` is the Hamming affinity of the outputs of the
    trees learned so far, so that a bit corrects their errors. Graph cuts solve it exactly over
    blocks of mutually similar items, and AdaBoost fits trees to it, with the weight
    :math:`\sum_j |a_{ij}|` for item i. Equivalent to
    ``TwoStepHasher(inference="graph-cut", hash_function="boosted-trees", stagewise=True)``.

    Parameters
    ----------
    n_bits : int, default=32
        Length of the codes.
    loss : str, Loss or function, default="ksh"
        How wrong a pair is; see `TwoStepHasher`.
    n_rounds : int, default=200
        Maximum number of trees per bit.
    max_depth : int, default=4
        Depth of the trees, from 1 to 8.
    trimming : float, default=0.99
        The share of the weight that a tree is grown on; the lightest items are skipped.
    n_sweeps : int, default=2
        Number of passes of the graph cuts over all blocks of items.
    random_state : int, RandomState instance or None, default=None
        Seeds the blocks, and the sample of pairs (above 5,000 items).
    n_jobs : int, default=None
        Threads for growing trees and encoding. Bits do not depend on it.
    verbose : int, default=0
        Above 0, show the steps and their progress.

    Attributes
    ----------
    codes_ : ndarray of shape (n_samples, n_bits), uint8
        The inferred codes of the training items, 0/1, which the trees learn.
    objective_ : ndarray of shape (n_bits,)
        The loss of the trees' outputs after every bit, over defined ordered pairs or their sample.
    hash_function_ : HashFunction
        The fitted trees.
    bit_error_ : ndarray of shape (n_bits,)
        Per bit, the share of training items whose inferred bit the trees miss.
    groups_ : None
        Items are not grouped.
    n_features_in_ : int
        Number of features seen in `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where X had names.

    References
    ----------
    .. [1] Lin, Shen, Shi, van den Hengel and Suter, "Fast Supervised Hashing with Decision
       Trees for High-Dimensional Data", CVPR 2014.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from hashlearn.methods import FastHashHasher
    >>> X, y = load_digits(return_X_y=True)
    >>> hasher = FastHashHasher(n_bits=8, n_rounds=10, random_state=0).fit(X[:300], y[:300])
    >>> hasher.encode(X[300:]).shape
    (1497, 1)
    """

    card = Card(
        title="FastHash",
        hash_function="boosted trees",
        cost="n d m times the number of trees; linear in n",
        use="labels, many items or features, encoding without kernels",
    )

    group = False
    stagewise = True

    def __init__(
        self,
        n_bits: int = 32,
        *,
        loss: Any = "ksh",
        n_rounds: int = 200,
        max_depth: int = 4,
        trimming: float = 0.99,
        n_sweeps: int = 2,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_bits = n_bits
        self.loss = loss
        self.n_rounds = n_rounds
        self.max_depth = max_depth
        self.trimming = trimming
        self.n_sweeps = n_sweeps
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @property
    def inference(self) -> CoordinateDescent:
        """Step 1: block graph cuts."""
        return CoordinateDescent(GraphCut(self.n_sweeps))

    @property
    def hash_function(self) -> BoostedTreesHash:
        """Step 2: boosted trees."""
        return BoostedTreesHash(self.n_rounds, self.max_depth, trimming=self.trimming)
