"""Rows of a wide table through a temporary file: a few columns are read at a time."""

from __future__ import annotations

from collections.abc import Iterable
from typing import IO, Any

import numpy as np

from hashlearn.items._arrays import read_into


class Spill:
    """Rows of some columns, then of others, in a temporary file; read back as rows of all."""

    def __init__(self, file: IO[bytes], n_rows: int, dtype: np.dtype[Any]) -> None:
        self.file = file
        self.n_rows = n_rows
        self.dtype = dtype
        self.widths: list[int] = []

    def write(self, width: int, blocks: Iterable[np.ndarray]) -> None:
        """Append all rows of `width` columns, in C-contiguous blocks."""
        self.widths.append(width)
        for block in blocks:
            self.file.write(block.data)

    def read(self, start: int, stop: int) -> list[np.ndarray]:
        """Return some rows of the columns of every `write`."""
        parts, offset = [], 0
        for width in self.widths:
            part = np.empty((stop - start, width), dtype=self.dtype)
            self.file.seek(offset + start * width * self.dtype.itemsize)
            read_into(self.file, part, "the temporary file")
            parts.append(part)
            offset += self.n_rows * width * self.dtype.itemsize
        return parts
