"""Base class of hashers: bits and packed codes from margins, a score and a summary."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import asdict
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from joblib import effective_n_jobs
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import check_is_fitted

from hashlearn._numerics.blas import one_blas_thread
from hashlearn._numerics.checks import check_n_bits
from hashlearn._numerics.float_blocks import map_float_blocks
from hashlearn._registry import Registry
from hashlearn.affinity import Affinity, as_affinity
from hashlearn.base._codes import TrainingCodes
from hashlearn.base._encoding import Encoding
from hashlearn.base._fingerprint import Fingerprinted
from hashlearn.base._items import CheckedItems, is_frame
from hashlearn.base._parts import NamedParts
from hashlearn.base._score import affinity_score
from hashlearn.base.card import Card
from hashlearn.base.summary import Summary
from hashlearn.files import save_model
from hashlearn.search import pack_codes

METHODS: Registry[BaseHasher] = Registry("method")
register = METHODS.register


class BaseHasher(
    CheckedItems,
    Encoding,
    Fingerprinted,
    NamedParts,
    TrainingCodes,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    BaseEstimator,
):
    """Base class of hashers: a subclass implements `fit` and one margin per bit.

    A fitted hasher has `codes_`, the codes of its training items, and may have `groups_` (items
    that share a code), `bit_error_`, `hash_function_`, and `distance_` where the method ranks by
    another distance than Hamming's. A subclass with more parameters has its own constructor.

    Parameters
    ----------
    n_bits : int, default=32
        Length of the codes.
    random_state : int, RandomState instance or None, default=None
        Seeds what is random.
    n_jobs : int, default=None
        Threads. Bits do not depend on it.
    verbose : int, default=0
        Above 0, show progress.

    Attributes
    ----------
    supervised : bool
        Whether `fit` learns from labels or pairs; if not, it ignores them. Known before `fit`.
    needs_labels : bool
        Whether `fit` cannot do without labels. Known before `fit`.
    packed_codes_ : ndarray of shape (n_samples, ceil(n_bits / 8)), uint8
        The packed codes of the training items. Model files leave them out by default.
    n_bits_ : int
        The number of bits that were learned.
    affinity_given_ : bool
        Whether a supervised `fit` was given an affinity: `score` then needs one, or labels.
    """

    supervised = False  # a subclass that learns from labels or pairs says True
    needs_labels = False  # and one that cannot do with pairs, an affinity or neighbours
    semi_supervised = False  # and one that also learns from items whose label is -1
    asymmetric = False  # and one whose codes are made for `encode_queries`
    card: ClassVar[Card] = Card(hash_function="", cost="", use="")

    n_jobs: int | None = None  # of a subclass without this parameter
    similarity: str = "shared"  # likewise: how similar label sets are

    def __init__(
        self,
        n_bits: int = 32,
        *,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_bits = n_bits
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @property
    def keeps_checkpoints(self) -> bool:
        """Whether `fit` has `checkpoint`, a folder for what a long fit has done."""
        return False

    def check_parts(self) -> None:
        """Raise, before any items are read, if a parameter names a part that is not known.

        `fit` checks its parts too, once it has the items. A method without parts accepts all.
        """

    @abstractmethod
    def fit(self, X: Any, *args: Any, **kwargs: Any) -> Self:
        """Learn the bits.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The training items.
        *args, **kwargs : object
            What a method learns from beside them: labels `y`, or `affinity`.

        Returns
        -------
        self : BaseHasher
        """

    @abstractmethod
    def _margins(self, X: Any) -> np.ndarray:
        """Return the (n, n_bits) margins of checked items; a bit is 1 above 0."""

    def _is_one(self, X: Any) -> np.ndarray:
        """Return which bits of checked items are 1."""
        return self._margins(X) > 0

    def decision_function(self, X: Any) -> np.ndarray:
        """Return the signed distance of each item to the boundary of each bit.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The items.

        Returns
        -------
        margins : ndarray of shape (n_samples, n_bits)
            A bit is 1 where its margin is positive.
        """
        check_is_fitted(self)
        return self._parallel_margins(self._items(X))

    def transform(self, X: Any) -> np.ndarray:
        """Return the codes of items as 0/1.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The items.

        Returns
        -------
        bits : ndarray of shape (n_samples, n_bits), uint8
        """
        check_is_fitted(self)
        return self._parallel_bits(self._items(X))

    def score(self, X: Any, y: Any = None, *, affinity: Any = None) -> float:
        """Return the mean average precision of X searched in X itself.

        Items are ranked by Hamming distance, also if the method has its own distance. Each item is
        left out of its own ranking. The whole ranking counts; the score is the expectation over
        random orders of items at equal distance. Items with nothing relevant are skipped.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The items.
        y : array-like of shape (n_samples,) or (n_samples, n_labels), default=None
            Labels; items that share one are relevant to each other.
        affinity : Affinity, sparse matrix or array of shape (n_samples, n_samples), default=None
            Similar items are relevant to each other, and undefined pairs are left out of the
            rankings; takes precedence over `y`. With neither, neighbours in X are relevant, unless
            the hasher was fitted with an affinity: then one of them must be given.

        Returns
        -------
        score : float
        """
        check_is_fitted(self)
        if y is None and affinity is None and getattr(self, "affinity_given_", False):
            raise ValueError(
                "score needs y or affinity, because the hasher was fitted with an affinity; in a "
                "cross-validation enable scikit-learn's metadata routing and call "
                "set_score_request(affinity=True)."
            )
        X = self._validate(X, reset=False)
        packed = pack_codes(self._parallel_bits(X))
        wanted = as_affinity(affinity, y, X, n_jobs=self.n_jobs)
        return affinity_score(packed, self.n_bits_, wanted)

    def summary(self) -> Summary:
        """Return a short diagnosis of the training codes; printed, it is a small report."""
        check_is_fitted(self)
        if hasattr(self, "code_summary_"):
            return Summary(**self.code_summary_)
        self.codes_  # noqa: B018  raises if they were left out
        return Summary.of(self)

    def save(
        self, path: str | os.PathLike[str], *, codes: bool = False, partial_fit: bool = False
    ) -> None:
        """Write the hasher to a file that `hashlearn.load` reads; nothing is pickled.

        Parameters
        ----------
        path : str or path-like
            The file to write, or to replace.
        codes : bool, default=False
            Whether the file holds `codes_` and `groups_`, which grow with the training items.
            Without them the file is as large as the hash functions; `summary` works either way.
        partial_fit : bool, default=False
            Whether the loaded hasher can learn from more items. What that needs grows with the
            square of the features or anchors: 4 MB for 1,000 of them.
        """
        check_is_fitted(self)
        if partial_fit and not hasattr(self, "partial_fit"):
            raise ValueError(
                f"partial_fit must be False: {type(self).__name__} with these parameters has no "
                "partial_fit."
            )
        saved = self._reduced(codes=codes, partial_fit=partial_fit)
        if not codes and hasattr(self, "packed_codes_"):
            saved.code_summary_ = asdict(self.summary())
        save_model(saved, path)

    def _begin(self, X: Any) -> tuple[Any, np.random.RandomState]:
        """Check what all methods check; return the items and the random state."""
        check_n_bits(self.n_bits)
        if not (self.n_jobs is None or isinstance(self.n_jobs, Integral)):
            raise TypeError(f"n_jobs must be an integer or None; got {self.n_jobs!r}.")
        effective_n_jobs(self.n_jobs)  # raises if it is 0
        return self._validate(X, reset=True), check_random_state(self.random_state)

    def _affinity(self, X: Any, y: Any, affinity: Any, sample_weight: Any = None) -> Affinity:
        """Return what should be near; a method with its own rule overrides this."""
        self.affinity_given_ = affinity is not None
        return as_affinity(
            affinity,
            y,
            X,
            n_jobs=self.n_jobs,
            verbose=self.verbose,
            similarity=self._similarity(),
            sample_weight=sample_weight,
        )

    def _similarity(self) -> str:
        """Return how similar label sets are; `similarity` is a parameter of some methods."""
        return self.similarity

    def _parallel_margins(self, X: Any) -> np.ndarray:
        """Return the margins of checked items, on `n_jobs` threads."""
        return self._map(self._margins, X)

    def _parallel_bits(self, X: Any) -> np.ndarray:
        """Return the codes of items as 0/1, on `n_jobs` threads; all margins are never held."""
        return self._map(lambda rows: self._is_one(rows).view(np.uint8), X)

    def _map(self, function: Callable[[Any], np.ndarray], X: Any) -> np.ndarray:
        if is_frame(X):
            with one_blas_thread():
                return function(X)
        threads = None if self.n_jobs is None else effective_n_jobs(self.n_jobs)
        whole = not self._encodes_in_parallel()
        name = type(self).__name__
        return map_float_blocks(function, X, threads=threads, whole=whole, estimator_name=name)

    def _encodes_in_parallel(self) -> bool:
        """Return whether several threads may compute margins at a time."""
        return getattr(getattr(self, "hash_function_", None), "encodes_in_parallel", True)

    @property
    def _n_features_out(self) -> int:
        return self.n_bits_

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self._accepts_sparse()
        tags.target_tags.required = self.needs_labels
        tags.transformer_tags.preserves_dtype = []  # bits are uint8, whatever X is
        return tags
