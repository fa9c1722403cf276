"""Processes of their own that need not import the library: one that has done so forks them."""

from __future__ import annotations

import multiprocessing

PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload(
    ["hashlearn._public", "hashlearn.cli.app", "hashlearn.metrics", "sklearn.datasets"]
)
