"""The kinds of values that a model file holds, one small class each.

A kind has a tag, tells which values it holds, writes one as JSON and reads it back. A value of a
subclass is not a value of the class (a named tuple is not a tuple): it would come back as less
than it was.

A file names its classes, and only classes registered in the running program are ever built:
nothing is imported because a file says so. Every class in a :class:`~hashlearn._registry.Registry`
has the name ``kind:name`` (``hash_function:linear-svm``), so a new loss, hash function or method
needs nothing beyond its registration; classes marked by :func:`hashlearn.files.storable` have the
kind ``class``.
"""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse

from hashlearn._registry import Registry
from hashlearn.files.errors import ModelFileError

if TYPE_CHECKING:
    from hashlearn.files._codec import Decoder, Encoder

# Private attributes of scikit-learn that a loaded estimator needs.
SKLEARN_ATTRIBUTES = ("_n_features_out", "_sklearn_output_config")
# dtype kinds and item sizes that a tensor can have; half precision to 64-bit integers.
TENSOR_KINDS = {"b": (1,), "i": (1, 2, 4, 8), "u": (1, 2, 4, 8), "f": (2, 4, 8)}


class Kind(ABC):
    """One kind of value: how it is written under its tag, and read back."""

    tag: str

    @abstractmethod
    def holds(self, value: Any) -> bool:
        """Tell whether `value` is of this kind."""

    @abstractmethod
    def write(self, value: Any, path: str, encoder: Encoder) -> Any:
        """Return `value` as a JSON value."""

    @abstractmethod
    def read(self, stored: Any, decoder: Decoder) -> Any:
        """Return the value that `write` stored."""


class SpecialFloat(Kind):
    """Infinities and NaN, which JSON cannot express; finite floats never come here."""

    tag = "float"

    def holds(self, value: Any) -> bool:
        return type(value) is float

    def write(self, value: float, path: str, encoder: Encoder) -> str:
        return repr(value)

    def read(self, stored: str, decoder: Decoder) -> float:
        return float(stored)


class Tuple(Kind):
    """Tuples, which stay tuples."""

    tag = "tuple"

    def holds(self, value: Any) -> bool:
        return type(value) is tuple

    def write(self, value: tuple[Any, ...], path: str, encoder: Encoder) -> list[Any]:
        return [encoder.encode(item, f"{path}[{i}]") for i, item in enumerate(value)]

    def read(self, stored: list[Any], decoder: Decoder) -> tuple[Any, ...]:
        return tuple(decoder.decode(item) for item in stored)


class Dict(Kind):
    """Dictionaries, as pairs: the order and keys other than strings survive."""

    tag = "dict"

    def holds(self, value: Any) -> bool:
        return type(value) is dict

    def write(self, value: dict[Any, Any], path: str, encoder: Encoder) -> list[Any]:
        return [
            [encoder.encode(key, f"{path} key"), encoder.encode(item, f"{path}.{key}")]
            for key, item in value.items()
        ]

    def read(self, stored: list[Any], decoder: Decoder) -> dict[Any, Any]:
        return {decoder.decode(key): decoder.decode(item) for key, item in stored}


class Scalar(Kind):
    """NumPy's booleans, integers and floats, with their dtype."""

    tag = "scalar"

    def holds(self, value: Any) -> bool:
        return isinstance(value, np.generic) and _fits_tensor(value.dtype)

    def write(self, value: np.generic, path: str, encoder: Encoder) -> list[Any]:
        return [value.dtype.name, encoder.encode(value.item(), path)]

    def read(self, stored: list[Any], decoder: Decoder) -> Any:
        name, number = stored
        dtype = np.dtype(name)
        if not _fits_tensor(dtype):
            raise ModelFileError(f"it holds a number of the unknown dtype {name!r}")
        return np.array(decoder.decode(number), dtype=dtype)[()]


class Array(Kind):
    """Numeric arrays, as tensors.

    Fortran order is kept: the same product in another order may differ in its last digit, and
    a loaded hasher must give the same bits. Other layouts become C order.
    """

    tag = "array"

    def holds(self, value: Any) -> bool:
        return type(value) in (np.ndarray, np.memmap) and _fits_tensor(value.dtype)

    def write(self, value: np.ndarray, path: str, encoder: Encoder) -> list[str]:
        native = np.asarray(value, dtype=value.dtype.newbyteorder("="))
        if native.flags.f_contiguous and not native.flags.c_contiguous:
            return [encoder.add_tensor(native.T, path), "F"]
        return [encoder.add_tensor(np.asarray(native, order="C"), path), "C"]

    def read(self, stored: list[str], decoder: Decoder) -> np.ndarray:
        name, order = stored
        if name not in decoder.tensors:
            raise ModelFileError(f"its array {name!r} is missing")
        tensor = decoder.tensors[name]
        return tensor.T if order == "F" else tensor


class Objects(Kind):
    """Arrays of strings or objects, such as feature names: dtype, shape and a list of items."""

    tag = "objects"

    def holds(self, value: Any) -> bool:
        return type(value) is np.ndarray and value.dtype.kind in "OU"

    def write(self, value: np.ndarray, path: str, encoder: Encoder) -> list[Any]:
        items = encoder.encode(value.ravel().tolist(), path)
        return [value.dtype.newbyteorder("=").str.lstrip("<>|"), list(value.shape), items]

    def read(self, stored: list[Any], decoder: Decoder) -> np.ndarray:
        dtype, shape, items = stored
        if not dtype.startswith(("O", "U")):
            raise ModelFileError(f"it holds an array of the unknown dtype {dtype!r}")
        array = np.empty(len(items), dtype=object)
        for i, item in enumerate(items):
            array[i] = decoder.decode(item)
        return array.reshape(shape).astype("O" if dtype.startswith("O") else dtype)


class SparseMatrix(Kind):
    """SciPy's CSR and CSC matrices and arrays: class, shape and three arrays."""

    tag = "sparse"
    classes = ("csr_matrix", "csc_matrix", "csr_array", "csc_array")

    def holds(self, value: Any) -> bool:
        return type(value).__name__ in self.classes and scipy.sparse.issparse(value)

    def write(self, value: Any, path: str, encoder: Encoder) -> list[Any]:
        arrays = [
            encoder.encode(getattr(value, part), f"{path}.{part}")
            for part in ("data", "indices", "indptr")
        ]
        return [type(value).__name__, list(value.shape), *arrays]

    def read(self, stored: list[Any], decoder: Decoder) -> Any:
        name, shape, *arrays = stored
        if name not in self.classes:
            raise ModelFileError(f"it holds a sparse matrix of the unknown class {name!r}")
        data, indices, indptr = (decoder.decode(array) for array in arrays)
        matrix = getattr(scipy.sparse, name)((data, indices, indptr), shape=tuple(shape))
        matrix.check_format(full_check=True)
        return matrix


class RandomState(Kind):
    """NumPy's random state; a loaded one continues where the stored one was."""

    tag = "random state"

    def holds(self, value: Any) -> bool:
        return type(value) is np.random.RandomState

    def write(self, value: np.random.RandomState, path: str, encoder: Encoder) -> Any:
        return encoder.encode(value.get_state(legacy=False), path)

    def read(self, stored: Any, decoder: Decoder) -> np.random.RandomState:
        state = np.random.RandomState()
        state.set_state(decoder.decode(stored))
        return state


class Estimator(Kind):
    """Registered classes in scikit-learn's style: class name, parameters, fitted attributes.

    Fitted attributes are those whose names end with an underscore; private attributes are
    considered caches that the class can rebuild.
    """

    tag = "object"

    def holds(self, value: Any) -> bool:
        return hasattr(value, "get_params") and name_of_class(type(value)) is not None

    def write(self, value: Any, path: str, encoder: Encoder) -> dict[str, Any]:
        prefix = f"{path}." if path else ""

        def encode_each(values: dict[str, Any]) -> dict[str, Any]:
            return {name: encoder.encode(item, prefix + name) for name, item in values.items()}

        attributes = {name: item for name, item in vars(value).items() if _is_attribute(name)}
        return {
            "class": name_of_class(type(value)),
            "params": encode_each(value.get_params(deep=False)),
            "attributes": encode_each(attributes),
        }

    def read(self, stored: dict[str, Any], decoder: Decoder) -> Any:
        cls = class_of_name(stored["class"])
        if cls is None:
            raise ModelFileError(
                f"it needs {stored['class']!r}, which is not registered here; "
                "import the module that registers it first"
            )
        params = {name: decoder.decode(item) for name, item in stored["params"].items()}
        unknown = sorted(params.keys() - inspect.signature(cls).parameters.keys())
        if unknown:
            raise ModelFileError(
                f"its {stored['class']!r} has the parameter{'s' * (len(unknown) > 1)} "
                f"{', '.join(map(repr, unknown))}, which {'are' if unknown[1:] else 'is'} not "
                "known here"
            )
        estimator = cls(**params)
        for name, item in stored["attributes"].items():
            if not _is_attribute(name):
                raise ModelFileError(f"it holds the attribute {name!r}, which is not a fitted one")
            setattr(estimator, name, decoder.decode(item))
        return estimator


KINDS: tuple[Kind, ...] = (
    SpecialFloat(),
    Tuple(),
    Dict(),
    Scalar(),
    Array(),
    Objects(),
    SparseMatrix(),
    RandomState(),
    Estimator(),
)


def name_of_class(cls: type) -> str | None:
    """Return the name that a model file uses for a class, None if it is not registered."""
    for registry in Registry.known():
        name = registry.name_of(cls)
        if name is not None:
            return f"{registry.kind}:{name}"
    return None


def class_of_name(full_name: str) -> type | None:
    """Return the class that is registered as ``kind:name``, None if there is none."""
    kind, _, name = full_name.partition(":")
    for registry in Registry.known():
        if registry.kind == kind and name in registry.names():
            return registry.get(name)
    return None


def _is_attribute(name: str) -> bool:
    """Tell whether an attribute of this name is part of a fitted estimator."""
    fitted = name.endswith("_") and not name.startswith("_")
    return fitted or name in SKLEARN_ATTRIBUTES


def _fits_tensor(dtype: np.dtype[Any]) -> bool:
    return dtype.itemsize in TENSOR_KINDS.get(dtype.kind, ())
