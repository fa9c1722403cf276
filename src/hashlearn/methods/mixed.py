"""Mixed codes: some bits from labels, some from geometry, in one Hamming distance."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np
from sklearn.utils import _safe_indexing
from sklearn.utils.metaestimators import available_if

from hashlearn._numerics.arrays import check_weights
from hashlearn._numerics.checks import check_number, check_option
from hashlearn._numerics.float_blocks import check_finite
from hashlearn.base import BaseHasher, Card, register
from hashlearn.methods._mixed.labels import split_labels
from hashlearn.methods._mixed.learning import learn_parts
from hashlearn.methods._mixed.mix import choose_mix, is_summed
from hashlearn.methods._mixed.parts import Parts, Training, as_hasher, as_part
from hashlearn.methods._mixed.supervision import as_supervision
from hashlearn.methods._mixed.unlabelled import choose_teaching
from hashlearn.methods._parts.query_margins import EvenMargins


def _updates(hasher: Any) -> bool:
    """Return whether bits from labels can learn from more items, whatever the data are."""
    return hasattr(as_hasher(hasher.label_hasher), "partial_fit")


@register("mixed")
class MixedHasher(EvenMargins):
    r"""Mixed codes: bits from labels, and bits from geometry for classes that nobody labelled [1]_.

    Codes learned from labels fail on classes without labels [2]_. Here one hasher learns a `share`
    of the bits from labels, another the rest from the geometry of the items, and the Hamming
    distance is the sum of both. Unlabelled items serve both parts: geometry is learned from all
    items, and labels spread to unlabelled items over a graph of neighbours [3]_, if that helps.

    With many classes, too few bits remain for both. Then (``combine="sum"``) both parts have all
    bits, and a bit is the sign of the sum of a margin from labels and one from geometry,

    .. math:: 3 w f_k(x) / |f_k| + (1 - w) g_k(x) / |g_k|,

    with w the `share` and sizes :math:`|f_k|` and :math:`|g_k|` that are means over the training
    items. Margins from labels are large on items of known classes, which get the code of their
    class, and small on items of new classes, whose bits geometry decides: no bit serves one kind
    of classes alone. Geometry sees the items after the map :math:`(S / \tau + I / 2)^{-1/2}`,
    where S is the covariance within classes and :math:`\tau` its mean variance: what varies within
    known classes counts less, also among new ones. The map is left out for sparse items, for more
    than 4,096 features and if there are no classes.

    Parameters
    ----------
    n_bits : int, default=32
        Length of the codes.
    label_hasher : str or BaseHasher, default="tsh"
        The name of a supervised method, or an unfitted hasher of one, whose `n_bits` is ignored.
    geometry_hasher : str or BaseHasher, default="itq"
        The same for an unsupervised method.
    share : float in [0, 1] or "auto", default="auto"
        The share of the bits from labels. "auto" tries eighths, at least one: three times, some
        classes are held out of the training items. Of the shares whose mean average precision
        on seen classes is at most 1.5 percent below the best, the best one for unseen classes
        is used; C classes have at least 3 log2(C) label bits, or three quarters of all. If no
        class can be held out (fewer than three classes, few items, pairs that connect most of
        them), it is one half. In sums it is the weight of labels; "auto" tries sixteenths, and
        uses the one with the best geometric mean of both mean average precisions.
    combine : {"auto", "concatenate", "sum"}, default="auto"
        Whether a bit comes from labels or from geometry, or from the sum of both. "auto" sums with
        more than 20 classes, one per item. With more bits than features bits are always
        concatenated: geometry cannot fill so many.
    seen_weight : float w in [0, 1], default=0.5
        The weight of seen classes for "auto": they may lose 1.5 (1 - w) / w percent in favour of
        unseen ones, and in sums it is their weight in the geometric mean. With 1, unseen classes
        do not count, with 0 only they do.
    unlabelled : {"auto", "spread", "ignore"}, default="auto"
        Whether bits from labels also learn from unlabelled items, to which labels (or pairs)
        spread from neighbours. "auto" does so if it helps held-out labelled items.
    random_state : int, RandomState instance or None, default=None
        Seeds the draws of held-out items, and the parts, unless they have a seed.
    n_jobs : int, default=None
        Threads, for parts that do not set their own. Bits do not depend on it.
    verbose : int, default=0
        Above 0, show the steps and their progress.

    Attributes
    ----------
    share_ : float
        The share of labels.
    n_label_bits_ : int
        Number of bits from labels; they come first. In sums all bits are.
    sum_ : object or None
        How margins are summed; None in concatenations.
    share_results_ : dict of ndarray, or None
        The measurements of each share by "auto".
    spread_results_ : dict of float, or None
        The measurements with and without unlabelled items by "auto".
    decisions_ : list of str
        The decisions and their reasons, as in `summary`.
    label_hasher_, geometry_hasher_ : BaseHasher or None
        The fitted parts; None for a part without bits.
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

    >>> import numpy as np
    >>> from sklearn.datasets import load_digits
    >>> from hashlearn import MixedHasher
    >>> X, y = load_digits(return_X_y=True)
    >>> known = np.where((y < 8) & (np.arange(y.size) < 300), y, -1)
    >>> hasher = MixedHasher(n_bits=16, random_state=0).fit(X[:500], known[:500])
    >>> hasher.encode(X).shape
    (1797, 2)
    >>> 0 < hasher.n_label_bits_ < 16
    True
    """

    supervised = True
    semi_supervised = True
    saturation = 2.0  # margins of label bits and of geometry have no common scale
    card = Card(
        title="mixed (TSH and ITQ)",
        hash_function="those of its two parts",
        cost="that of its parts; 'auto' tries shares on a sample of at most 3,000 items",
        use="with labels, when new classes will come; with share=1 where labels are few",
    )

    def __init__(
        self,
        n_bits: int = 32,
        label_hasher: Any = "tsh",
        geometry_hasher: Any = "itq",
        *,
        share: float | str = "auto",
        combine: str = "auto",
        seen_weight: float = 0.5,
        unlabelled: str = "auto",
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(n_bits, random_state=random_state, n_jobs=n_jobs, verbose=verbose)
        self.label_hasher = label_hasher
        self.geometry_hasher = geometry_hasher
        self.share = share
        self.combine = combine
        self.seen_weight = seen_weight
        self.unlabelled = unlabelled

    def fit(
        self, X: Any, y: Any = None, *, affinity: Any = None, sample_weight: Any = None
    ) -> Self:
        """Learn bits from labels or pairs, and bits from the geometry of all items.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The training items, labelled or not.
        y : array-like of shape (n_samples,) or (n_samples, n_labels), default=None
            One label per item, -1 for an unlabelled one; or a 0/1 indicator of several, with a
            row of -1 for an unlabelled one. None, NaN and pandas.NA mean -1. Without labels and
            pairs, all bits are from geometry.
        affinity : Affinity, sparse matrix or array of shape (n_samples, n_samples), default=None
            +1 similar, -1 dissimilar, 0 or missing undefined; takes precedence over `y`. Items
            without a defined pair are the unlabelled ones.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each item in the bits from labels, whose hasher must have weights, as 'tsh'
            does: 2 counts as two copies. An item of weight 0 is left out of these, of the bits
            from geometry and of the trials of "auto"; other weights do not count in the latter.

        Returns
        -------
        self : MixedHasher
        """
        X, random_state = self._begin(X)
        all_items, weights = X, check_weights(sample_weight, X)
        parts = self._parts(random_state)
        supervision = as_supervision(X, y, affinity)
        self.affinity_given_ = affinity is not None
        if weights is not None:
            supervision.weights = weights
            if not weights.all():
                counted = np.flatnonzero(weights)
                X, supervision = X[counted], supervision.take(counted)
        if self.share != 0:
            supervision.check_teaches()
            parts.check_learns_from(supervision)
        parts = parts.for_labelled(int(supervision.known.sum()))
        training = Training(X, supervision, parts, random_state, self.verbose)
        share: Any = 1 if self.share == "auto" else self.share
        summed = is_summed(self.combine, training)
        most_label_bits = self.n_bits if summed and share else round(share * self.n_bits)
        # first what label bits learn from, which decides how good they are, then their number
        unlabelled = choose_teaching(training, most_label_bits, self.unlabelled)
        teaching, self.spread_results_ = unlabelled.value, unlabelled.results
        training = training._replace(parts=teaching.parts)
        mix = choose_mix(training, teaching.graph, self.share, summed, self.seen_weight)
        self.share_, self.n_label_bits_, _ = mix.value
        self.share_results_ = mix.results
        training = training._replace(parts=parts)
        self.label_hasher_, self.geometry_hasher_, self.sum_ = learn_parts(
            training, teaching, mix.value
        )
        self.decisions_ = [choice.why for choice in (mix, unlabelled) if choice.why]
        self._keep_codes(all_items)
        return self

    @available_if(_updates)
    def partial_fit(self, X: Any, y: Any, *, sample_weight: Any = None) -> Self:
        """Learn bits from labels of more items; bits from geometry do not change.

        Items of a new class, so far separated by geometry only, get bits from labels, too. The
        `label_hasher` must have `partial_fit`, such as a `TwoStepHasher` with its defaults.
        Unlabelled items are not used. Earlier items keep their `codes_`.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            New items.
        y : array-like of shape (n_samples,) or (n_samples, n_labels)
            Their labels, as in `fit`.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the new items.

        Returns
        -------
        self : MixedHasher
        """
        if not hasattr(self, "n_label_bits_"):
            return self.fit(X, y, sample_weight=sample_weight)
        if self.label_hasher_ is None:
            raise ValueError("partial_fit needs bits from labels, but this hasher has none.")
        X = self._items(X)
        check_finite(X, type(self).__name__)
        if y is None:
            raise ValueError("partial_fit requires y to be passed, but the target y is None.")
        supervision = as_supervision(X, y, None)
        supervision.weights = check_weights(sample_weight, X)
        if supervision.known.any():
            evidence = supervision.of(np.flatnonzero(supervision.known))
            self.label_hasher_.partial_fit(X[evidence.items], **evidence.given)
        self._add_codes(self._parallel_bits(X))
        return self

    def score(self, X: Any, y: Any = None, *, affinity: Any = None) -> float:
        """Return the mean average precision of labelled items of X searched in X itself.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The items.
        y : array-like of shape (n_samples,) or (n_samples, n_labels), default=None
            Labels, as in `fit`; unlabelled items are left out. Without y, neighbours are relevant.
        affinity : Affinity, sparse matrix or array of shape (n_samples, n_samples), default=None
            As in `BaseHasher.score`.

        Returns
        -------
        score : float
        """
        if y is None or affinity is not None:
            return super().score(X, affinity=affinity)
        labels, known = split_labels(y)
        if known.all():
            return super().score(X, labels)
        if not known.any():
            raise ValueError("y must have labels; got -1 only. Without y, neighbours are relevant.")
        return super().score(_safe_indexing(X, np.flatnonzero(known)), labels[known])

    def _hashers(self) -> list[BaseHasher]:
        """Return the parts that have bits."""
        return [part for part in (self.label_hasher_, self.geometry_hasher_) if part is not None]

    def _margins(self, X: Any) -> np.ndarray:
        if (summed := getattr(self, "sum_", None)) is not None:
            return summed.margins(self.label_hasher_, self.geometry_hasher_, X)
        return np.hstack([part._margins(X) for part in self._hashers()])

    def _is_one(self, X: Any) -> np.ndarray:
        if getattr(self, "sum_", None) is not None:  # a model file of an earlier version has none
            return self._margins(X) > 0
        return np.hstack([part._is_one(X) for part in self._hashers()])

    def _encodes_in_parallel(self) -> bool:
        return all(part._encodes_in_parallel() for part in self._hashers())

    def _accepts_sparse(self) -> bool:
        return all(
            as_hasher(getattr(self, name), name)._accepts_sparse()
            for name in ("label_hasher", "geometry_hasher")
        )

    def _reads_blocks(self, n_samples: int) -> bool:
        return True  # its parts convert X where they cannot read blocks

    def _parts(self, random_state: np.random.RandomState) -> Parts:
        """Check the parameters; return the hashers."""
        if not (isinstance(self.share, str) and self.share == "auto"):
            check_number("share", self.share, zero=True, most=1)
        check_option("combine", self.combine, Literal["auto", "concatenate", "sum"])
        check_number("seen_weight", self.seen_weight, zero=True, most=1)
        check_option("unlabelled", self.unlabelled, Literal["auto", "spread", "ignore"])
        made = as_part(self.label_hasher, "label_hasher", True, random_state, self.n_jobs)
        other = as_part(self.geometry_hasher, "geometry_hasher", False, random_state, self.n_jobs)
        return Parts(made, other, self.n_bits, self.n_jobs)
