"""Minimal loss hashing: a hinge on the Hamming distance, minimised by its upper bound."""

from __future__ import annotations

from numbers import Integral
from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.metrics import average_precision_score
from sklearn.utils import check_scalar

from hashlearn._numerics.blas import one_blas_thread
from hashlearn._numerics.checks import check_number
from hashlearn._progress import say, track
from hashlearn.affinity import Affinity, Pairs, check_dissimilar
from hashlearn.base import Card, register
from hashlearn.losses import HingeLoss
from hashlearn.methods._parts.centred import UnitRows
from hashlearn.methods._parts.mlh_kernels import adjust_pairs
from hashlearn.methods._parts.query_margins import EvenMargins
from hashlearn.methods.linear import LinearHasher

MOMENTUM, BATCH = 0.9, 100  # as published
_START = 0.1  # standard deviation of the initial coefficients
_RHO_SHARES = (1 / 8, 1 / 4, 3 / 8)  # of the bits: outside, too few or too many items are near
_HELD_OUT, _SEEN, _HELD_OUT_PAIRS = 1000, 5000, 10_000  # at most, to choose rho
_SETTLED = 1e-9  # a smaller mean bound is rounding
_FEW_PAIRS = 1000  # of either kind: with fewer, candidates cannot be ranked


class _Learned(NamedTuple):
    """Projections, and the mean bound and loss of each round's pairs."""

    W: np.ndarray
    bound: np.ndarray
    loss: np.ndarray


@register("mlh")
class MLHHasher(EvenMargins, LinearHasher):
    r"""Linear bits that minimise an upper bound on a hinge of the Hamming distance [1]_.

    The loss of a pair at Hamming distance d is :math:`\ell = \max(d - \rho + 1, 0)` if it is
    similar and :math:`\lambda \max(\rho - d + 1, 0)` if not, divided by m so that one step size
    suits all lengths. With codes :math:`h = \operatorname{sign}(W \tilde x)`, items centred and
    of length 1, it is bounded by

    .. math:: \max_{g_i, g_j} \big[ \ell(g_i, g_j) + g_i^T W \tilde x_i + g_j^T W \tilde x_j \big]
              - h_i^T W \tilde x_i - h_j^T W \tilde x_j .

    The maximum is found exactly by the number of bits in which :math:`g_i` and :math:`g_j`
    differ; stochastic gradient steps with momentum lower the bound. Hyperplanes pass through the
    mean, without offsets.

    Differences from the authors' code: 5 rounds instead of hundreds (25 changed the MAP of 32 bits
    on held-out MNIST and CIFAR-10 items by -0.002 to +0.016), without a test of convergence; the
    step falls linearly from round to round, to ``step / n_rounds`` in the last. Half of the drawn
    pairs are similar, and dissimilar ones have the additional weight :math:`\lambda`; in their
    code :math:`\lambda` is the minimum share of similar pairs. Losses are divided by m, not by the
    largest loss of their kind. As in their code, and unlike the paper, W decays instead of being
    scaled to rows of length 1.

    Parameters
    ----------
    n_bits : int, default=32
        Length of the codes.
    rho : float or "auto", default="auto"
        The Hamming distance that separates near from far. "auto" chooses an eighth, a quarter or
        three eighths of the bits, whichever ranks held-out pairs of training items best after
        one round; a quarter if there are too few items.
    weight : float, default=0.5
        The weight :math:`\lambda` of dissimilar pairs; half of the drawn pairs are similar.
    weight_decay : float, default=0.005
        The penalty on W that keeps the bound tight.
    step : float, default=0.1
        The size of the first step.
    n_rounds : int, default=5
        Number of rounds; training ends early when the bound is 0 up to rounding.
    n_pairs : int, default=100000
        Number of pairs drawn per round; each step uses 100 of them.
    random_state : int, RandomState instance or None, default=None
        Seeds the initial projections and the draws of pairs.
    n_jobs : int, default=None
        Threads for encoding, and for neighbours without labels. Bits do not depend on it.
    verbose : int, default=0
        Above 0, show the rounds.

    Attributes
    ----------
    projections_ : ndarray of shape (n_features, n_bits)
        The projections W.
    mean_ : ndarray of shape (n_features,)
        The mean of the training items.
    rho_ : float
        The distance :math:`\rho` in use.
    bound_ : ndarray of shape (n_rounds,)
        The mean bound of the pairs of each round, while W moved.
    loss_ : ndarray of shape (n_rounds,)
        The mean loss of the same pairs, never above the bound.
    margin_sizes_ : ndarray of shape (n_bits,)
        Mean sizes of margins of training items; `encode_queries` divides by them and saturates.
    codes_ : ndarray of shape (n_samples, n_bits), uint8
        The codes of the training items, 0/1.
    n_features_in_ : int
        Number of features seen in `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where X had names.

    References
    ----------
    .. [1] Norouzi and Fleet, "Minimal Loss Hashing for Compact Binary Codes", ICML 2011.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from hashlearn.methods import MLHHasher
    >>> X, y = load_digits(return_X_y=True)
    >>> hasher = MLHHasher(n_bits=16, rho=4, n_rounds=1, random_state=0).fit(X, y)
    >>> bool(hasher.score(X, y) > 0.7)
    True
    """

    supervised = True
    saturation = 2.0
    card = Card(
        title="MLH",
        hash_function="linear",
        cost="d m per drawn pair: does not grow with n",
        use="linear bits from pairs, with a radius to search in",
    )

    def __init__(
        self,
        n_bits: int = 32,
        *,
        rho: float | str = "auto",
        weight: float = 0.5,
        weight_decay: float = 0.005,
        step: float = 0.1,
        n_rounds: int = 5,
        n_pairs: int = 100_000,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(n_bits, random_state=random_state, n_jobs=n_jobs, verbose=verbose)
        self.rho = rho
        self.weight = weight
        self.weight_decay = weight_decay
        self.step = step
        self.n_rounds = n_rounds
        self.n_pairs = n_pairs

    def fit(self, X: Any, y: Any = None, *, affinity: Any = None) -> Self:
        """Learn the projections from pairs.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The training items.
        y : array-like of shape (n_samples,) or (n_samples, n_labels), default=None
            One label per item, or a 0/1 indicator of several.
        affinity : Affinity, sparse matrix or array-like, default=None
            Which pairs are similar; takes precedence over `y`. With neither, neighbours in X.

        Returns
        -------
        self : MLHHasher
        """
        X, random_state = self._begin(X)
        self._check_parameters()
        self._centre(X)
        A = self._affinity(X, y, affinity)
        check_dissimilar(A)
        rows = UnitRows(X, self.mean_)
        quiet = np.errstate(over="ignore", invalid="ignore")  # divergence is reported below
        with quiet, one_blas_thread():  # batches are small
            self.rho_ = self._choose_rho(rows, A, random_state)
            learned = self._learn(rows, A, self.rho_, self.n_rounds, random_state)
        self.projections_, self.bound_, self.loss_ = learned
        if not np.isfinite(self.projections_).all():
            raise ValueError(
                f"The projections diverged: lower step={self.step} or "
                f"weight_decay={self.weight_decay}."
            )
        self._keep_codes(X)
        return self

    def _check_parameters(self) -> None:
        if not isinstance(self.rho, str) or self.rho != "auto":
            check_number("rho", self.rho, zero=True, most=self.n_bits)
        check_number("weight", self.weight)
        check_number("step", self.step)
        check_number("weight_decay", self.weight_decay, zero=True)
        for name in ("n_rounds", "n_pairs"):
            check_scalar(getattr(self, name), name, Integral, min_val=1)

    def _choose_rho(
        self, rows: UnitRows, affinity: Affinity, random_state: np.random.RandomState
    ) -> float:
        """Return rho as given, or the candidate that ranks pairs of held-out items best."""
        if self.rho != "auto":
            return float(self.rho)
        order = random_state.permutation(len(rows))
        n_held_out = min(len(rows) // 5, _HELD_OUT)
        held_out, seen = order[:n_held_out], order[n_held_out:][:_SEEN]
        pairs = _held_out_pairs(affinity, held_out, random_state)
        if pairs is None or not affinity[seen].has_dissimilar:
            return max(1.0, round(self.n_bits / 4))
        seed = random_state.randint(2**31)
        scores = {}
        for rho in sorted({max(1.0, float(round(c * self.n_bits))) for c in _RHO_SHARES}):
            same = np.random.RandomState(seed)  # candidates differ in rho only
            W = self._learn(rows[seen], affinity[seen], rho, 1, same).W
            Z = rows[held_out].products(W) > 0
            near = (Z[pairs.i] == Z[pairs.j]).sum(axis=1)
            scores[rho] = average_precision_score(pairs.y > 0, near)
            say(f"MLH: rho={rho:g}, average precision {scores[rho]:.4f}", self.verbose)
        return max(scores, key=lambda rho: scores[rho])

    def _learn(
        self,
        rows: UnitRows,
        affinity: Affinity,
        rho: float,
        n_rounds: int,
        random_state: np.random.RandomState,
    ) -> _Learned:
        """Run rounds of stochastic gradient steps from random projections."""
        n_features, n_bits = rows.mean.size, self.n_bits
        W = (_START * random_state.normal(size=(n_features, n_bits))).astype(rows.mean.dtype)
        velocity = np.zeros_like(W)
        losses = _loss_table(n_bits, rho, self.weight)
        history = []
        for t in track(range(n_rounds), "MLH: rounds", n_rounds, self.verbose):
            pairs = affinity.draw_pairs(self.n_pairs, random_state)
            step = self.step * (1 - t / n_rounds)
            history.append(self._round(rows, pairs, losses, step, W, velocity))
            if history[-1][0] <= _SETTLED:
                break
        bound, loss = np.array(history).T
        return _Learned(W, bound, loss)

    def _round(
        self,
        rows: UnitRows,
        pairs: Pairs,
        losses: np.ndarray,
        step: float,
        W: np.ndarray,
        velocity: np.ndarray,
    ) -> tuple[float, float]:
        """Update W batch by batch; return the mean bound and loss of the pairs."""
        kinds = (pairs.y > 0).astype(np.int64)
        sums = np.zeros(2)
        for start in range(0, kinds.size, BATCH):
            batch = slice(start, start + BATCH)
            items = rows[np.concatenate((pairs.i[batch], pairs.j[batch]))]
            M = items.products(W)
            first, second = np.split(M, 2)
            sums += adjust_pairs(first, second, losses, kinds[batch])
            velocity *= MOMENTUM
            velocity += W.dtype.type(step / BATCH) * items.sums(M)
            velocity -= W.dtype.type(step * self.weight_decay) * W
            W += velocity
        bound, loss = sums / max(kinds.size, 1)
        return float(bound), float(loss)


def _loss_table(n_bits: int, rho: float, weight: float) -> np.ndarray:
    """Return the losses, divided by m, of dissimilar and similar pairs at distances 0..m."""
    s = n_bits - 2 * np.arange(n_bits + 1)
    loss = HingeLoss(rho, weight)
    return np.stack([loss(s, y, n_bits) for y in (-1, 1)]) / n_bits


def _held_out_pairs(
    affinity: Affinity, items: np.ndarray, random_state: np.random.RandomState
) -> Pairs | None:
    """Draw pairs among held-out items; None if too few are defined."""
    if items.size < 2:
        return None
    pairs = affinity[items].draw_pairs(_HELD_OUT_PAIRS, random_state)
    n_similar = int((pairs.y > 0).sum())
    return None if min(n_similar, pairs.y.size - n_similar) < _FEW_PAIRS else pairs
