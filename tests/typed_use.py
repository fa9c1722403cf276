"""A user's program, for the type checker of an editor: it is checked, and never run."""

from typing import Any, assert_type

import numpy as np

import hashlearn
from hashlearn import HammingIndex, MixedHasher, TwoStepHasher, make_hasher
from hashlearn.affinity import LabelAffinity, SparseAffinity
from hashlearn.base import BaseHasher, register
from hashlearn.datasets import Dataset, load_dataset
from hashlearn.datasets import register as register_dataset
from hashlearn.files import storable
from hashlearn.hash_functions import HASH_FUNCTIONS, KernelFeaturesHash, LinearSVMHash
from hashlearn.inference import CoordinateDescent, SignFlip
from hashlearn.losses import Loss
from hashlearn.losses import register as register_loss
from hashlearn.methods import ITQHasher, LinearHasher, SDHHasher
from hashlearn.metrics import evaluate, relevance_from_labels
from hashlearn.stores import open_store
from hashlearn.stores import register as register_store
from hashlearn.stores.sqlite import SQLiteStore


@register_loss("typed")
class TypedLoss(Loss):
    """A loss with a parameter of its own."""

    def __init__(self, margin: float = 0.5) -> None:
        self.margin = margin

    def __call__(self, s: Any, y: Any, n_bits: int) -> Any:
        return np.maximum(0, self.margin * n_bits - s * y)


@register("typed")
class TypedHasher(LinearHasher):
    """A method with a fit of its own."""

    def fit(self, X: Any, y: Any = None) -> "TypedHasher":
        X, random_state = self._begin(X)
        self.seed_ = random_state.randint(9)
        return self


@register_store("typed")
class TypedStore(SQLiteStore):
    """A store with a method of its own."""

    def vacuum(self) -> int:
        return 0


@register_dataset("typed")
def load_typed(data_home: str | None = None) -> Dataset:
    """Load typed: two corners."""
    return Dataset("typed", np.eye(2))


@storable("Typed")
class TypedPart:
    """A part of a hasher."""

    def scale(self) -> float:
        return 1.0


X, y = np.random.default_rng(0).normal(size=(100, 8)), np.arange(100) % 3

# A decorated class is itself, with its own parameters, attributes and methods.
assert_type(TypedLoss(margin=0.2).margin, float)
assert_type(TypedHasher(n_bits=8).fit(X).seed_, int)
assert_type(TypedStore("file", table="items").vacuum(), int)
assert_type(TypedPart().scale(), float)
assert_type(load_typed().name, str)

# So are those of the library, whatever they are given.
hasher = TwoStepHasher(
    n_bits=16,
    loss=TypedLoss(),
    inference=CoordinateDescent(SignFlip()),
    hash_function=KernelFeaturesHash(n_anchors=50),
    random_state=0,
)
assert_type(hasher.fit(X, y), TwoStepHasher)
assert_type(MixedHasher(n_bits=16, share=1).fit(X, y).n_bits_, int)
assert_type(ITQHasher(n_bits=8).fit_transform(X), Any)
SDHHasher(n_bits=8, n_anchors=20).fit(X, y).summary()
hasher.fit(X, affinity=LabelAffinity(y)).score(X, y)
hasher.fit(X, affinity=SparseAffinity.from_pairs([(0, 1, 1), (0, 2, -1)], n_items=100))
LinearSVMHash(C=1.0).get_params()
HASH_FUNCTIONS.create("linear-svm", C=1.0).get_params()

# By name, from a file.
by_name = make_hasher("splh", n_bits=8, random_state=0)
assert_type(by_name.fit(X, affinity=LabelAffinity(y)), BaseHasher)
by_name.fit(X, y).save("typed.hashlearn")
packed = hashlearn.load("typed.hashlearn").encode(X)

# What is found, and how good it is.
index = HammingIndex(n_bits=8)
index.add(packed, ids=range(100))
distances, ids = index.search(packed[:5], k=3)
assert_type(distances[0], Any)
near = index.radius_search(packed[:5], radius=2)
print(evaluate(packed[:5], packed, relevance_from_labels(y[:5], y), k=10).precision_at_k)
with open_store("sqlite:typed.db", table="items") as store:
    store.create(n_bits=8, columns={"label": int}, exist_ok=True)
    store.add(packed, ids=range(100), values={"label": y})
    found = store.search(packed[:5], k=3, where={"label": [1, 2]})
    print(found.ids.shape, store.count())
print(load_dataset("digits").X.shape)
