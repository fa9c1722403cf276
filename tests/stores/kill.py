"""A client that is killed during a bulk load, in a process of its own, and what must hold then.

A test of it is four lines::

    load = Load(f"sqlite:{tmp_path / 'codes.db'}")
    n_confirmed = kill_during(load)
    assert_whole_batches(load, at_least=n_confirmed)
    resume(load)
"""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from hashlearn.search import pack_codes
from hashlearn.stores import Batch, Store, open_store
from tests.stores.expected import assert_same_items, everything, taken

WRITTEN = "a batch is written\n"


@dataclass(frozen=True)
class Load:
    """Items to put into a store: the same in every process that has the same numbers."""

    address: str
    table: str = "items"
    n_items: int = 6_000
    n_bits: int = 70  # enough that no two codes are equal
    batch_size: int = 300
    seed: int = 0

    def items(self) -> Batch:
        """Return ids in no order, codes, and a column that repeats the id as text."""
        random = np.random.default_rng(self.seed)
        packed = pack_codes(random.integers(0, 2, (self.n_items, self.n_bits), dtype=np.uint8))
        ids = random.permutation(self.n_items) - self.n_items // 2
        ids[ids < 0] -= 1  # -1 is no id
        return Batch(ids, packed, {"name": ids.astype(str)})

    def open(self) -> Store:
        """Return the store, with its table."""
        store = open_store(self.address, self.table)
        return store.create(self.n_bits, {"name": str}, exist_ok=True)

    def add_to(self, store: Store) -> None:
        """Add all items."""
        items = self.items()
        store.add(items.packed, items.ids, items.values, batch_size=self.batch_size)


def add_and_tell(load: Load) -> None:
    """Add all items; a line on stdout for every batch that the store has confirmed."""
    with load.open() as store:
        write = store._write

        def write_and_tell(batch: Batch) -> None:
            write(batch)
            print(WRITTEN, end="", flush=True)

        store._write = write_and_tell  # type: ignore[method-assign]
        load.add_to(store)


def kill_during(load: Load, n_batches: int = 4) -> int:
    """Kill a client that adds the items, at a random moment of the batch after `n_batches`.

    The number of batches that the store confirmed, or a lower one, is returned.
    """
    command = f"from tests.stores.kill import *; add_and_tell({load!r})"
    root = Path(__file__).parents[2]
    with subprocess.Popen(
        [sys.executable, "-c", command], cwd=root, stdout=subprocess.PIPE, text=True
    ) as client:
        assert client.stdout is not None
        assert client.stdout.readline() == WRITTEN  # after the time that starting takes
        duration = 0.0
        for _ in range(n_batches - 1):
            started = time.monotonic()
            assert client.stdout.readline() == WRITTEN
            duration = time.monotonic() - started
        time.sleep(duration * np.random.default_rng([load.seed, n_batches]).uniform())
        client.send_signal(signal.SIGKILL)
    assert client.returncode == -signal.SIGKILL
    return n_batches


def assert_whole_batches(load: Load, at_least: int = 0) -> None:
    """Check that each batch is in the table whole or not at all, and `at_least` so many are."""
    with load.open() as store:
        stored = everything(store)
        assert store.count() == len(stored.ids)
    items = load.items()
    is_stored = np.isin(items.ids, stored.ids)
    starts = range(0, load.n_items, load.batch_size)
    batches = [is_stored[start : start + load.batch_size] for start in starts]
    assert all(batch.all() or not batch.any() for batch in batches)
    assert sum(batch.all() for batch in batches) >= at_least, "a confirmed batch is lost"
    assert_same_items(stored, taken(items, is_stored))


def resume(load: Load) -> None:
    """Add all items again; check that each is there, once, and found."""
    items = load.items()
    with load.open() as store:
        load.add_to(store)
        assert store.count() == load.n_items
        assert_same_items(everything(store), items)
        some = slice(None, None, load.n_items // 5)
        distances, ids = store.search(items.packed[some], k=1)
        np.testing.assert_array_equal(ids[:, 0], items.ids[some])
        assert not distances.any()
