"""A cluster of two worker processes, started once."""

from __future__ import annotations

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
