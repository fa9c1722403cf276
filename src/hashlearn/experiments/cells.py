"""One cell of a table: what it depends on, and the key of its result."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from typing import Any

from hashlearn._version import __version__
from hashlearn.experiments import protocol, selection
from hashlearn.experiments.measuring import MEASURED
from hashlearn.experiments.protocol import Sizes
from hashlearn.experiments.sets import ExperimentSet

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


@dataclass(frozen=True)
class Cell:
    """What one result depends on, beside the data.

    Attributes
    ----------
    dataset, protocol, method : str
        Names; the method is one that `make_hasher` takes, or 'classifier-codes'.
    hash_function : str or None
        A registered name; None for methods that have none.
    n_bits, seed : int
    n_anchors : int or None
        Of 'kernel-features', and of a method with anchors that is compared with them.
    n_queries, n_training, n_database : int
        What was asked for; None is all.
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
        """What was asked for."""
        return Sizes(self.n_queries, self.n_training, self.n_database)

    @property
    def split_name(self) -> tuple[str, str, int]:
        """What cells with the same split share."""
        return self.dataset, self.protocol, self.seed

    def key(self, data: ExperimentSet) -> str:
        """Return a name for the result that no other cell, setting or data has."""
        return hash_of(self._settings(data))

    def selection_key(self, data: ExperimentSet) -> str:
        """Return the same for the choice of parameters, which method and bits do not change."""
        return hash_of(self._settings(data) | {"method": None, "n_bits": None})

    def _settings(self, data: ExperimentSet) -> dict[str, Any]:
        """Return what the result depends on: of the data their content, not their name."""
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
