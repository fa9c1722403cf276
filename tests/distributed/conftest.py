"""A cluster of two worker processes, made once, and model files that encode batches."""

from __future__ import annotations

from copy import copy

import numpy as np
import pytest

from hashlearn.distributed import encode_batch

OPTIONS = {
    "n_workers": 2,
    "threads_per_worker": 1,
    "processes": True,
    "scheduler_port": 0,
    "dashboard_address": ":0",
}


@pytest.fixture(scope="session")
def cluster():
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(**OPTIONS) as cluster:
        yield cluster


@pytest.fixture
def client(cluster):
    distributed = pytest.importorskip("distributed")
    with distributed.Client(cluster) as client:
        client.wait_for_workers(2, timeout=60)
        yield client


@pytest.fixture(scope="session")
def models(tmp_path_factory):
    """Return a folder with a model of plain arrays, and one of named features."""
    forms = pytest.importorskip("tests.distributed.batch_forms")
    folder = tmp_path_factory.mktemp("models")
    forms.HASHER.save(folder / "plain.hashlearn")
    named = copy(forms.HASHER)
    named.feature_names_in_ = np.array(forms.NAMES, dtype=object)
    named.save(folder / "named.hashlearn")
    return folder


@pytest.fixture
def plain(models):
    return encode_batch(models / "plain.hashlearn")


@pytest.fixture
def named(models):
    return encode_batch(models / "named.hashlearn")
