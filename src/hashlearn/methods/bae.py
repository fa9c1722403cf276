"""Binary autoencoder: codes from which a linear decoder restores the items."""

from __future__ import annotations

from numbers import Integral
from typing import Any, Literal, Self

import numpy as np
from sklearn.utils import check_array, check_scalar
from sklearn.utils.extmath import row_norms
from sklearn.utils.validation import check_is_fitted

from hashlearn._numerics.arrays import check_block_magnitude, float_type
from hashlearn._numerics.blas import one_blas_thread
from hashlearn._numerics.checks import Metric, check_option
from hashlearn._numerics.padded_blocks import linear_margins, padded_columns
from hashlearn.base import BaseHasher, Card, describe_fit, register
from hashlearn.files import checkpointing
from hashlearn.methods._parts.checks import check_differs
from hashlearn.methods._parts.decoder import SignEncoder, fit_decoder
from hashlearn.methods._parts.sign_search import search_signs
from hashlearn.search import CodeTerms, FloatQueries, unpack_codes

MAX_ENTRIES = 1 << 26  # values of the items that the decoder is fitted to: 256 MiB
MIN_SAMPLES = 1000
SMALLEST_SPREAD = 1e-6  # of items of length 1: less is rounding
QUERY_ROWS = 8  # in a block of products: a lone query costs as much as a whole block
LENGTH_QUANTILES = (0.001, 0.999)  # of training items: outliers must not make levels coarse
LENGTH_MARGIN = 0.25  # of what is between these, for new items


@register("bae")
class BinaryAutoencoderHasher(BaseHasher):
    r"""Binary autoencoder: codes from which a linear decoder restores the items [1]_.

    Decoder and codes minimise

    .. math:: \sum_i |x_i - \mu - W s_i|^2, \qquad s_i \in \{-1, 1\}^m.

    W and mu follow from the codes by least squares, and each code from them by flips of single
    bits; both alternate, from the codes of ITQ. A new item is encoded by the same flips. The codes
    are made for queries that are not rounded to bits: `encode_queries` compares a query with the
    items' reconstructions :math:`\mu + W s`, which takes one look at each bit and, for cosines and
    Euclidean distances, the length of the reconstruction, a byte that follows from the code. By
    Hamming distance the codes of ITQ are better.

    Parameters
    ----------
    n_bits : int, default=32
        Length of the codes; more bits than features are of use too.
    metric : {"cosine", "inner_product", "euclidean"}, default="cosine"
        What queries estimate. For "cosine" items are scaled to length 1.
    n_iter : int, default=12
        Rounds of least squares and flips.
    patience : int, default=80
        An item is encoded by flips until this many have not led to a smaller error. More are
        slower and a little better.
    max_samples : int, default=30000
        The decoder is fitted to a random sample of this many items, or fewer, but at least 1,000,
        if they have more than 67 million values.
    random_state : int, RandomState instance or None, default=None
        Seeds the sample and the rotation of the start.
    n_jobs : int, default=None
        Threads. Bits do not depend on it.
    verbose : int, default=0
        Above 0, show progress.

    Attributes
    ----------
    decoder_ : ndarray of shape (n_features, n_bits), float32
        The matrix :math:`W`.
    mean_ : ndarray of shape (n_features,), float64
        The vector :math:`\mu`.
    reconstruction_error_ : ndarray of shape (n_iter,)
        The mean squared error after each round, as a share of the variance.
    length_range_ : ndarray of shape (2,)
        The shortest and the longest length of a reconstruction that queries tell apart, for metric
        "euclidean" from the mean.
    codes_ : ndarray of shape (n_samples, n_bits), uint8
        Codes of the training items, 0/1.
    n_features_in_ : int
        Number of features seen in `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where X had names.

    References
    ----------
    .. [1] Carreira-Perpinan, Raziperchikolaei, "Hashing with Binary Autoencoders", CVPR 2015.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from hashlearn import HammingIndex
    >>> from hashlearn.methods import BinaryAutoencoderHasher
    >>> X, y = load_digits(return_X_y=True)
    >>> hasher = BinaryAutoencoderHasher(n_bits=64, random_state=0).fit(X)
    >>> index = HammingIndex(n_bits=64)
    >>> index.add(hasher.encode(X))
    >>> distances, ids = index.search(hasher.encode_queries(X[:3]), k=1)
    >>> ids.ravel()
    array([0, 1, 2])
    """

    asymmetric = True
    card = Card(
        title="BAE",
        hash_function="linear decoder",
        cost="n d m + n m^2, n at most max_samples, a round",
        use="without labels, for float queries: the best recall per byte",
    )

    def __init__(
        self,
        n_bits: int = 32,
        *,
        metric: Metric = "cosine",
        n_iter: int = 12,
        patience: int = 80,
        max_samples: int = 30_000,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(n_bits, random_state=random_state, n_jobs=n_jobs, verbose=verbose)
        self.metric = metric
        self.n_iter = n_iter
        self.patience = patience
        self.max_samples = max_samples

    def fit(self, X: Any, y: Any = None, *, checkpoint: Any = None) -> Self:
        """Fit the decoder to a sample of the items, and encode all.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The training items, of any numeric type; never copied whole, so that they may be
            memory-mapped.
        y : ignored
        checkpoint : str or path-like, default=None
            A folder in which a long fit keeps its progress, round by round. After a crash or
            Ctrl-C the same call resumes from there, to the same bits. The folder is removed at
            the end.

        Returns
        -------
        self : BinaryAutoencoderHasher
        """
        X, random_state = self._begin(X)
        check_option("metric", self.metric, Metric)
        check_scalar(self.n_iter, "n_iter", Integral, min_val=1)
        check_scalar(self.patience, "patience", Integral, min_val=0)
        check_scalar(self.max_samples, "max_samples", Integral, min_val=2)
        if self.metric != "cosine":
            check_block_magnitude(X, np.float32)
        check_differs(X, "X")
        work = {} if checkpoint is None else describe_fit(self, X=X)
        with checkpointing(checkpoint, work, random_state) as resumed_state, one_blas_thread():
            sample = self._fit_decoder(X, resumed_state)
        self._keep_codes(X)
        bits = unpack_codes(self.packed_codes_[sample], self.n_bits_)
        lengths = np.linalg.norm(self.inverse_transform(bits) - self._origin(), axis=1)
        low, high = np.quantile(lengths, LENGTH_QUANTILES)
        more = LENGTH_MARGIN * (high - low)
        self.length_range_ = np.array([max(low / 2, low - more), high + more])
        return self

    def _fit_decoder(self, X: np.ndarray, random_state: np.random.RandomState) -> np.ndarray:
        """Fit the decoder to a sample, centred and of mean squared length 1; return its rows."""
        most = max(MIN_SAMPLES, MAX_ENTRIES // X.shape[1])
        n_samples = min(X.shape[0], self.max_samples, most)
        rows = np.sort(random_state.choice(X.shape[0], n_samples, replace=False))
        sample = self._scaled(X[rows].astype(float_type(X), copy=False))
        mean = sample.mean(axis=0, dtype=np.float64)
        sample = sample - mean.astype(sample.dtype)
        size = float(np.sqrt(np.square(sample, dtype=np.float64).sum() / n_samples)) or 1.0
        if self.metric == "cosine" and size < SMALLEST_SPREAD:
            raise ValueError("X has one direction in all items: there is nothing to tell apart.")
        sample = (sample / size).astype(np.float32)
        left, decoder, errors = fit_decoder(
            sample, self.n_bits, self.n_iter, random_state, self.verbose
        )
        self.mean_ = mean + size * left.astype(np.float64)
        self.decoder_ = size * decoder
        self.reconstruction_error_ = errors
        return rows

    def encode_queries(self, X: Any) -> FloatQueries:
        """Return queries that compare items by their reconstructions.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The queries.

        Returns
        -------
        queries : FloatQueries
            Their distances estimate 1 - cosine, minus the inner product, or the Euclidean distance.
        """
        check_is_fitted(self)
        queries = self._map(lambda rows: self._scaled(rows).astype(np.float64), self._items(X))
        queries -= self._origin()
        columns = self._derived("query columns", self._make_query_columns)
        with np.errstate(over="ignore", invalid="ignore"):
            products = _products(queries, columns, block_rows=QUERY_ROWS)
            squares = np.square(queries).sum(axis=1)
            products, of_mean = products[:, : self.n_bits_], products[:, self.n_bits_]
            most = np.abs(products).sum(axis=1)  # if all bits agreed
        if self.metric != "euclidean":
            most += of_mean
        if not np.isfinite(most + squares).all():
            raise ValueError("X has values that are too large to square.")
        model = self.fingerprint()
        if self.metric == "inner_product":
            return FloatQueries(2 * products, shifts=most, model=model)
        terms = self._derived("terms", self._make_terms)
        if self.metric == "cosine":
            ones = np.ones(len(queries))
            return FloatQueries(2 * products, constants=ones, shifts=most, terms=terms, model=model)
        return FloatQueries(
            4 * products, constants=squares, shifts=2 * most, terms=terms, model=model
        )

    def inverse_transform(self, bits: Any) -> np.ndarray:
        """Return the reconstructions of codes.

        Parameters
        ----------
        bits : array-like of shape (n_samples, n_bits)
            Codes as 0/1, as `transform` returns them.

        Returns
        -------
        X : ndarray of shape (n_samples, n_features), float32
            For metric "cosine", of the items scaled to length 1.
        """
        check_is_fitted(self)
        bits = check_array(bits, dtype=np.float32, input_name="bits")
        if bits.shape[1] != self.n_bits_ or not np.isin(bits, (0, 1)).all():
            raise ValueError(
                f"bits must be 0 or 1, in {self.n_bits_} columns; got {bits.shape[1]} columns of "
                f"values from {bits.min():g} to {bits.max():g}."
            )
        return (2 * bits - 1) @ self.decoder_.T + self.mean_.astype(np.float32)

    def _margins(self, X: Any) -> np.ndarray:
        # In units in which the decoder has length 1, so that nothing overflows.
        size, encoder = self._derived("encoder", self._make_encoder)
        rows = (self._scaled(X) - self.mean_) / size
        fields = _products(rows.astype(np.float32), encoder.directions)
        relaxed = _products(fields, encoder.relaxed)
        signs = np.where(relaxed > 0, np.float32(1), np.float32(-1))
        search_signs(fields, signs, encoder.couplings, self.patience)
        return fields

    def _make_encoder(self) -> tuple[float, SignEncoder]:
        """Return the size of the decoder, and what encoding needs of it."""
        size = float(np.linalg.norm(self.decoder_)) or 1.0
        return size, SignEncoder.of(self.decoder_ / size)

    def _make_query_columns(self) -> np.ndarray:
        """Return what queries are multiplied with: the decoder and the mean, in columns."""
        return padded_columns(np.column_stack([self.decoder_, self.mean_]))

    def _make_terms(self) -> CodeTerms:
        """Return what reconstructions add to the distances of queries."""
        low, high = self.length_range_
        use: Literal["scale", "bias"] = "scale" if self.metric == "cosine" else "bias"
        mean = self.mean_ - self._origin()
        return CodeTerms(self.decoder_, mean, lengths=(float(low), float(high)), use=use)

    def _origin(self) -> np.ndarray | float:
        """Return from where lengths are measured: Euclidean ones from the mean, for precision."""
        return self.mean_ if self.metric == "euclidean" else 0.0

    def _scaled(self, X: np.ndarray) -> np.ndarray:
        """Return items as the decoder sees them: of length 1 for cosines."""
        if self.metric != "cosine":
            return X
        rows = X / _not_zero(np.abs(X).max(axis=1))[:, None]  # squares neither overflow nor vanish
        rows /= _not_zero(row_norms(rows))[:, None]
        return rows

    @property
    def keeps_checkpoints(self) -> bool:
        """Whether `fit` has `checkpoint`: yes."""
        return True

    def _accepts_sparse(self) -> bool:
        return False  # reconstructions are dense

    def _reads_blocks(self, n_samples: int) -> bool:
        return True


def _not_zero(sizes: np.ndarray) -> np.ndarray:
    """Return sizes with 1 for 0: items without a direction stay at the origin."""
    return np.where(sizes == 0, np.ones(1, dtype=sizes.dtype), sizes)


def _products(X: np.ndarray, W: np.ndarray, **options: Any) -> np.ndarray:
    """Return X W, each row's from that row alone, in the wider type of both."""
    return linear_margins(X, W, np.zeros(X.shape[1]), dtype=np.result_type(X, W), **options)
