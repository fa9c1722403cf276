"""Conversion of Python values to JSON and tensors, and back.

``None``, bool, int, finite float, str and list are themselves in JSON. Every other value is a
JSON object with one key, its tag (``{"tuple": [1, 2]}``), written and read by the
:class:`~hashlearn.files._kinds.Kind` of that tag. The numbers of arrays go to tensors, which are
named after the path of the array (``hash_function_.coef_``).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from hashlearn.files._kinds import KINDS
from hashlearn.files.errors import ModelFileError

KIND_OF_TAG = {kind.tag: kind for kind in KINDS}


class Encoder:
    """Writes values as JSON values, and collects the arrays in them as `tensors`."""

    def __init__(self) -> None:
        self.tensors: dict[str, np.ndarray] = {}
        self._open: set[int] = set()  # the containers around the current value

    def encode(self, value: Any, path: str) -> Any:
        """Return `value`, found at `path` of the model, as a JSON value."""
        if value is None or type(value) in (bool, int, str):
            return value
        if type(value) is float and math.isfinite(value):
            return value
        if id(value) in self._open:
            raise TypeError(f"{path} contains itself, which a model file cannot hold.")
        self._open.add(id(value))
        try:
            return self._encode_compound(value, path)
        finally:
            self._open.remove(id(value))

    def _encode_compound(self, value: Any, path: str) -> Any:
        if type(value) is list:
            return [self.encode(item, f"{path}[{i}]") for i, item in enumerate(value)]
        for kind in KINDS:
            if kind.holds(value):
                return {kind.tag: kind.write(value, path, self)}
        raise TypeError(
            f"{path or 'the model'} is {_description(value)}, which a model file cannot hold."
        )

    def add_tensor(self, array: np.ndarray, path: str) -> str:
        """Keep a C-contiguous array and return its unique name, `path` if possible."""
        name = base = path.encode("ascii", "backslashreplace").decode()
        count = 1
        while name in self.tensors:
            count += 1
            name = f"{base}#{count}"
        self.tensors[name] = array
        return name


class Decoder:
    """Reads what :class:`Encoder` wrote."""

    def __init__(self, tensors: dict[str, np.ndarray]) -> None:
        self.tensors = tensors

    def decode(self, stored: Any) -> Any:
        """Return the value of a JSON value."""
        if isinstance(stored, list):
            return [self.decode(item) for item in stored]
        if not isinstance(stored, dict):
            return stored
        tag, content = _only_item(stored)
        if tag not in KIND_OF_TAG:
            raise ModelFileError(f"it holds a value of the unknown kind {tag!r}")
        return KIND_OF_TAG[tag].read(content, self)


def _only_item(stored: dict[str, Any]) -> tuple[str, Any]:
    if len(stored) != 1:
        raise ModelFileError(f"it holds a value with {len(stored)} kinds instead of one")
    return next(iter(stored.items()))


def _description(value: Any) -> str:
    if callable(value) and hasattr(value, "__name__"):
        return f"the {'class' if isinstance(value, type) else 'function'} {value.__name__!r}"
    if isinstance(value, np.ndarray):
        return f"an array of dtype {value.dtype}"
    if hasattr(value, "get_params"):
        return f"a {type(value).__name__}, a class that is not registered"
    return f"of type {type(value).__name__}"
