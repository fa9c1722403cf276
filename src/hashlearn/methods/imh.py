"""Inductive manifold hashing: an embedding of anchors, interpolated for all other items."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np
from sklearn.manifold import TSNE

from hashlearn._numerics.checks import check_option
from hashlearn._progress import say
from hashlearn.affinity import NeighborAffinity
from hashlearn.base import Card, register
from hashlearn.inference import laplacian_eigenvectors
from hashlearn.methods._parts.anchors import AnchorGraphHasher
from hashlearn.methods._parts.query_margins import EvenMargins

_PERPLEXITY = 30.0  # the usual one, if there are enough anchors


@register("imh")
class IMHHasher(EvenMargins, AnchorGraphHasher):
    r"""Inductive manifold hashing: signs of an embedding learned on anchors only [1]_.

    The anchors a are embedded as :math:`W`, with one dimension per bit, by t-SNE or by a Laplacian
    eigenmap of their own graph. Any item is interpolated between its s nearest anchors N(x):

    .. math:: f(x) = \frac{\sum_{j \in N(x)} k(x, a_j)\, W_j}{\sum_{j \in N(x)} k(x, a_j)},
              \qquad k(x, a) = \exp(-\|x - a\|^2 / \sigma^2),

    and its bits are the signs of f(x). The mean of the embedded anchors is the origin.

    Parameters
    ----------
    n_bits : int, default=32
        Length of the codes; with "eigenmap", less than the number of anchors.
    embedding : {"tsne", "eigenmap"}, default="tsne"
        The embedding of the anchors. "tsne", the paper's choice, takes :math:`p^2 m` steps per
        iteration for p anchors and m bits, seconds to a minute. "eigenmap" uses the smoothest
        eigenvectors of the graph of each anchor's s nearest anchors, in a fraction of a second;
        its codes are better at the top of a ranking and worse further down. It differs from the
        paper's IMH-LE, whose eigenproblem also couples all training items with the anchors.
    n_anchors : int, default=400
        Number of anchors, centres of k-means; reduced to the number of items, with a warning.
    n_neighbors : int, default=5
        The number s of nearest anchors of an item; reduced to the number of anchors.
    sigma : float or "auto", default="auto"
        The bandwidth. "auto" is the mean distance to the s-th nearest anchor.
    random_state : int, RandomState instance or None, default=None
        Seeds k-means and the embedding.
    n_jobs : int, default=None
        Threads for encoding. Bits do not depend on it.
    verbose : int, default=0
        Above 0, print the steps.

    Attributes
    ----------
    anchors_ : ndarray of shape (n_anchors, n_features)
        The anchors, each once.
    embedding_ : ndarray of shape (n_anchors, n_bits)
        The matrix W.
    sigma_ : float
        The bandwidth in use.
    n_neighbors_ : int
        The s in use.
    center_ : ndarray of shape (n_features,)
        Subtracted from rows before distances are computed, for accuracy.
    margin_sizes_ : ndarray of shape (n_bits,)
        The mean size of each bit's margins of training items; `encode_queries` divides by it.
    codes_ : ndarray of shape (n_samples, n_bits), uint8
        The codes of the training items, 0/1.
    n_features_in_ : int
        Number of features seen in `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where X had names.

    References
    ----------
    .. [1] Shen, Shen, Shi, van den Hengel and Tang, "Inductive Hashing on Manifolds", CVPR 2013.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from hashlearn.methods import IMHHasher
    >>> X, y = load_digits(return_X_y=True)
    >>> hasher = IMHHasher(n_bits=16, embedding="eigenmap", n_anchors=100, random_state=0)
    >>> hasher.fit(X[:1000]).encode(X[1000:]).shape
    (797, 2)
    """

    card = Card(
        title="IMH",
        hash_function="nearest anchors",
        cost="n d p for p anchors, + 1,000 p^2 m for t-SNE",
        use="no labels, and classes that lie on manifolds",
    )

    def __init__(
        self,
        n_bits: int = 32,
        *,
        embedding: str = "tsne",
        n_anchors: int = 400,
        n_neighbors: int = 5,
        sigma: float | str = "auto",
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(n_bits, random_state=random_state, n_jobs=n_jobs, verbose=verbose)
        self.embedding = embedding
        self.n_anchors = n_anchors
        self.n_neighbors = n_neighbors
        self.sigma = sigma

    def fit(self, X: Any, y: Any = None) -> Self:
        """Choose the anchors and embed them.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The training items.
        y : ignored

        Returns
        -------
        self : IMHHasher
        """
        X, random_state = self._begin(X)
        self._check_parameters(X.shape[0])
        self._fit_anchors(X, random_state)
        self._check_bits(self.anchors_.shape[0])  # equal items give fewer anchors
        say(f"Embedding {self.anchors_.shape[0]} anchors by {self.embedding}", self.verbose)
        W = self._embed_anchors(random_state)
        self.embedding_ = W - W.mean(axis=0)
        self._keep_codes(X)
        return self

    def _check_parameters(self, n_items: int) -> None:
        self._check_anchor_parameters()
        check_option("embedding", self.embedding, Literal["tsne", "eigenmap"])
        self._check_bits(min(self.n_anchors, n_items))

    def _check_bits(self, n_anchors: int) -> None:
        if n_anchors < 2:
            raise ValueError("All items of X are equal: there is only one distinct anchor.")
        if self.embedding == "eigenmap" and self.n_bits >= n_anchors:
            raise ValueError(
                f"n_bits={self.n_bits} needs one eigenvector per bit, but the graph of {n_anchors} "
                f"distinct anchors has at most {n_anchors - 1}."
            )

    def _embed_anchors(self, random_state: np.random.RandomState) -> np.ndarray:
        if self.embedding == "eigenmap":
            graph = NeighborAffinity.from_data(self.anchors_, n_neighbors=self.n_neighbors_)
            return laplacian_eigenvectors(graph, self.n_bits, random_state)
        perplexity = max(1.0, min(_PERPLEXITY, (self.anchors_.shape[0] - 1) / 3))
        tsne = TSNE(
            self.n_bits,
            perplexity=perplexity,
            init="random",
            method="exact",  # the faster method is limited to 3 dimensions
            random_state=random_state,
        )
        return tsne.fit_transform(self.anchors_).astype(np.float64)
