"""No test of this room sees the user's folders or a network."""

from __future__ import annotations

import pytest
import sklearn.datasets


@pytest.fixture(autouse=True)
def alone(monkeypatch, tmp_path_factory):
    empty = tmp_path_factory.mktemp("empty")
    monkeypatch.delenv("HASHLEARN_DATA", raising=False)
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(empty / "scikit_learn_data"))
    monkeypatch.setenv("HASHLEARN_CACHE", str(empty / "cache"))

    def no_network(*args, **kwargs):
        raise OSError("no network here")

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", no_network)
