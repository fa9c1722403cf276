"""PostgreSQL that goes away: a server stopped, a client killed, a connection lost, a Ctrl-C."""

from __future__ import annotations

import os
import signal
import socket
import threading
from collections.abc import Callable, Iterator

import numpy as np
import psycopg
import pytest

from hashlearn.stores import Batch, PostgresStore, StoreError, StoreLostError
from tests.stores import servers
from tests.stores.kill import Load, assert_whole_batches, kill_during, resume
from tests.stores.servers import (
    WAITING,
    Server,
    VectorServer,
    running,
    wait_for_waiting,
    wait_until,
)


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """Return a server that tests may stop."""
    with running(VectorServer) as server:
        yield server


@pytest.fixture
def store(server: Server) -> Iterator[PostgresStore]:
    with PostgresStore(server.address) as store:
        store.create(8)
        yield store
        store.drop()


def codes(*bytes_: int) -> np.ndarray:
    return np.array(bytes_, dtype=np.uint8)[:, None]


def stopped_during(load: Load, server: Server, mode: str, n_batches: int) -> str:
    """Stop the server while the batch after `n_batches` is sent; return what the client is told."""
    with load.open() as store:
        write, written = store._write, []

        def write_while_it_stops(batch: Batch) -> None:
            if len(written) == n_batches:
                stopping.start()
            write(batch)
            written.append(batch)

        stopping = threading.Thread(target=server.stop, args=(mode,))
        store._write = write_while_it_stops  # type: ignore[method-assign]
        with pytest.raises(StoreLostError) as caught:
            load.add_to(store)
        stopping.join()
    return " ".join([str(caught.value), *caught.value.__notes__])


@pytest.mark.parametrize("mode", ["immediate", pytest.param("fast", marks=pytest.mark.slow)])
def test_a_server_that_stops_during_a_load_leaves_whole_batches(server, mode):
    load = Load(server.address, f"stopped_{mode}", n_items=100_000, batch_size=1_000)
    told = stopped_during(load, server, mode, n_batches=5)
    assert server.password not in told
    assert told.startswith("The connection to postgresql://postgres@127.0.0.1:")
    assert "add all of them again to continue." in told
    assert "\n" not in told
    server.start()
    assert_whole_batches(load, at_least=5)
    resume(load)


@pytest.mark.slow
def test_a_client_that_is_killed_during_a_load_leaves_whole_batches(server):
    load = Load(server.address, "killed")
    n_confirmed = kill_during(load)
    assert_whole_batches(load, at_least=n_confirmed)
    resume(load)


def test_the_same_store_connects_again(server, store):
    store.add(codes(1), [1])
    server.stop("fast")
    with pytest.raises(StoreLostError, match="was lost"):
        store.count()
    with pytest.raises(StoreError, match="cannot be opened: Connection refused"):
        store.count()
    server.start()
    assert store.count() == 1


def test_a_connection_that_an_administrator_ends_is_opened_again(server, store):
    with psycopg.connect(server.address, autocommit=True) as admin:
        admin.execute(
            "select pg_terminate_backend(pid, 10000) from pg_stat_activity "
            "where application_name = 'hashlearn'"
        )
    with pytest.raises(StoreLostError, match="terminating connection due to administrator command"):
        store.add(codes(1), [1])
    store.add(codes(1), [1])
    assert store.count() == 1


def test_reading_tells_that_the_connection_was_lost(server, store):
    store.add(np.zeros((25_000, 1), dtype=np.uint8), range(25_000))
    reading = store.read()
    next(reading)
    server.stop("immediate")
    with pytest.raises(StoreLostError, match="was lost"):
        list(reading)
    server.start()
    with pytest.raises(StoreLostError):
        store.count()
    assert sum(len(batch.ids) for batch in store.read()) == 25_000


def during_a_wait(server: Server, act: Callable[[int], None]) -> threading.Thread:
    """Lock the table; once the store waits for it, do something to its process, and unlock."""
    admin = psycopg.connect(server.address)
    admin.execute("lock table items in exclusive mode")

    def watch() -> None:
        with admin, psycopg.connect(server.address, autocommit=True) as observer:
            act(wait_for_waiting(observer))
            wait_until(lambda: observer.execute(WAITING).fetchone() is None)

    thread = threading.Thread(target=watch)
    thread.start()
    return thread


def test_ctrl_c_undoes_the_batch_and_leaves_the_store_usable(server, store):
    store.add(codes(1), [1])
    watching = during_a_wait(server, lambda _: os.kill(os.getpid(), signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        store.add(codes(2, 3), [1, 2])
    watching.join()
    assert store.count() == 1
    assert store.search(codes(1), 1).distances.tolist() == [[0]]
    store.add(codes(2, 3), [1, 2])
    assert store.count() == 2


def test_a_backend_that_dies_in_a_write_leaves_nothing_of_it(server, store):
    def end(pid: int) -> None:
        with psycopg.connect(server.address, autocommit=True) as admin:
            admin.execute("select pg_terminate_backend(%s)", (pid,))

    watching = during_a_wait(server, end)
    with pytest.raises(StoreLostError, match="was lost"):
        store.add(codes(2, 3), [1, 2])
    watching.join()
    assert store.count() == 0


def test_two_loads_of_the_same_items_at_once_leave_each_once(server):
    load = Load(server.address, "twice", n_items=1_000, batch_size=100)
    with load.open() as store:
        store.build_index()
    errors: list[BaseException] = []

    def add(seed: int) -> None:
        items = load.items()
        order = np.random.default_rng(seed).permutation(load.n_items)
        try:
            with load.open() as store:
                store.add(
                    items.packed[order],
                    items.ids[order],
                    {"name": items.values["name"][order]},
                    batch_size=load.batch_size,
                )
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=add, args=(seed,)) for seed in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    resume(load)


def test_a_port_that_was_just_taken_is_exchanged(server, monkeypatch):
    free_port = servers._free_port
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        ports = [taken.getsockname()[1]]
        monkeypatch.setattr(servers, "_free_port", lambda: ports.pop() if ports else free_port())
        server.stop()
        server.port = 0
        server.start()
        assert server.port != taken.getsockname()[1]


@pytest.mark.parametrize(
    ("required", "outcome"), [("", pytest.skip.Exception), ("required", pytest.fail.Exception)]
)
def test_a_missing_server_skips_tests_unless_it_is_required(monkeypatch, required, outcome):
    monkeypatch.setenv("HASHLEARN_POSTGRESQL", required)
    monkeypatch.setattr(VectorServer, "missing_reason", lambda: "it is on holiday")
    with pytest.raises(outcome, match="no VectorServer: it is on holiday"), running(VectorServer):
        pass
