"""Cells of the tables, and what each depends on."""

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
from hashlearn.experiments.variants import parameters_of

# Increase it when other code than these rules changes results: older cells are computed again.
_REVISION = 3

# What every cell depends on, besides its settings and data.
_COMMON = {
    "version": __version__,
    "revision": _REVISION,
    "measures": MEASURED,
    "protocol": protocol.RULES,
    "selection": selection.RULES,
}


@dataclass(frozen=True)
class Cell:
    """What one result depends on, besides the data; sizes are requested ones, None means all."""

    dataset: str
    protocol: str
    method: str  # a name for `make_hasher`, or "classifier-codes"
    hash_function: str | None  # None for methods without one
    n_bits: int
    seed: int
    n_anchors: int | None = None  # of kernel features, and of methods compared with them
    n_queries: int = 2000
    n_training: int = 2000
    n_database: int | None = None

    @property
    def sizes(self) -> Sizes:
        """The requested sizes."""
        return Sizes(self.n_queries, self.n_training, self.n_database)

    @property
    def split_name(self) -> tuple[str, str, int]:
        """The settings that cells with the same split share, besides sizes."""
        return self.dataset, self.protocol, self.seed

    def key(self, data: ExperimentSet) -> str:
        """Return the hash of all settings and the data, which identifies the result."""
        return hash_of(self._settings(data) | {"parameters": self._parameters()})

    def selection_key(self, data: ExperimentSet) -> str:
        """Return the hash that identifies the chosen parameters, equal for all methods and bits."""
        return hash_of(self._settings(data) | {"method": None, "n_bits": None})

    def _settings(self, data: ExperimentSet) -> dict[str, Any]:
        """Return the settings, with the content of the data instead of its name."""
        return asdict(self) | {"dataset": data.fingerprint}

    def _parameters(self) -> dict[str, str]:
        """Return the method's parameters that are not the defaults, as texts."""
        return {name: repr(value) for name, value in parameters_of(self.method).items()}

    def __str__(self) -> str:
        function = f" {self.hash_function}" if self.hash_function else ""
        return (
            f"{self.dataset} {self.protocol}: {self.method}{function}, {self.n_bits} bits, "
            f"seed {self.seed}"
        )


def hash_of(settings: dict[str, Any]) -> str:
    """Return the SHA-256 of settings and of what all results depend on."""
    return hashlib.sha256(json.dumps([_COMMON, settings], sort_keys=True).encode()).hexdigest()
