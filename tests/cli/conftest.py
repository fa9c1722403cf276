"""A folder of small inputs in every kind of file, a model, and a way to run commands there."""

from __future__ import annotations

from copy import copy
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.datasets import load_digits
from typer.testing import CliRunner

from hashlearn import HammingIndex
from hashlearn.cli.app import app
from hashlearn.methods import LSHHasher

N_DATABASE = 200
N_BITS = 20


def write_csv(path, X, y, names):
    """Write a table whose last column is `digit`."""
    table = np.column_stack([X, y])
    header = ",".join([*names, "digit"])
    np.savetxt(path, table, fmt="%d", delimiter=",", header=header, comments="")


@pytest.fixture(scope="session")
def place(tmp_path_factory):
    """Return the folder, and what its files hold."""
    folder = tmp_path_factory.mktemp("place")
    digits = load_digits()
    X, y = digits.data[:260].astype(np.float32), digits.target[:260]
    names = tuple(digits.feature_names)
    database, queries = slice(N_DATABASE), slice(N_DATABASE, None)
    for name, rows in {"digits": database, "queries": queries}.items():
        write_csv(folder / f"{name}.csv", X[rows], y[rows], names)
        np.save(folder / f"{name}.npy", X[rows])
        np.save(folder / f"{name}-labels.npy", y[rows])
        np.savez(folder / f"{name}.npz", X=X[rows], digit=y[rows])
    hasher = LSHHasher(N_BITS, center=True, random_state=0).fit(X[database])
    hasher.save(folder / "plain.hashlearn")
    np.save(folder / "codes.npy", hasher.encode(X[database]))
    named = copy(hasher)
    named.feature_names_in_ = np.array(names, dtype=object)
    named.save(folder / "named.hashlearn")
    return SimpleNamespace(
        folder=folder,
        names=names,
        hasher=hasher,
        X=X[database],
        y=y[database],
        queries=X[queries],
        query_labels=y[queries],
    )


@pytest.fixture
def run(place, monkeypatch):
    """Run a command in the folder; it must succeed."""
    monkeypatch.chdir(place.folder)

    def run_command(*words):
        result = CliRunner().invoke(app, list(map(str, words)), env={"COLUMNS": "120"})
        assert result.exit_code == 0, result.stderr
        return result

    return run_command


@pytest.fixture
def fail(place, monkeypatch):
    """Run a command in the folder; it must fail, in the one sentence that is returned."""
    monkeypatch.chdir(place.folder)

    def run_command(*words):
        before = _contents(place.folder)
        result = CliRunner().invoke(app, list(map(str, words)))
        assert result.exit_code == 2, result.output
        assert result.stdout == ""
        assert result.stderr.count("\n") == 1, result.stderr
        assert _contents(place.folder) == before  # nothing half-written
        return result.stderr

    return run_command


def _contents(folder: Path) -> dict[str, int]:
    return {path.name: path.stat().st_mtime_ns for path in folder.iterdir()}


@pytest.fixture
def index(place):
    """Return what stores must equal."""
    index = HammingIndex(place.hasher.n_bits)
    index.add(place.hasher.encode(place.X))
    return index
