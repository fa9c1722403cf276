"""Two-step hashing: Step 1 infers codes, Step 2 trains one classifier per bit."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np
from sklearn.base import clone

from hashlearn._numerics.arrays import check_weights
from hashlearn._numerics.checks import as_bytes, check_option
from hashlearn._progress import say
from hashlearn.affinity import as_labels
from hashlearn.base import BaseHasher, Card, describe_fit, register
from hashlearn.files import checkpointing
from hashlearn.hash_functions import HashFunction, as_hash_function, trait
from hashlearn.inference import as_inference
from hashlearn.losses import Loss, as_loss, tabulate
from hashlearn.two_step._class_codes import ClassCodesMixin
from hashlearn.two_step._correction import ClassCorrection, check_correct, learn_correction
from hashlearn.two_step._incremental import IncrementalMixin, bit_error, groups_of
from hashlearn.two_step._items import TrainingItems, take, warn_of_equal_bits
from hashlearn.two_step._stagewise import check_stagewise, learn_stagewise

Similarity = Literal["auto", "shared", "jaccard", "idf-cosine"]


@register("tsh")
class TwoStepHasher(ClassCodesMixin, IncrementalMixin, BaseHasher):
    """Learn binary codes from labels, pairs or neighbours: the two-step framework [1]_.

    Step 1 infers codes of the training items that fit a pairwise loss; Step 2 trains one
    binary classifier per bit to predict them. Any loss, any classifier.

    Without labels and pairs, `ITQHasher` finds more of the nearest items in less time
    (`hashlearn.methods.default_method` names the method to start with).

    Parameters
    ----------
    n_bits : int, default=32
        Length of the codes.
    loss : str, Loss or function, default="bre"
        How wrong a pair is: 'ksh', 'bre', 'splh', 'ee', 'exph', 'hinge', 'laplacian', or a
        function of ``(s, y)`` or ``(s, y, n_bits)``: Hamming affinity, +1 or -1, code length.
    inference : str or Inference, default="auto"
        Step 1's method: 'auto', 'sign-flip', 'spectral', 'spectral-lbfgsb' (the paper's),
        'random-lbfgsb', 'graph-cut', 'eigenmap', or an instance such as
        ``CoordinateDescent(n_cycles=3)``.
    hash_function : str, HashFunction or classifier, default="auto"
        Step 2's classifier: 'auto', 'linear-svm', 'rbf-svm', 'kernel-ridge', 'anchor-ridge',
        'kernel-features', 'boosted-stumps', 'boosted-trees', an instance, or any scikit-learn
        classifier (cloned per bit). 'auto' is 'rbf-svm' up to 5,000 items, 'kernel-ridge' up to
        16,000 if its 4 n^2 bytes are within `max_memory`, and 'anchor-ridge' above.
    similarity : {"auto", "shared", "jaccard", "idf-cosine"}, default="auto"
        How similar label sets are, where `y` is an indicator. "shared": items are similar if they
        share a label. "jaccard" and "idf-cosine" are graded: the more two items share, and the
        rarer it is, the nearer their codes (`hashlearn.affinity.MultilabelAffinity`). "auto" is
        "idf-cosine" with 'ksh' and 'bre', and "shared" with other losses or `stagewise`.
    group : {"auto", False}, default="auto"
        Whether exchangeable items (one class, one label set) share one variable in Step 1. With
        `stagewise` none do, because the hash functions' outputs on them differ.
    stagewise : bool, default=False
        Whether both steps alternate bit by bit [2]_, so that each bit corrects the errors of the
        hash functions before it. Bits that are not learned yet are left out of the loss, and every
        bit is inferred once: `n_cycles` and `start` of an inference have no effect. Above 5,000
        items pairs are sampled, 100 similar and 100 dissimilar ones per item. A kernel hash
        function then chooses its parameters again for every bit: give them, or use
        'boosted-trees'.
    correct : bool, default=False
        Whether the bits of an item are corrected together: all its margins say which classes are
        likely, and bits are flipped so that the code is as near to the codes of classes as these
        are likely. Items of known classes are found better, above all with weak machines; items of
        new classes that are searched for among known ones are found less well. Learned by
        cross-validation of Step 2, from one label per item, 3 to 50 classes, fewer than bits, and
        on up to 5,000 items, 20 of each class in the mean; elsewhere `fit` warns that it has no
        effect.
    max_memory : int or str, default=None
        Bytes, or a string such as "2GB", that blocks of items and features kept between passes may
        use in Step 2, for parts that do not set their own; None is the part's default. Codes and
        margins of all items, n_bits numbers each, are added to that.
    random_state : int, RandomState instance or None, default=None
        Seeds both steps.
    n_jobs : int, default=None
        Threads of Step 2, for parts that do not set their own. The bits do not depend on it.
    verbose : int, default=0
        If positive, print progress.

    Attributes
    ----------
    codes_ : ndarray of shape (n_samples, n_bits), uint8
        Step 1's codes of the training items, 0/1; for items without a defined pair, the bits that
        the hash function predicts. Unpacked at every access from `packed_codes_`, and not in model
        files by default (see `save`).
    objective_ : ndarray
        The loss over defined ordered pairs after every bit update; it never rises. With
        `stagewise` it is the loss of the hash functions' outputs on the training items; if it rises
        in the end, `fit` warns. It is that
        of a sample of pairs where pairs are sampled, and, with a warning, for losses other than
        'ksh' and 'bre' on the neighbour graph of more than 20,000 items.
    groups_ : ndarray of shape (n_samples,) or None
        The group of every training item, where exchangeable items shared one code.
    hash_function_ : HashFunction
        The fitted Step 2.
    correction_ : ClassCorrection or None
        What turns margins of the hash functions into those of `decision_function`. None where
        bits are not corrected, and after `partial_fit` with a new class.
    bit_error_ : ndarray of shape (n_bits,)
        Share of the training items (of the last call) on which Step 2 misses Step 1's bit.
    group_labels_, group_codes_, group_sizes_ : ndarray or None
        For every class or label set that has a code: its label (a row of a sparse indicator for
        label sets), its code and the sum of its items' weights. None without labels, or where
        members may have different codes.
    n_features_in_ : int
        Number of features seen in `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where X had names.

    References
    ----------
    .. [1] Lin, Shen, Suter and van den Hengel, "A General Two-Step Approach to Learning-Based
       Hashing", ICCV 2013.
    .. [2] Lin, Shen, Shi, van den Hengel and Suter, "Fast Supervised Hashing with Decision
       Trees for High-Dimensional Data", CVPR 2014.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from hashlearn import TwoStepHasher
    >>> X, y = load_digits(return_X_y=True)
    >>> hasher = TwoStepHasher(n_bits=16, hash_function="linear-svm", random_state=0)
    >>> hasher.fit(X[:500], y[:500]).encode(X[500:]).shape
    (1297, 2)
    """

    supervised = True
    card = Card(
        title="TSH",
        hash_function="any classifier per bit",
        cost="that of the parts; linear in n with labels and 'anchor-ridge'",
        use="first choice with labels or pairs; any loss, any classifier",
    )

    stagewise: bool = False  # for a subclass that does not offer it
    correct: bool = False
    max_memory: Any = None
    correction_: ClassCorrection | None = None  # in files from before there was one

    def __init__(
        self,
        n_bits: int = 32,
        loss: Any = "bre",
        inference: Any = "auto",
        hash_function: Any = "auto",
        *,
        similarity: str = "auto",
        group: Any = "auto",
        stagewise: bool = False,
        correct: bool = False,
        max_memory: int | str | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(n_bits, random_state=random_state, n_jobs=n_jobs, verbose=verbose)
        self.loss = loss
        self.inference = inference
        self.hash_function = hash_function
        self.similarity = similarity
        self.group = group
        self.stagewise = stagewise
        self.correct = correct
        self.max_memory = max_memory

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        affinity: Any = None,
        sample_weight: Any = None,
        checkpoint: Any = None,
    ) -> Self:
        """Learn codes of the items and hash functions that predict them.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The training items. With labels or an affinity, 'linear-svm', 'anchor-ridge' and
            'kernel-features' read an array in blocks and never copy it whole: it may be
            memory-mapped, and of any numeric type. (If some items lack pairs or have weight 0, the
            others are copied.)
        y : array-like of shape (n_samples,) or (n_samples, n_labels), default=None
            One label per item, or a 0/1 indicator of several (see `similarity`).
        affinity : Affinity, sparse matrix or array of shape (n_samples, n_samples), default=None
            +1 similar, -1 dissimilar, 0 or missing undefined; takes precedence over `y`. With
            neither, neighbours in X are similar.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each item in both steps: 2 counts as two copies, 0 leaves the item out.
            Weights of 1 give the same bits as none. Copies and weights give the same bits if the
            items of a class share a code, with at most 20,000 items (5,000 if `hash_function` is
            "auto", which counts copies); without labels, copies would be each other's neighbours.
        checkpoint : str or path-like, default=None
            A folder in which a long fit keeps its progress: neighbours, every bit of Step 1 and,
            for 'linear-svm' and 'kernel-features', every pass of Step 2 over the items. After a
            crash or Ctrl-C the same call resumes from there, to the same bits. The folder is
            removed at the end.

        Returns
        -------
        self : TwoStepHasher
        """
        X, random_state = self._begin(X)
        weights = check_weights(sample_weight, X)
        if checkpoint is not None and not self.keeps_checkpoints:
            raise ValueError(f"checkpoint must be None: {self!r} learns bit by bit and keeps none.")
        data = {"X": X, "y": y, "affinity": affinity, "sample_weight": weights}
        work = {} if checkpoint is None else describe_fit(self, **data)
        with checkpointing(checkpoint, work, random_state) as resumed_state:
            return self._learn(X, y, affinity, weights, resumed_state)

    def _learn(
        self,
        X: Any,
        y: Any,
        affinity: Any,
        weights: np.ndarray | None,
        random_state: np.random.RandomState,
    ) -> Self:
        n_counted = X.shape[0] if weights is None else int(np.count_nonzero(weights))
        loss, inference, hash_function = self._parts(n_counted, random_state)
        items = TrainingItems.choose(X, y, affinity, weights, self._affinity)
        inference.check_affinity(items.affinity, loss)
        groups = None
        if self.stagewise:
            codes, self.objective_, self.hash_function_ = learn_stagewise(
                items, loss, inference, hash_function, self.n_bits, random_state, self.verbose
            )
        else:
            codes, self.objective_, groups = inference.infer(  # Step 1: codes
                items.affinity,
                loss,
                self.n_bits,
                group=self.group,
                sample_weight=items.weights,
                random_state=random_state,
                verbose=self.verbose,
            )
            say(f"Step 2: {self.n_bits} bits by {hash_function!r}", self.verbose)
            # one classifier per bit
            self.hash_function_ = hash_function.fit(items.X, codes, self.verbose, items.weights)
        known = None
        if affinity is None and y is not None and self._shares_codes(loss):
            known = groups_of(take(as_labels(y), items.learned), groups, codes, items.weights)
        self._keep_groups(known)
        self.correction_ = None
        if self.correct:
            self.correction_ = learn_correction(known, groups, self.hash_function_, items, codes)
        bits = self._parallel_bits(X)
        predicted = take(bits, items.learned)
        warn_of_equal_bits(predicted, codes)
        self.bit_error_ = bit_error(predicted, codes, items.weights)
        self.codes_ = items.among_all(codes, bits)
        self.groups_ = items.groups_among_all(groups)
        return self

    @property
    def keeps_checkpoints(self) -> bool:
        """Whether `fit` has checkpoints: not where both steps alternate bit by bit."""
        return not self.stagewise

    def check_parts(self) -> None:
        """Raise if loss, inference or hash function is not known, or they do not go together.

        Examples
        --------
        >>> from hashlearn import TwoStepHasher
        >>> TwoStepHasher(loss="square").check_parts()  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        ValueError: loss must be one of 'bre', ...; got 'square'.
        """
        loss = as_loss(self.loss)
        as_inference(self.inference, loss).check(loss)
        as_hash_function(self.hash_function, n_samples=0)

    def _margins(self, X: Any) -> np.ndarray:
        margins = self.hash_function_.decision_function(X)
        return margins if self.correction_ is None else self.correction_.margins(margins)

    def _is_one(self, X: Any) -> np.ndarray:
        return self.hash_function_.bits(X) if self.correction_ is None else self._margins(X) > 0

    def _parts(
        self, n_samples: int, random_state: np.random.RandomState
    ) -> tuple[Loss, Any, HashFunction]:
        """Return loss, inference and hash function, checked, as the parameters say."""
        if not (isinstance(self.group, bool | str) and self.group in ("auto", False)):
            raise ValueError(f"group must be 'auto' or False; got {self.group!r}.")
        check_option("similarity", self.similarity, Similarity)
        check_correct(self.correct)
        loss = tabulate(as_loss(self.loss), self.n_bits)  # raises if a loss is not a number
        inference = as_inference(self.inference, loss)
        inference.check(loss)
        check_stagewise(self.stagewise, inference)
        as_bytes(self.max_memory)  # raises if it is not a size
        hash_function = clone(as_hash_function(self.hash_function, n_samples, self.max_memory))
        params = hash_function.get_params(deep=False)
        if "random_state" in params and params["random_state"] is None:
            hash_function.set_params(random_state=random_state.randint(np.iinfo(np.int32).max))
        for name in ("n_jobs", "max_memory"):
            if name in params and params[name] is None:
                hash_function.set_params(**{name: getattr(self, name)})
        hash_function.check(n_samples)
        return loss, inference, hash_function

    def _similarity(self) -> str:
        if self.similarity != "auto":
            return self.similarity
        # Other losses need all pairs for grades, and gain nothing; sampled pairs have none.
        is_graded = as_loss(self.loss).quadratic and not self.stagewise
        return "idf-cosine" if is_graded else "shared"

    def _accepts_sparse(self) -> bool:
        return trait(self.hash_function, "accepts_sparse", otherwise=True)

    def _takes_frames(self) -> bool:
        return trait(self.hash_function, "takes_frames")

    def _reads_blocks(self, n_samples: int) -> bool:
        given = {"n_samples": n_samples, "max_memory": self.max_memory}
        return trait(self.hash_function, "reads_blocks", **given)
