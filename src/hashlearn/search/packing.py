"""Packed codes: eight bits per byte, in the bit order of `numpy.packbits`."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike


class PackedCodes(np.ndarray):
    """Packed codes that know the model which made them.

    `encode` returns them. They are an array like any other; views and copies keep the fingerprint
    of the model, results of arithmetic and joined arrays do not. An index, a store or a metric
    refuses codes of two models; ``numpy.asarray(codes)`` leaves the fingerprint behind.

    Parameters
    ----------
    packed : array-like of shape (n, width), uint8
        Packed codes.
    model : str or None
        The fingerprint of the model, as `BaseHasher.fingerprint` returns it; None if unknown.

    Attributes
    ----------
    model : str or None
        The fingerprint of the model.

    Examples
    --------
    >>> import numpy as np
    >>> from hashlearn.search import PackedCodes
    >>> codes = PackedCodes(np.array([[1], [3]], dtype=np.uint8), model="5f0c")
    >>> codes[:1].model
    '5f0c'
    >>> np.asarray(codes)
    array([[1],
           [3]], dtype=uint8)
    """

    model: str | None

    def __new__(cls, packed: ArrayLike, model: str | None = None) -> Self:
        """Return a view of the codes."""
        codes = np.asarray(packed).view(cls)
        codes.model = model
        return codes

    def __array_finalize__(self, source: Any) -> None:
        """Take over the model of the array that this one is a view of."""
        self.model = getattr(source, "model", None)

    def __array_wrap__(self, array: np.ndarray, *_: Any) -> Any:
        """Return results of arithmetic, which are not codes of the model, as plain arrays."""
        plain = array.view(np.ndarray)
        return plain if plain.ndim else plain[()]

    def __reduce__(self) -> Any:
        """Pickle the model with the codes."""
        return type(self), (np.asarray(self), self.model)


def joint_model(**codes: Any) -> str | None:
    """Return the model of several codes, None if unknown; raise if two models made them.

    Parameters
    ----------
    **codes : array-like, or str or None
        Codes, or fingerprints of their models, by the names that an error gives them.

    Returns
    -------
    model : str or None

    Examples
    --------
    >>> import numpy as np
    >>> from hashlearn.search import PackedCodes, joint_model
    >>> first = PackedCodes(np.array([[1]], dtype=np.uint8), model="5f0c")
    >>> joint_model(queries=first, database=np.array([[1]], dtype=np.uint8))
    '5f0c'
    >>> joint_model(queries=first, index="aa11")
    Traceback (most recent call last):
    ValueError: queries are codes of model 5f0c and index of model aa11: encode both with one \
model (numpy.asarray(codes) leaves the model out).
    """
    known: dict[str, str] = {}
    for name, given in codes.items():
        model = given if isinstance(given, str) else getattr(given, "model", None)
        if model is not None:
            known[name] = model
    names = list(known)
    for name in names[1:]:
        if known[name] != known[names[0]]:
            raise ValueError(
                f"{names[0]} are codes of model {known[names[0]]} and {name} of model "
                f"{known[name]}: encode both with one model (numpy.asarray(codes) leaves the "
                "model out)."
            )
    return known[names[0]] if known else None


def pack_codes(bits: ArrayLike) -> np.ndarray:
    """Pack rows of 0/1 into bytes.

    Parameters
    ----------
    bits : array-like of shape (n, n_bits)
        Codes as 0/1 or bool.

    Returns
    -------
    packed : ndarray of shape (n, ceil(n_bits / 8)), uint8
        First bit highest, padding bits 0.

    Examples
    --------
    >>> from hashlearn import pack_codes
    >>> pack_codes([[1, 0, 0, 0, 0, 0, 0, 1, 1]])
    array([[129, 128]], dtype=uint8)
    """
    bits = np.asarray(bits)
    if bits.ndim != 2 or bits.shape[1] == 0:
        raise ValueError(
            f"bits must have shape (n, n_bits) with n_bits >= 1; got shape {bits.shape}."
        )
    is_one = bits == 1
    if bits.dtype != bool and not (is_one | (bits == 0)).all():
        raise ValueError("bits holds values other than 0 and 1; codes must be 0/1 or bool.")
    return np.packbits(is_one, axis=1)


def unpack_codes(packed: ArrayLike, n_bits: int) -> np.ndarray:
    """Unpack bytes into rows of 0/1: the inverse of :func:`pack_codes`.

    Parameters
    ----------
    packed : array-like of shape (n, ceil(n_bits / 8)), uint8
        Packed codes.
    n_bits : int
        Bits per code; the rest of the last byte is padding.

    Returns
    -------
    bits : ndarray of shape (n, n_bits), uint8

    Examples
    --------
    >>> import numpy as np
    >>> from hashlearn import unpack_codes
    >>> unpack_codes(np.array([[129, 128]], dtype=np.uint8), n_bits=9)
    array([[1, 0, 0, 0, 0, 0, 0, 1, 1]], dtype=uint8)
    """
    return np.unpackbits(check_packed(packed, n_bits, name="packed"), axis=1, count=n_bits)


def check_packed(packed: ArrayLike, n_bits: int | None = None, name: str = "codes") -> np.ndarray:
    """Check packed codes and return them as a contiguous array.

    Parameters
    ----------
    packed : array-like of shape (n, width), uint8
        Packed codes.
    n_bits : int, optional
        Bits per code. If given, the width must fit it and padding bits must be 0.
    name : str, default="codes"
        The name of the codes in error messages.

    Returns
    -------
    packed : ndarray of shape (n, width), uint8

    Examples
    --------
    >>> import numpy as np
    >>> from hashlearn.search import check_packed
    >>> check_packed(np.zeros((5, 4), dtype=np.uint8), n_bits=33)
    Traceback (most recent call last):
    ValueError: codes is 4 bytes wide; n_bits=33 needs 5 bytes.
    """
    packed = np.asarray(packed)
    if packed.ndim != 2 or packed.shape[1] == 0:
        raise ValueError(
            f"{name} has shape {packed.shape}; packed codes must have shape (n, width), width >= 1."
        )
    if packed.dtype != np.uint8:
        raise ValueError(
            f"{name} has dtype {packed.dtype}; packed codes must be uint8 (see pack_codes)."
        )
    if n_bits is not None:
        _check_bits(packed, n_bits, name)
    return np.ascontiguousarray(packed)


def _check_bits(packed: np.ndarray, n_bits: int, name: str) -> None:
    if n_bits < 1:
        raise ValueError(f"n_bits must be at least 1; got {n_bits}.")
    width = -(-n_bits // 8)
    if packed.shape[1] != width:
        raise ValueError(
            f"{name} is {packed.shape[1]} bytes wide; n_bits={n_bits} needs {width} bytes."
        )
    padding = (1 << (8 * width - n_bits)) - 1
    if (packed[:, -1] & padding).any():
        raise ValueError(f"{name} has bits set after n_bits={n_bits}; padding bits must be 0.")
