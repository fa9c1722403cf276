"""A folder of records: results of long work, one file each, so that the work can be resumed."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from hashlearn.files.writing import atomic_writer


class RecordStore:
    """A folder of records by key, one JSON file each; a crash never truncates a record.

    Parameters
    ----------
    folder : str or path-like
        Made if it does not exist.

    Examples
    --------
    >>> import tempfile
    >>> from hashlearn.files import RecordStore
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     RecordStore(folder).put("ab", {"key": "ab", "value": 3})
    ...     RecordStore(folder).get("ab")
    {'key': 'ab', 'value': 3}
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)

    def get(self, key: str) -> dict[str, Any] | None:
        """Return a record, or None if it is missing or cannot be read."""
        try:
            record = json.loads(self._path(key).read_bytes())
        except (OSError, ValueError):  # missing or damaged: it is computed again
            return None
        return record if isinstance(record, dict) and record.get("key") == key else None

    def put(self, key: str, record: dict[str, Any]) -> None:
        """Write a record, which has its key as "key", atomically."""
        with atomic_writer(self._path(key)) as file:
            file.write(json.dumps(record, allow_nan=False).encode())

    def _path(self, key: str) -> Path:
        return self.folder / f"{key}.json"
