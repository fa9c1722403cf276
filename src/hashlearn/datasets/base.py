"""Data sets, and the registry of their loaders."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from scipy import sparse

from hashlearn._registry import NameTable


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """Items, with labels, images or similar pairs where they are known.

    Attributes
    ----------
    name : str
        The registered name, or the name of the file without its suffix.
    X : ndarray of shape (n, n_features)
        float32, or uint8 pixels, or a memory map of numbers.
    y : ndarray of shape (n,) or (n, n_labels), or None
        One label per item, or a 0/1 indicator (uint8) of several.
    images : ndarray of shape (n, height, width) or (n, height, width, 3), uint8, or None
        Grey or colour images of the items.
    label_names : tuple of str, or None
        The meaning of the labels, in their order.
    similar : scipy.sparse.csr_array of bool, shape (n, n), or None
        The pairs that are truly similar, for sets that have pairs instead of labels.

    Examples
    --------
    >>> import numpy as np
    >>> from hashlearn.datasets import Dataset
    >>> Dataset("corners", X=np.eye(4, dtype=np.float32), y=np.array([0, 1, 1, 0]))
    Dataset('corners': 4 items, 4 features, 2 classes)
    """

    name: str
    X: np.ndarray
    y: np.ndarray | None = None
    images: np.ndarray | None = None
    label_names: tuple[str, ...] | None = None
    similar: sparse.csr_array | None = None

    def __post_init__(self) -> None:
        if self.X.ndim != 2:
            raise ValueError(f"X must be 2-D, with one item per row; got the shape {self.X.shape}.")
        for field in ("y", "images", "similar"):
            value = getattr(self, field)
            if value is not None and value.shape[0] != self.X.shape[0]:
                raise ValueError(
                    f"{field} must have {self.X.shape[0]:,} rows, one per item; got "
                    f"{value.shape[0]:,}."
                )

    def __repr__(self) -> str:
        n_items, n_features = self.X.shape
        parts = [f"{n_items:,} items", f"{n_features:,} features"]
        if self.y is not None and self.y.ndim == 1:
            parts.append(f"{len(np.unique(self.y)):,} classes")
        if self.y is not None and self.y.ndim == 2:
            parts.append(f"{self.y.shape[1]:,} labels")
        if self.images is not None:
            parts.append("images " + " x ".join(map(str, self.images.shape[1:])))
        if self.similar is not None:
            parts.append(f"{self.similar.nnz:,} similar pairs")
        return f"Dataset({self.name!r}: {', '.join(parts)})"


# Functions, not classes: a model file must not be able to name one.
DATASETS: NameTable[Callable[..., Dataset]] = NameTable("name")

Loader = TypeVar("Loader", bound=Callable[..., Dataset])


def register(name: str) -> Callable[[Loader], Loader]:
    """Return a decorator that makes a function the loader of the set `name`.

    Parameters
    ----------
    name : str
        The name of the set for :func:`load_dataset`.

    Returns
    -------
    decorator : callable
        Registers a function that takes ``data_home=None`` and returns a `Dataset`, and returns it
        unchanged. The first line of its docstring, ``Load NAME: ...``, describes the set.

    Examples
    --------
    >>> import numpy as np
    >>> from hashlearn.datasets import Dataset, register
    >>> @register("corners")  # doctest: +SKIP
    ... def load_corners(data_home=None):
    ...     "Load corners: the four corners of a square."
    ...     return Dataset("corners", np.array([[0, 0], [0, 1], [1, 0], [1, 1]]))
    """
    return DATASETS.register(name)


def check_labels(values: np.ndarray, n_items: int, called: str) -> np.ndarray:
    """Check labels: one per item, or a 0/1 indicator of several.

    Parameters
    ----------
    values : ndarray of shape (n_items,) or (n_items, n_labels)
        Numbers or text; in two dimensions, 0 and 1 only.
    n_items : int
        The number of items.
    called : str
        The name of the labels in error messages.

    Returns
    -------
    labels : ndarray
        One label per item unchanged, an indicator as uint8.

    Examples
    --------
    >>> import numpy as np
    >>> from hashlearn.datasets import check_labels
    >>> check_labels(np.array([[0.0, 1.0], [1.0, 1.0]]), 2, "y")
    array([[0, 1],
           [1, 1]], dtype=uint8)
    >>> check_labels(np.array([3, 1, 2]), 2, "y")
    Traceback (most recent call last):
    ValueError: y must have one label, or one row of 0/1, for each of 2 items; got the shape (3,).
    """
    if values.ndim not in (1, 2) or len(values) != n_items:
        raise ValueError(
            f"{called} must have one label, or one row of 0/1, for each of {n_items:,} items; got "
            f"the shape {values.shape}."
        )
    if values.dtype.kind not in "biufU":
        raise ValueError(f"{called} must be numbers or text; got the type {values.dtype}.")
    if values.ndim == 2:
        return _as_indicator(values, called)
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        raise ValueError(f"{called} has NaN or infinite labels.")
    return values


def _as_indicator(values: np.ndarray, called: str) -> np.ndarray:
    wrong: Any = ~np.isin(values, (0, 1)) if values.dtype.kind != "U" else np.ones(values.shape)
    if wrong.any():
        value = values[wrong.astype(bool)][0].item()
        raise ValueError(f"{called} is 2-D, so it must be 0 or 1; got {value!r}.")
    return values.astype(np.uint8)
