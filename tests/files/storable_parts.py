"""For the tests of model files: registered estimators, values, and a strict comparison."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.base import BaseEstimator

from hashlearn._registry import Registry
from hashlearn.files import storable

TEST_PARTS: Registry[Any] = Registry("test part")


@TEST_PARTS.register("machine")
class Machine(BaseEstimator):
    def __init__(self, C=1.0, weights=None):
        self.C = C
        self.weights = weights


@storable("TestHasher")
class Hasher(BaseEstimator):
    def __init__(self, n_bits=8, part=None, random_state=None):
        self.n_bits = n_bits
        self.part = part
        self.random_state = random_state

    def fit(self, seed=0):
        random = np.random.default_rng(seed)
        self.codes_ = random.integers(0, 2, (20, self.n_bits), dtype=np.uint8)
        self.coef_ = np.asfortranarray(random.normal(size=(5, self.n_bits)))
        self.feature_names_in_ = np.array(["a", "b\N{SNOWMAN}", "c"], dtype=object)
        self.n_features_in_ = 5
        self.part_ = Machine(C=np.float32(0.1), weights={"low": -np.inf, 3: (1, 2)})
        self._cache = object()
        return self


class Unregistered(BaseEstimator):
    pass


def fitted_hasher() -> Hasher:
    return Hasher(n_bits=12, part="machine").fit()


def same(a: Any, b: Any) -> bool:
    """Tell whether two values are equal in type, dtype, shape and content, nan included."""
    if type(a) is not type(b):
        return False
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and a.shape == b.shape and same(a.tolist(), b.tolist())
    if scipy.sparse.issparse(a):
        parts = ("data", "indices", "indptr", "shape")
        return all(same(getattr(a, part), getattr(b, part)) for part in parts)
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return same(list(a.items()), list(b.items()))
    if isinstance(a, np.random.RandomState):
        return same(a.get_state(legacy=False), b.get_state(legacy=False))
    if isinstance(a, BaseEstimator):
        return same(public_state(a), public_state(b))
    return repr(a) == repr(b)  # tells nan from nothing else and -0.0 from 0.0


def public_state(estimator: BaseEstimator) -> dict[str, Any]:
    names = sorted(name for name in vars(estimator) if not name.startswith("_"))
    return {name: getattr(estimator, name) for name in names}


dtypes = (
    hnp.boolean_dtypes()
    | hnp.integer_dtypes()
    | hnp.unsigned_integer_dtypes()
    | hnp.floating_dtypes(sizes=(16, 32, 64))
)
native_dtypes = dtypes.map(lambda dtype: dtype.newbyteorder("="))
shapes = hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4)
arrays = hnp.arrays(native_dtypes, shapes)
texts = hnp.arrays(hnp.unicode_string_dtypes(endianness="="), shapes) | st.lists(
    st.text() | st.none() | st.integers(), max_size=4
).map(lambda items: np.array([*items, None], dtype=object)[:-1])
scalars = native_dtypes.flatmap(lambda dtype: hnp.arrays(dtype, ())).map(lambda array: array[()])
plain = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
values = st.recursive(
    plain | arrays | texts | scalars,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.text() | st.integers(), inner, max_size=3)
        | st.builds(Machine, C=inner, weights=inner)
    ),
    max_leaves=8,
)
