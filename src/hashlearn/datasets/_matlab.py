"""MATLAB files of versions 5 to 7, and of version 7.3 (HDF5) through h5py."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from hashlearn._numerics.columns import listing
from hashlearn.datasets._files import check_file
from hashlearn.datasets._mat5 import list_variables, read_variable

VERSION_5 = b"MATLAB 5.0 MAT-file"  # the start of a file up to version 7
HDF5 = b"\x89HDF\r\n\x1a\n"  # follows 512 bytes of text in a file of version 7.3
HDF5_OFFSET = 512
NUMBERS = frozenset(
    ["double", "single", "logical"]
    + [f"{sign}int{n_bits}" for sign in ("", "u") for n_bits in (8, 16, 32, 64)]
)


class MatFile(ABC):
    """The variables of a file: `shapes` of all arrays of numbers at once, values on request."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.called = repr(os.fspath(path))
        with self._errors():
            self.shapes = self._find_shapes()

    @abstractmethod
    def _find_shapes(self) -> dict[str, tuple[int, ...]]:
        """Return the shapes, without reading the arrays."""

    @abstractmethod
    def _open(self, name: str) -> Any:
        """Return a context manager of an object with a dtype, and rows to slice."""

    @contextmanager
    def open(self, name: str) -> Iterator[Any]:
        """Open a variable: it has a `shape` and a `dtype`, and slices of rows can be read."""
        with ExitStack() as stack:
            with self._errors():
                rows = stack.enter_context(self._open(name))
                if rows.dtype.kind not in "biuf":
                    raise ValueError(f"{name!r} must be real numbers; got the type {rows.dtype}")
            yield rows

    def read(self, name: str) -> Any:
        """Return a whole variable: an array, or a CSR array if it is sparse."""
        with self.open(name) as rows:
            return rows[:]

    def check_names(self, *names: str) -> None:
        """Raise unless all of these are arrays of numbers."""
        for name in names:
            if name not in self.shapes:
                raise ValueError(
                    f"{self.called} has no array of numbers {name!r}; it has "
                    f"{listing(list(self.shapes))}."
                )

    def only_matrix(self) -> str:
        """Return the name of the only matrix; there may be vectors and single numbers beside it."""
        names = [name for name, shape in self.shapes.items() if len(shape) == 2 and min(shape) > 1]
        if len(names) != 1:
            raise ValueError(
                f"{self.called} must hold one matrix of numbers; it has {listing(names)}."
            )
        return names[0]

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """Turn whatever a reader raises for a damaged file into an error of one sentence."""
        try:
            yield
        except (MemoryError, ImportError):
            raise
        except Exception as error:  # zlib, h5py and numpy raise many kinds
            raise ValueError(f"{self.called} cannot be read: {error}.") from error


class Mat5File(MatFile):
    """A file of version 5 to 7, whose variables of at most 2 gigabytes are read at once."""

    def _find_shapes(self) -> dict[str, tuple[int, ...]]:
        self.variables = {variable.name: variable for variable in list_variables(self.path)}
        return {name: variable.shape for name, variable in self.variables.items()}

    @contextmanager
    def _open(self, name: str) -> Iterator[np.ndarray | sparse.csr_array]:
        yield read_variable(self.path, self.variables[name])


class HDF5MatFile(MatFile):
    """A file of version 7.3: HDF5, where arrays are stored transposed."""

    def _find_shapes(self) -> dict[str, tuple[int, ...]]:
        with self._file() as file:
            return {
                name: item.shape[::-1]
                for name, item in file.items()
                if item.attrs.get("MATLAB_class", b"").decode() in NUMBERS
                and hasattr(item, "shape")
            }

    @contextmanager
    def _open(self, name: str) -> Iterator[TransposedRows]:
        with self._file() as file:
            yield TransposedRows(file[name], self._errors)

    def _file(self) -> Any:
        try:
            import h5py
        except ImportError as error:
            raise ImportError(
                f"{self.called} is a MATLAB file of version 7.3, which needs h5py: "
                f"pip install 'hashlearn[matlab]'."
            ) from error
        return h5py.File(self.path, "r")


class TransposedRows:
    """An array in an HDF5 file, as MATLAB shows it."""

    def __init__(self, stored: Any, errors: Callable[[], AbstractContextManager[None]]) -> None:
        self.stored = stored
        self.errors = errors
        self.dtype: np.dtype[Any] = stored.dtype
        self.shape: tuple[int, ...] = stored.shape[::-1]

    def __getitem__(self, rows: slice) -> np.ndarray:
        with self.errors():
            return self.stored[..., rows].T


def open_mat(path: Path) -> MatFile:
    """Open a MATLAB file of any version from 5 on."""
    check_file(path)
    with path.open("rb") as file:
        start = file.read(HDF5_OFFSET + len(HDF5))
    if start.startswith(VERSION_5):
        return Mat5File(path)
    if start[HDF5_OFFSET:] == HDF5:
        return HDF5MatFile(path)
    raise ValueError(
        f"{os.fspath(path)!r} must start with {VERSION_5.decode()!r}, as a MATLAB file of version "
        f"5 to 7, or be an HDF5 file, as one of version 7.3; it starts with {start[:20]!r}."
    )
