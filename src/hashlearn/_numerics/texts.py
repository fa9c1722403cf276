"""Texts as UTF-8 bytes, which a file can hold and which are decoded when they are read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np


class Texts:
    """Texts like a 1-D array of objects; text i is the bytes from ``offsets[i]`` on.

    Bytes that are not UTF-8, as in a damaged file, are replaced; :meth:`check` raises for them.
    """

    dtype = np.dtype(object)

    def __init__(self, data: np.ndarray, offsets: np.ndarray) -> None:
        self.data, self.offsets = data, offsets  # uint8 and int64, one offset more than texts

    @classmethod
    def of(cls, values: Sequence[str]) -> Texts:
        """Return texts that are given as strings."""
        encoded = [value.encode() for value in values]
        offsets = np.zeros(len(encoded) + 1, dtype=np.int64)
        np.cumsum([len(each) for each in encoded], out=offsets[1:])
        return cls(np.frombuffer(bytearray().join(encoded), dtype=np.uint8), offsets)

    def __len__(self) -> int:
        return self.offsets.size - 1

    def __getitem__(self, positions: np.ndarray | slice) -> np.ndarray:
        if isinstance(positions, slice):
            positions = np.arange(*positions.indices(len(self)))
        wanted = np.asarray(positions)
        data = np.ascontiguousarray(self.data).data
        starts, stops = self.offsets[wanted].ravel(), self.offsets[wanted + 1].ravel()
        texts = np.empty(wanted.size, dtype=object)
        texts[:] = [
            str(data[max(start, 0) : max(stop, 0)], "utf-8", "replace")
            for start, stop in zip(starts.tolist(), stops.tolist(), strict=True)
        ]
        return texts.reshape(wanted.shape)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return self[:]

    def check(self) -> None:
        """Raise a ValueError if offsets fall or bytes are not UTF-8."""
        if np.any(self.offsets[1:] < self.offsets[:-1]):
            raise ValueError("offsets of texts fall")
        data = self.data.tobytes()
        for start, stop in zip(self.offsets[:-1].tolist(), self.offsets[1:].tolist(), strict=True):
            data[start:stop].decode()
