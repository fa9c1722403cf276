"""Cells of the tables: what each depends on, and the finished ones on disk."""

from __future__ import annotations

import hashlib
import json
import os
import time
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from hashlearn._version import __version__
from hashlearn.experiments import protocol, selection
from hashlearn.experiments.measuring import MEASURED
from hashlearn.experiments.protocol import Sizes
from hashlearn.experiments.sets import ExperimentSet
from hashlearn.files import atomic_writer

# Raised when other code than these rules changes results: older cells are computed again.
_REVISION = 2

# What every cell depends on beside itself and its data.
_COMMON = {
    "version": __version__,
    "revision": _REVISION,
    "measures": MEASURED,
    "protocol": protocol.RULES,
    "selection": selection.RULES,
}
_STALE_SECONDS = 3600  # a temporary file this old belongs to a run that was killed


@dataclass(frozen=True)
class Cell:
    """What one result depends on, beside the data.

    Attributes
    ----------
    dataset, protocol, method : str
        Names; the method is one that `make_hasher` knows, or 'classifier-codes'.
    hash_function : str or None
        A registered name; None for methods that have none.
    n_bits, seed : int
    n_anchors : int or None
        For 'kernel-features', and for a method with anchors that is compared with them.
    n_queries, n_training, n_database : int
        Requested sizes; None is all.
    """

    dataset: str
    protocol: str
    method: str
    hash_function: str | None
    n_bits: int
    seed: int
    n_anchors: int | None = None
    n_queries: int = 2000
    n_training: int = 2000
    n_database: int | None = None

    @property
    def sizes(self) -> Sizes:
        """The requested sizes."""
        return Sizes(self.n_queries, self.n_training, self.n_database)

    @property
    def split_name(self) -> tuple[str, str, int]:
        """What cells with the same split share."""
        return self.dataset, self.protocol, self.seed

    def key(self, data: ExperimentSet) -> str:
        """Return a name for the result that no other cell, setting or data has."""
        return hash_of(self._settings(data))

    def selection_key(self, data: ExperimentSet) -> str:
        """Return such a name for the chosen parameters, which method and bits do not change."""
        return hash_of(self._settings(data) | {"method": None, "n_bits": None})

    def _settings(self, data: ExperimentSet) -> dict[str, Any]:
        """Return what the result depends on: the content of the data, not their name."""
        return asdict(self) | {"dataset": data.fingerprint}

    def __str__(self) -> str:
        function = f" {self.hash_function}" if self.hash_function else ""
        return (
            f"{self.dataset} {self.protocol}: {self.method}{function}, {self.n_bits} bits, "
            f"seed {self.seed}"
        )


def hash_of(settings: dict[str, Any]) -> str:
    """Return the SHA-256 of settings and of what all results depend on."""
    return hashlib.sha256(json.dumps([_COMMON, settings], sort_keys=True).encode()).hexdigest()


class CellStore:
    """A folder of records by key, one file each; a crash never loses or truncates a record.

    Parameters
    ----------
    folder : str or path-like
        Created if it does not exist.

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
        """Return a record; None if there is none, or it cannot be read."""
        try:
            record = json.loads(self._path(key).read_bytes())
        except (OSError, ValueError):  # missing or damaged: it is computed again
            return None
        return record if isinstance(record, dict) and record.get("key") == key else None

    def put(self, key: str, record: dict[str, Any]) -> None:
        """Write a record, whole or not at all."""
        with atomic_writer(self._path(key)) as file:
            file.write(json.dumps(record, allow_nan=False).encode())

    def _path(self, key: str) -> Path:
        return self.folder / f"{key}.json"
