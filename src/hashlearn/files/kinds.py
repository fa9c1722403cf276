"""The kinds of values that a model file holds, one small class each.

A kind has a tag, says which values it holds, writes one as JSON and reads it back. A value of
a subclass is not a value of the class (a named tuple is no tuple): it would come back as less
than it was.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse

from hashlearn.files.errors import ModelFileError
from hashlearn.files.storable import class_of_name, name_of_class

if TYPE_CHECKING:
    from hashlearn.files.codec import Decoder, Encoder

# What scikit-learn itself keeps in private attributes, and a loaded estimator needs.
SKLEARN_ATTRIBUTES = ("_n_features_out", "_sklearn_output_config")
# dtype kind and item sizes that a tensor can have; half precision to 64-bit integers.
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
    """Infinities and not-a-number, for which JSON has no word."""

    tag = "float"

    def holds(self, value: Any) -> bool:
        """Finite floats are plain JSON and never come here."""
        return type(value) is float

    def write(self, value: float, path: str, encoder: Encoder) -> str:
        """Return 'inf', '-inf' or 'nan'."""
        return repr(value)

    def read(self, stored: str, decoder: Decoder) -> float:
        """Return the float of that name."""
        return float(stored)


class Tuple(Kind):
    """Tuples stay tuples."""

    tag = "tuple"

    def holds(self, value: Any) -> bool:
        """Plain tuples only."""
        return type(value) is tuple

    def write(self, value: tuple[Any, ...], path: str, encoder: Encoder) -> list[Any]:
        """Return the items."""
        return [encoder.encode(item, f"{path}[{i}]") for i, item in enumerate(value)]

    def read(self, stored: list[Any], decoder: Decoder) -> tuple[Any, ...]:
        """Return the items as a tuple."""
        return tuple(decoder.decode(item) for item in stored)


class Dict(Kind):
    """Dictionaries as pairs: order and keys that are no strings survive."""

    tag = "dict"

    def holds(self, value: Any) -> bool:
        """Plain dictionaries only."""
        return type(value) is dict

    def write(self, value: dict[Any, Any], path: str, encoder: Encoder) -> list[Any]:
        """Return the pairs of key and value."""
        return [
            [encoder.encode(key, f"{path} key"), encoder.encode(item, f"{path}.{key}")]
            for key, item in value.items()
        ]

    def read(self, stored: list[Any], decoder: Decoder) -> dict[Any, Any]:
        """Return the pairs as a dictionary."""
        return {decoder.decode(key): decoder.decode(item) for key, item in stored}


class Scalar(Kind):
    """Numpy's numbers, with their dtype."""

    tag = "scalar"

    def holds(self, value: Any) -> bool:
        """Booleans, integers and floats that a tensor could hold too."""
        return isinstance(value, np.generic) and _fits_tensor(value.dtype)

    def write(self, value: np.generic, path: str, encoder: Encoder) -> list[Any]:
        """Return the dtype's name and the number."""
        return [value.dtype.name, encoder.encode(value.item(), path)]

    def read(self, stored: list[Any], decoder: Decoder) -> Any:
        """Return the number with its dtype."""
        name, number = stored
        return np.array(decoder.decode(number), dtype=_tensor_dtype(name))[()]


class Array(Kind):
    """Numeric arrays, as tensors.

    Fortran order is kept: the same product in another order may differ in its last digit, and
    a loaded hasher must give the same bits. Other layouts become C order.
    """

    tag = "array"

    def holds(self, value: Any) -> bool:
        """Arrays of booleans, integers and floats."""
        return type(value) in (np.ndarray, np.memmap) and _fits_tensor(value.dtype)

    def write(self, value: np.ndarray, path: str, encoder: Encoder) -> list[str]:
        """Return the tensor's name and the order of its axes."""
        native = np.asarray(value, dtype=value.dtype.newbyteorder("="))
        if native.flags.f_contiguous and not native.flags.c_contiguous:
            return [encoder.add_tensor(native.T, path), "F"]
        return [encoder.add_tensor(np.asarray(native, order="C"), path), "C"]

    def read(self, stored: list[str], decoder: Decoder) -> np.ndarray:
        """Return the tensor of that name."""
        name, order = stored
        if name not in decoder.tensors:
            raise ModelFileError(f"its array {name!r} is missing")
        tensor = decoder.tensors[name]
        return tensor.T if order == "F" else tensor


class Objects(Kind):
    """Arrays of strings or objects, such as feature names, as lists."""

    tag = "objects"

    def holds(self, value: Any) -> bool:
        """Arrays of dtype object or str."""
        return type(value) is np.ndarray and value.dtype.kind in "OU"

    def write(self, value: np.ndarray, path: str, encoder: Encoder) -> list[Any]:
        """Return dtype, shape and items."""
        items = encoder.encode(value.ravel().tolist(), path)
        return [value.dtype.newbyteorder("=").str.lstrip("<>|"), list(value.shape), items]

    def read(self, stored: list[Any], decoder: Decoder) -> np.ndarray:
        """Return the items as an array."""
        dtype, shape, items = stored
        if not dtype.startswith(("O", "U")):
            raise ModelFileError(f"it holds an array of the unknown dtype {dtype!r}")
        array = np.empty(len(items), dtype=object)
        for i, item in enumerate(items):
            array[i] = decoder.decode(item)
        return array.reshape(shape).astype("O" if dtype.startswith("O") else dtype)


class SparseMatrix(Kind):
    """SciPy's compressed sparse matrices and arrays."""

    tag = "sparse"
    classes = ("csr_matrix", "csc_matrix", "csr_array", "csc_array")

    def holds(self, value: Any) -> bool:
        """CSR and CSC, as matrix or array."""
        return type(value).__name__ in self.classes and scipy.sparse.issparse(value)

    def write(self, value: Any, path: str, encoder: Encoder) -> list[Any]:
        """Return the class, the shape and the three arrays."""
        arrays = [
            encoder.encode(getattr(value, part), f"{path}.{part}")
            for part in ("data", "indices", "indptr")
        ]
        return [type(value).__name__, list(value.shape), *arrays]

    def read(self, stored: list[Any], decoder: Decoder) -> Any:
        """Return the matrix, its indices checked."""
        name, shape, *arrays = stored
        if name not in self.classes:
            raise ModelFileError(f"it holds a sparse matrix of the unknown class {name!r}")
        data, indices, indptr = (decoder.decode(array) for array in arrays)
        matrix = getattr(scipy.sparse, name)((data, indices, indptr), shape=tuple(shape))
        matrix.check_format(full_check=True)
        return matrix


class RandomState(Kind):
    """Numpy's random state, which scikit-learn takes for `random_state`."""

    tag = "random state"

    def holds(self, value: Any) -> bool:
        """Numpy's RandomState only."""
        return type(value) is np.random.RandomState

    def write(self, value: np.random.RandomState, path: str, encoder: Encoder) -> Any:
        """Return the state's dictionary."""
        return encoder.encode(value.get_state(legacy=False), path)

    def read(self, stored: Any, decoder: Decoder) -> np.random.RandomState:
        """Return a random state that goes on where the stored one stood."""
        state = np.random.RandomState()
        state.set_state(decoder.decode(stored))
        return state


class Estimator(Kind):
    """Registered classes in scikit-learn's style: parameters and fitted attributes.

    Fitted attributes are those whose names end with an underscore; private attributes are
    taken for caches that the class can build again.
    """

    tag = "object"

    def holds(self, value: Any) -> bool:
        """Objects with parameters whose class has a name in model files."""
        return hasattr(value, "get_params") and name_of_class(type(value)) is not None

    def write(self, value: Any, path: str, encoder: Encoder) -> dict[str, Any]:
        """Return class name, parameters and fitted attributes."""
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
        """Build the object from its parameters and give it its fitted attributes."""
        cls = class_of_name(stored["class"])
        if cls is None:
            raise ModelFileError(
                f"it needs {stored['class']!r}, which is not registered here; "
                "import the module that registers it first"
            )
        params = {name: decoder.decode(item) for name, item in stored["params"].items()}
        estimator = cls(**params)
        for name, item in stored["attributes"].items():
            if not _is_attribute(name):
                raise ModelFileError(f"it holds the attribute {name!r}, which is not a fitted one")
            setattr(estimator, name, decoder.decode(item))
        return estimator


def _is_attribute(name: str) -> bool:
    """Tell whether an attribute of this name is part of a fitted estimator."""
    fitted = name.endswith("_") and not name.startswith("_")
    return fitted or name in SKLEARN_ATTRIBUTES


def _fits_tensor(dtype: np.dtype[Any]) -> bool:
    """Tell whether a tensor can have this dtype."""
    return dtype.itemsize in TENSOR_KINDS.get(dtype.kind, ())


def _tensor_dtype(name: str) -> np.dtype[Any]:
    """Return the dtype of that name, if a tensor can have it."""
    dtype = np.dtype(name)
    if not _fits_tensor(dtype):
        raise ModelFileError(f"it holds a number of the unknown dtype {name!r}")
    return dtype


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
