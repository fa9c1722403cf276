"""The engines that the shared suite tries: a store of a file joins by its name alone.

A store that is registered and takes a path is tried in a folder of its own; one that needs a
server has a line in `SERVERS`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from typing import NamedTuple

import pytest

from hashlearn.stores import STORES, Store
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
WITHOUT_INDEX = {"postgresql-plain": "pgvector"}  # an index needs what is not installed there

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
    folder = tmp_path_factory.mktemp(name)
    return Engine(name, STORE_CLASSES[name], str(folder / "a 'quoted' folder, ü" / "database"))


@pytest.fixture
def new_store(engine: Engine) -> Iterator[Callable[..., Store]]:
    """Return a function that opens a table of a fresh name, or of a given one.

    All tables are dropped after the test.
    """
    opened: list[Store] = []

    def open_table(table: str | None = None) -> Store:
        opened.append(engine.open(table or f"table_{next(numbers)}"))
        return opened[-1]

    yield open_table
    for store in opened:
        if store.exists():
            store.drop()
        store.close()
