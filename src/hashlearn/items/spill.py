"""Tables that are stored column by column, turned into rows through a temporary file."""

from __future__ import annotations

from collections.abc import Iterable
from typing import IO, Any

import numpy as np

from hashlearn.items.arrays import read_into


class Spill:
    """Rows of some columns, then of others; read back as rows of them all.

    Parameters
    ----------
    file : binary file object
        An empty file, open for writing and reading.
    n_rows : int
        The number of rows of all columns.
    dtype : dtype
        Their type.

    Examples
    --------
    >>> import io
    >>> spill = Spill(io.BytesIO(), n_rows=3, dtype=np.uint8)
    >>> spill.write(1, [np.array([[1], [2], [3]], dtype=np.uint8)])
    >>> spill.write(2, np.arange(4, 10, dtype=np.uint8).reshape(3, 1, 2))
    >>> np.hstack(spill.read(1, 3))
    array([[2, 6, 7],
           [3, 8, 9]], dtype=uint8)
    """

    def __init__(self, file: IO[bytes], n_rows: int, dtype: Any) -> None:
        self.file = file
        self.n_rows = n_rows
        self.dtype = np.dtype(dtype)
        self.widths: list[int] = []

    def write(self, width: int, blocks: Iterable[np.ndarray]) -> None:
        """Append all rows of as many columns, in C-contiguous blocks."""
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
