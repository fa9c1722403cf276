"""Ways to rank embeddings that are not this library's: floats, sign bits, faiss, a classifier.

A way by floats has `fit`, `store` (what is kept of the database) and `distances(queries, stored)`;
a way by codes has `fit`, `encode` and `n_bits`, as a hasher has.
"""

import faiss
import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV

from hashlearn.search import FloatQueries

_CHOICE_ITEMS = 5_000  # training items on which the classifier's C is chosen
_FAISS_ITEMS = 10_000


def unit(X):
    return X / np.maximum(np.linalg.norm(X, axis=1, keepdims=True), np.finfo(X.dtype).tiny)


class Cosine:
    """The embeddings themselves."""

    def fit(self, X, y):
        self.bytes = X[:1].nbytes
        return self

    def store(self, X):
        return unit(X)

    def distances(self, queries, stored):
        return -(unit(queries) @ stored.T)


class LDA(Cosine):
    """Linear discriminant analysis: what labels give without codes; ranked by cosine."""

    def fit(self, X, y):
        self.model = LinearDiscriminantAnalysis(solver="eigen", shrinkage="auto").fit(X, y)
        self.bytes = self.model.transform(X[:1]).astype(np.float32).nbytes
        return self

    def store(self, X):
        return unit(self.model.transform(X).astype(np.float32))

    def distances(self, queries, stored):
        return -(self.store(queries) @ stored.T)


class Faiss:
    """A faiss index, float queries against codes; it learns from at most `n_learned` items."""

    def __init__(self, factory, seed, n_learned=_FAISS_ITEMS):
        self.factory, self.seed, self.n_learned = factory, seed, n_learned

    def fit(self, X, y):
        drawn = np.random.RandomState(self.seed).permutation(len(X))[: self.n_learned]
        self.index = faiss.index_factory(X.shape[1], self.factory.format(d=X.shape[1]))
        self.index.train(unit(X[drawn]))
        self.bytes = self.index.sa_code_size()
        return self

    def store(self, X):
        self.index.reset()
        self.index.add(unit(X))
        return self.index

    def distances(self, queries, stored):
        found, items = stored.search(unit(queries), stored.ntotal)
        distances = np.empty_like(found)
        np.put_along_axis(distances, items, found, axis=1)
        return distances


class ProductQuantiser(Faiss):
    """OPQ and PQ of 8 bits, rotated to fewer dimensions as is usual."""

    def __init__(self, n_bytes, seed):
        super().__init__(f"OPQ{n_bytes}_{16 * n_bytes},PQ{n_bytes}x8", seed)

    def store(self, X):
        decoded = self.index.sa_decode(self.index.sa_encode(unit(X)))
        return decoded, (decoded**2).sum(axis=1)

    def distances(self, queries, stored):
        """Return what a search computes, faster than it sorts: up to a constant per query."""
        decoded, norms = stored
        return norms - 2 * unit(queries) @ decoded.T


def rabitq(n_bytes, seed):
    """Return RaBitQ after PCA to what fits the bytes, of which 8 are two numbers per item."""
    return Faiss(f"PCAR{8 * (n_bytes - 8)},RaBitQ", seed)


class SignBits:
    """A bit per dimension: whether it is above 0, or above its mean if it is never negative."""

    def fit(self, X, y):
        self.n_bits = X.shape[1]
        self.center = X.mean(axis=0) if X.min() >= 0 else np.zeros(1, dtype=X.dtype)
        return self

    def encode(self, X):
        return np.packbits(self.center < X, axis=1)

    def encode_queries(self, X):
        return FloatQueries(X - self.center)


class ClassLabel:
    """A logistic regression's class: a bit per class, so that items of that class are first."""

    def __init__(self, seed):
        self.seed = seed

    def fit(self, X, y):
        few = np.random.RandomState(self.seed).permutation(len(X))[:_CHOICE_ITEMS]
        search = GridSearchCV(LogisticRegression(max_iter=300), {"C": [1, 10, 100]}, cv=3)
        C = search.fit(unit(X[few]), y[few]).best_params_["C"]
        self.model = LogisticRegression(C=C, max_iter=300).fit(unit(X), y)
        self.n_bits = self.model.classes_.size
        return self

    def encode(self, X):
        return self.encode_labels(self.model.predict(unit(X)))

    def encode_queries(self, X):
        return FloatQueries(self.model.decision_function(unit(X)))

    def encode_labels(self, y):
        return np.packbits(y[:, None] == self.model.classes_, axis=1)
