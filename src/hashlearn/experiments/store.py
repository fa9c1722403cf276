"""Finished cells on disk: one file each, whole or not there."""

from __future__ import annotations

import json
import os
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from hashlearn.files import atomic_writer

_STALE_SECONDS = 3600  # a temporary file this old belongs to a run that was killed


class CellStore:
    """Records by key. A finished one is never lost to a crash, and never half there.

    Parameters
    ----------
    folder : str or path-like
        Made if it is not there.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = CellStore(folder)
    ...     store.put("3f", {"key": "3f", "testing": 0.5})
    ...     store.get("3f"), store.get("40")
    ({'key': '3f', 'testing': 0.5}, None)
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        for path in self.folder.glob(".hashlearn-*.tmp"):
            with suppress(FileNotFoundError):  # another run has just finished it
                if time.time() - path.stat().st_mtime > _STALE_SECONDS:
                    path.unlink()

    def get(self, key: str) -> dict[str, Any] | None:
        """Return a record; None if there is none, or none that can be read."""
        try:
            record = json.loads(self._path(key).read_bytes())
        except (OSError, ValueError):  # not there, or damaged: it is computed again
            return None
        return record if isinstance(record, dict) and record.get("key") == key else None

    def put(self, key: str, record: dict[str, Any]) -> None:
        """Write a record, whole or not at all."""
        with atomic_writer(self._path(key)) as file:
            file.write(json.dumps(record, allow_nan=False).encode())

    def _path(self, key: str) -> Path:
        return self.folder / f"{key}.json"
