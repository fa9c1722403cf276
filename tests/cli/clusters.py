"""Clusters for the tests of --scheduler."""

LABELS = ("--query-labels", "queries-labels.npy", "--database-labels", "digits-labels.npy")
OPTIONS = {
    "n_workers": 2,
    "threads_per_worker": 1,
    "processes": True,
    "dashboard_address": ":0",
}


def make_blocks_small(monkeypatch):
    """Make a file of the tests many blocks."""
    monkeypatch.setattr("hashlearn.items.base.BLOCK_BYTES", 2000)
    monkeypatch.setattr("hashlearn.items.csv.BLOCK_CHARACTERS", 2000)
