"""What a data set is, and the table of loaders by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from scipy import sparse

from hashlearn._registry import NameTable


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """Items with what is known about them.

    Attributes
    ----------
    name : str
        The name that it was loaded by, or the name of its file.
    X : ndarray of shape (n, n_features)
        float32, or uint8 pixels, or a memory map of numbers.
    y : ndarray of shape (n,) or (n, n_labels), or None
        One label per item, or a 0/1 indicator (uint8) of several.
    images : ndarray of shape (n, height, width) or (n, height, width, 3), uint8, or None
        Grey or colour images of the items.
    label_names : tuple of str, or None
        What the labels mean, in their order.
    similar : scipy.sparse.csr_array of bool, shape (n, n), or None
        The pairs that are truly similar, where a set says so instead of labels.

    Examples
    --------
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
            raise ValueError(f"X has the shape {self.X.shape}; items are the rows of a 2-D array.")
        for field in ("y", "images", "similar"):
            value = getattr(self, field)
            if value is not None and value.shape[0] != self.X.shape[0]:
                raise ValueError(
                    f"{field} has {value.shape[0]:,} rows and X has {self.X.shape[0]:,} items."
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

    The function takes ``data_home=None``; the first line of its docstring describes the set.
    """

    def keep(loader: Loader) -> Loader:
        DATASETS.register(name)(loader)
        return loader

    return keep


def as_labels(values: np.ndarray, n_items: int, called: str) -> np.ndarray:
    """Return labels of items as they are, and an indicator as uint8; raise if they are neither.

    Examples
    --------
    >>> as_labels(np.array([[0.0, 1.0], [1.0, 1.0]]), 2, "y")
    array([[0, 1],
           [1, 1]], dtype=uint8)
    >>> as_labels(np.array([3, 1, 2]), 2, "y")
    Traceback (most recent call last):
    ValueError: y has the shape (3,); it takes one label, or one row of 0/1, for each of 2 items.
    """
    if values.ndim not in (1, 2) or len(values) != n_items:
        raise ValueError(
            f"{called} has the shape {values.shape}; it takes one label, or one row of 0/1, for "
            f"each of {n_items:,} items."
        )
    if values.dtype.kind not in "biufU":
        raise ValueError(f"{called} has the type {values.dtype}; labels are numbers or text.")
    if values.ndim == 2:
        return _as_indicator(values, called)
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        raise ValueError(f"{called} has NaN or infinite labels.")
    return values


def _as_indicator(values: np.ndarray, called: str) -> np.ndarray:
    wrong: Any = ~np.isin(values, (0, 1)) if values.dtype.kind != "U" else np.ones(values.shape)
    if wrong.any():
        value = values[wrong.astype(bool)][0].item()
        raise ValueError(f"{called} is 2-D and has the value {value!r}; an indicator is 0 or 1.")
    return values.astype(np.uint8)
