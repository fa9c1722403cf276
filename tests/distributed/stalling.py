"""Work that stops in the middle, once, until its process is killed."""

from __future__ import annotations

import os
import signal
import time
from functools import wraps
from importlib import import_module
from pathlib import Path
from threading import Thread

PATIENCE = 60  # seconds, after which a test has failed anyway


def stall_once(folder):
    """Say which process is here and wait, in the first call; do nothing in later ones."""
    try:
        (Path(folder) / "taken").touch(exist_ok=False)
    except FileExistsError:
        return
    unfinished = Path(folder) / "unfinished"
    unfinished.write_text(str(os.getpid()))
    unfinished.rename(Path(folder) / "begun")
    time.sleep(PATIENCE)


def stall_in(module, owner, name, folder):
    """Make a method stall once; run on every worker."""
    owner = getattr(import_module(module), owner)
    method = getattr(owner, name)

    @wraps(method)
    def stalling(*args, **kwargs):
        stall_once(folder)
        return method(*args, **kwargs)

    setattr(owner, name, stalling)


class StallingHasher:
    """A hasher that stalls on more than the one row by which columns are checked."""

    def __init__(self, hasher, folder):
        self.hasher, self.folder = hasher, str(folder)

    def encode(self, X):
        if len(X) > 1:
            stall_once(self.folder)
        return self.hasher.encode(X)


def killing_the_stalled(folder, work):
    """Return what `work` returns, while the process that stalls in it is killed."""
    results = []
    thread = Thread(target=lambda: results.append(work()), daemon=True)
    thread.start()
    os.kill(wait_for_process(folder), signal.SIGKILL)
    thread.join(PATIENCE)
    assert results, "the work did not end"
    return results[0]


def wait_for_process(folder):
    """Return the id of the process that stalls, once there is one."""
    end = time.monotonic() + PATIENCE
    while not (Path(folder) / "begun").exists():
        assert time.monotonic() < end, "no process stalls"
        time.sleep(0.02)
    return int((Path(folder) / "begun").read_text())
