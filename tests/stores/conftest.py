"""The engines that the shared suite tries: a store of a file joins by its name alone.

A store that is registered and takes a path is tried in a folder of its own; one that needs a
server has a line in `SERVERS`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from typing import NamedTuple

import numpy as np
import pytest

from hashlearn.stores import STORES, Batch, Store
from tests.search.brute_force import random_codes
from tests.stores.expected import items_of
from tests.stores.memory_store import MemoryStore
from tests.stores.servers import PlainServer, Server, VectorServer, running

STORE_CLASSES = {"memory": MemoryStore} | {name: STORES.get(name) for name in STORES.names()}
SERVERS = {  # the store, and the fixture that is its server
    "postgresql-pgvector": ("postgresql", "vector_server"),
    "postgresql-plain": ("postgresql", "plain_server"),
}
ENGINES = [
    *(name for name, store in STORE_CLASSES.items() if not store.takes_address),
    *SERVERS,
]
NAMES = ("", "Zoë", 'it\'s "so"', "naïve 東京 🐈 %s $1 \\ \n", "apple", "Berry", "b", "ä")
WITHOUT_INDEX = {"postgresql-plain"}  # although its store has one elsewhere
INDEXING = [
    name
    for name in ENGINES
    if STORE_CLASSES[SERVERS.get(name, (name,))[0]].indexable and name not in WITHOUT_INDEX
]
NOT_INDEXING = [name for name in ENGINES if name not in INDEXING]

numbers = count()


class Engine(NamedTuple):
    """A database that runs: its name in the suite, its store and where it is."""

    name: str
    store: type[Store]
    address: str

    def open(self, table: str) -> Store:
        """Return a table's store, a new object each time."""
        return self.store(self.address, table)


@pytest.fixture(scope="session")
def vector_server() -> Iterator[Server]:
    """Return a PostgreSQL with pgvector; one for each worker of a parallel run."""
    with running(VectorServer) as server:
        yield server


@pytest.fixture(scope="session")
def plain_server() -> Iterator[Server]:
    """Return a PostgreSQL without extensions."""
    with running(PlainServer) as server:
        yield server


@pytest.fixture(scope="session", params=ENGINES)
def engine(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Engine:
    name = request.param
    if name in SERVERS:
        store, server = SERVERS[name]
        return Engine(name, STORE_CLASSES[store], request.getfixturevalue(server).address)
    folder = tmp_path_factory.mktemp(name) / 'it\'s a "folder" #1 %20, ü'
    folder.mkdir()
    return Engine(name, STORE_CLASSES[name], str(folder / "database"))


@pytest.fixture
def new_store(engine: Engine) -> Iterator[Callable[..., Store]]:
    """Return a function that opens a table of a fresh name, or of a given one.

    After the test the first object of each table drops it: a test closes none but later ones.
    """
    opened: list[Store] = []

    def open_table(table: str | None = None) -> Store:
        opened.append(engine.open(table or f"table_{next(numbers)}"))
        return opened[-1]

    yield open_table
    for store in reversed({store.table: store for store in reversed(opened)}.values()):
        if store.exists():
            store.drop()
    for store in opened:
        store.close()


class Shelf(NamedTuple):
    """A table that is only read, and what is in it."""

    store: Store
    items: Batch


@pytest.fixture(scope="session")
def shelf(engine: Engine) -> Iterator[Shelf]:
    """Return a table of 600 codes of 13 bits with a column of every type."""
    random = np.random.default_rng(0)
    weights = np.array([0.1, 1 / 3, 1e-300, -0.0, 0.0, -2.5, 1e300, np.inf, -np.inf])
    values = {
        "digit": random.integers(0, 10, 600),
        "weight": weights[random.integers(0, len(weights), 600)],
        "name": np.array(NAMES)[random.integers(0, len(NAMES), 600)],
        "flag": random.random(600) < 0.3,
    }
    items = items_of(random_codes(random, 600, 13), random, **values)
    columns = {"digit": int, "weight": float, "name": str, "flag": bool}
    with engine.open("shelf") as store:
        store.create(13, columns)
        store.add(items.packed, items.ids, items.values)
        yield Shelf(store, items)
        store.drop()
