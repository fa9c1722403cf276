"""A cluster of two worker processes, started once, and codes."""

from __future__ import annotations

import numpy as np
import pytest

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


def random_codes(n, n_bits, seed=0):
    """Return packed codes with many ties and repetitions."""
    return np.packbits(np.random.default_rng(seed).random((n, n_bits)) < 0.15, axis=1)
