"""Mixed codes: part of the bits from labels, part from geometry, in one Hamming distance."""

from __future__ import annotations

from numbers import Real
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.utils import _safe_indexing, check_scalar
from sklearn.utils.metaestimators import available_if

from hashlearn._numerics.arrays import check_magnitude
from hashlearn._numerics.float_blocks import check_finite
from hashlearn._progress import say
from hashlearn.base import BaseHasher, Card, register
from hashlearn.methods._mixed.evidence import Evidence, known_evidence, neighbor_weights
from hashlearn.methods._mixed.parts import Parts, Training, as_hasher, as_part, learn
from hashlearn.methods._mixed.share import choose_label_bits
from hashlearn.methods._mixed.supervision import (
    Supervision,
    as_supervision,
    check_teaches,
    split_labels,
)
from hashlearn.methods._mixed.unlabelled import choose_evidence


def _updates(hasher: Any) -> bool:
    """Tell whether the bits from labels learn from more items."""
    part = getattr(hasher, "label_hasher_", None) or as_hasher(hasher.label_hasher)
    return hasattr(part, "partial_fit")


@register("mixed")
class MixedHasher(BaseHasher):
    r"""Mixed codes: bits from labels, and bits from geometry for classes that nobody labelled [1]_.

    Codes learned from labels fail on classes that had none [2]_. Here one hasher spends `share` of
    the bits on labels, another one the rest on the geometry of the items, and a Hamming distance
    is the sum of both. Unlabelled items serve both parts: geometry is learned from all items, and
    labels spread to unlabelled items over a graph of neighbours [3]_, where that helps.

    Parameters
    ----------
    n_bits : int, default=32
        Length of the codes.
    label_hasher : str or BaseHasher, default="tsh"
        A method that learns from labels, or an unfitted hasher of one; its `n_bits` is set here.
    geometry_hasher : str or BaseHasher, default="itq"
        An unsupervised one, likewise.
    share : float in [0, 1] or "auto", default="auto"
        The share of the bits that labels get. "auto" tries eighths: three times some of the
        classes are held out of the training items, and the share is taken that serves items of
        seen and of unseen classes best, at least one eighth. Where no class can be held out
        (fewer than three classes, few items, pairs that join most of them), it is one half.
    seen_weight : float in [0, 1], default=0.5
        How much "auto" weighs seen classes; the rest is the weight of unseen ones. It looks for
        the best weighted geometric mean of their mean average precisions.
    unlabelled : {"auto", "spread", "ignore"}, default="auto"
        Whether bits from labels learn from unlabelled items, too, to which labels (or pairs)
        spread from neighbours. "auto" does so if it helps labelled items that are held out.
    random_state : int, RandomState instance or None, default=None
        Seeds the parts, unless they have a seed, and draws what is held out.
    n_jobs : int, default=None
        Threads, for parts that do not set their own. The bits do not depend on it.
    verbose : int, default=0
        Above 0, show the steps and their progress.

    Attributes
    ----------
    n_label_bits_ : int
        How many bits, the first ones, come from labels.
    share_results_ : dict of ndarray, or None
        What "auto" measured of each share.
    spread_results_ : dict of float, or None
        What "auto" measured with and without unlabelled items.
    decisions_ : list of str
        What was decided and why, as `summary` says it.
    label_hasher_, geometry_hasher_ : BaseHasher or None
        The fitted parts; None if it has no bits.
    codes_ : ndarray of shape (n_samples, n_bits), uint8
        The codes of the training items, 0/1.
    n_features_in_ : int
        Number of features seen in `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where X had names.

    References
    ----------
    .. [1] Lin, Shen, Suter and van den Hengel, "A General Two-Step Approach to Learning-Based
       Hashing", ICCV 2013, for the bits from labels; Gong et al., "Iterative Quantization", TPAMI
       2013, for those from geometry.
    .. [2] Sablayrolles, Douze, Usunier and Jégou, "How should we evaluate supervised hashing?",
       ICASSP 2017.
    .. [3] Zhu, Ghahramani and Lafferty, "Semi-Supervised Learning Using Gaussian Fields and
       Harmonic Functions", ICML 2003.

    Examples
    --------
    Eights and nines have no label, nor have most of the other digits:

    >>> from sklearn.datasets import load_digits
    >>> X, y = load_digits(return_X_y=True)
    >>> known = np.where((y < 8) & (np.arange(y.size) < 300), y, -1)
    >>> hasher = MixedHasher(n_bits=16, random_state=0).fit(X[:500], known[:500])
    >>> hasher.encode(X).shape
    (1797, 2)
    >>> 0 < hasher.n_label_bits_ < 16
    True
    """

    supervised = True
    card = Card(
        title="mixed (TSH and ITQ)",
        hash_function="those of its two parts",
        cost="of its parts; 'auto' tries shares on a sample of at most 3,000 items",
        use="with labels, when new classes will come; with share=1 where labels are few",
    )

    def __init__(
        self,
        n_bits: int = 32,
        label_hasher: Any = "tsh",
        geometry_hasher: Any = "itq",
        *,
        share: float | str = "auto",
        seen_weight: float = 0.5,
        unlabelled: str = "auto",
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_bits = n_bits
        self.label_hasher = label_hasher
        self.geometry_hasher = geometry_hasher
        self.share = share
        self.seen_weight = seen_weight
        self.unlabelled = unlabelled
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None, *, affinity: Any = None) -> Self:
        """Learn bits from labels or pairs, and bits from the geometry of all items.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The training items, labelled or not.
        y : array-like of shape (n_samples,) or (n_samples, n_labels), default=None
            One label per item, -1 for an unlabelled one; or a 0/1 indicator of several, with a
            row of -1 for an unlabelled one. Without labels and pairs all bits are geometry's.
        affinity : Affinity, sparse matrix or array of shape (n_samples, n_samples), default=None
            +1 similar, -1 dissimilar, 0 or missing undefined; takes precedence over `y`. Items
            without a defined pair are the unlabelled ones.

        Returns
        -------
        self : MixedHasher
        """
        X, random_state = self._begin(X)
        parts = self._parts(random_state)
        supervision = as_supervision(X, y, affinity)
        if self.share != 0:
            check_teaches(supervision)
            parts.check_takes(supervision)
        parts = parts.for_labelled(int(supervision.known.sum()))
        graph = self._neighbors(X, supervision)
        training = Training(X, supervision, parts, random_state, self.verbose)
        share = choose_label_bits(training, self.share, self.seen_weight)
        self.n_label_bits_, self.share_results_ = share.value, share.results
        self.geometry_hasher_ = self._learn_geometry(X, parts)
        unlabelled = choose_evidence(training, graph, self.n_label_bits_, self.unlabelled)
        self.spread_results_ = unlabelled.results
        self.label_hasher_ = self._learn_labels(X, unlabelled.value, parts)
        self.decisions_ = [choice.why for choice in (share, unlabelled) if choice.why]
        self._keep_codes(X)
        return self

    def _neighbors(self, X: Any, supervision: Supervision) -> sp.csr_array | None:
        """Return the graph that labels may spread over, before any other work: it may fail."""
        if self.unlabelled == "ignore" or self.share == 0:
            return None
        if supervision.known.all() or not supervision.known.any() or not supervision.spreads:
            return None
        if X.dtype.kind == "f":
            check_magnitude(X)
        say(f"Neighbours among {X.shape[0]:,} items", self.verbose)
        try:
            return neighbor_weights(X, n_jobs=self.n_jobs, verbose=self.verbose)
        except ImportError as error:
            raise ImportError(
                f"Neighbours among {X.shape[0]:,} items, which labels spread to, need pynndescent: "
                "pip install 'hashlearn[graph]'. unlabelled='ignore' does without."
            ) from error

    def _learn_geometry(self, X: Any, parts: Parts) -> BaseHasher | None:
        n_bits = self.n_bits - self.n_label_bits_
        if n_bits == 0:
            return None
        say(f"{n_bits} bits from geometry", self.verbose)
        return learn(parts.geometry_hasher_of(n_bits), self.verbose, X)

    def _learn_labels(self, X: Any, evidence: Evidence, parts: Parts) -> BaseHasher | None:
        if self.n_label_bits_ == 0:
            return None
        say(f"{self.n_label_bits_} bits from labels", self.verbose)
        hasher = parts.label_hasher_of(self.n_label_bits_)
        are_all = np.array_equal(evidence.items, np.arange(X.shape[0]))
        items = X if are_all else X[evidence.items]
        return learn(hasher, self.verbose, items, **evidence.given)

    @available_if(_updates)
    def partial_fit(self, X: Any, y: Any) -> Self:
        """Learn from more items with labels; bits from geometry stay as they are.

        Items of a new class were told apart by geometry alone; from here on they have bits from
        labels, too. It takes a `label_hasher` with `partial_fit`, which says what moves: a
        `TwoStepHasher` with 'linear-svm' or 'kernel-features'. Unlabelled items are not learned
        from. `codes_` of items before stay what they were.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            New items.
        y : array-like of shape (n_samples,) or (n_samples, n_labels)
            Their labels, as in `fit`.

        Returns
        -------
        self : MixedHasher
        """
        if not hasattr(self, "n_label_bits_"):
            return self.fit(X, y)
        if self.label_hasher_ is None:
            raise ValueError("partial_fit needs bits from labels, and this hasher has none.")
        X = self._items(X)
        check_finite(X, type(self).__name__)
        if y is None:
            raise ValueError("partial_fit requires y to be passed, but the target y is None.")
        supervision = as_supervision(X, y, None)
        if supervision.known.any():
            evidence = known_evidence(supervision, supervision.known)
            self.label_hasher_.partial_fit(X[evidence.items], **evidence.given)
        self._add_codes(self._parallel_bits(X))
        return self

    def score(self, X: Any, y: Any = None) -> float:
        """Return the mean average precision of X searched in X itself, labelled items alone.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The items.
        y : array-like of shape (n_samples,) or (n_samples, n_labels), default=None
            Labels, as in `fit`; unlabelled items are left out. Without labels the neighbours in X
            are relevant.

        Returns
        -------
        score : float
        """
        if y is None:
            return super().score(X)
        labels, known = split_labels(y)
        if known.all():
            return super().score(X, labels)
        if not known.any():
            raise ValueError("y has no label, all are -1; without y neighbours would be relevant.")
        return super().score(_safe_indexing(X, np.flatnonzero(known)), labels[known])

    def _hashers(self) -> list[BaseHasher]:
        """Return the parts that have bits."""
        return [part for part in (self.label_hasher_, self.geometry_hasher_) if part is not None]

    def _margins(self, X: Any) -> np.ndarray:
        return np.hstack([part._margins(X) for part in self._hashers()])

    def _is_one(self, X: Any) -> np.ndarray:
        return np.hstack([part._is_one(X) for part in self._hashers()])

    def _encodes_in_parallel(self) -> bool:
        return all(part._encodes_in_parallel() for part in self._hashers())

    def _accepts_sparse(self) -> bool:
        return all(
            as_hasher(getattr(self, name), name)._accepts_sparse()
            for name in ("label_hasher", "geometry_hasher")
        )

    def _reads_blocks(self, n_samples: int) -> bool:
        return True  # its parts convert what they do not read in blocks

    def _parts(self, random_state: np.random.RandomState) -> Parts:
        """Return the hashers, checked, as the parameters say."""
        for name in ("share", "seen_weight"):
            value = getattr(self, name)
            if name == "share" and isinstance(value, str) and value == "auto":
                continue
            check_scalar(value, name, Real, min_val=0, max_val=1)
            if np.isnan(value):
                raise ValueError(f"{name}={value!r} is not in [0, 1].")
        if self.unlabelled not in ("auto", "spread", "ignore"):
            raise ValueError(f"unlabelled={self.unlabelled!r} is not 'auto', 'spread' or 'ignore'.")
        made = as_part(self.label_hasher, "label_hasher", True, random_state, self.n_jobs)
        other = as_part(self.geometry_hasher, "geometry_hasher", False, random_state, self.n_jobs)
        return Parts(made, other, self.n_bits, self.n_jobs)
