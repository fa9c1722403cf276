"""A document is followed in a process and a folder of its own."""

from __future__ import annotations

import fcntl
import os
import signal
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from tests.documents.following import follow
from tests.processes import PROCESSES
from tests.stores.servers import VectorServer, running

PATIENCE = 600  # seconds, of a machine that is busy with other tests


class Followed(NamedTuple):
    """How it went: the exit code (None: not done in time), the folder, and what was printed."""

    exit_code: int | None
    folder: Path
    log: str


def follow_apart(document: Path, tmp_path: Path) -> Followed:
    """Follow a document from its first block to its last, or to the first that fails."""
    with postgresql(document) as variables:
        return _follow(document, tmp_path, variables)


def _follow(document: Path, tmp_path: Path, variables: dict[str, str]) -> Followed:
    folder, log = tmp_path / "reader", tmp_path / "log"
    folder.mkdir()
    with one_server_at_a_time(document):
        process = PROCESSES.Process(target=follow, args=(document, folder, log, variables))
        process.start()
        process.join(PATIENCE)
        exit_code = process.exitcode
        with suppress(ProcessLookupError):  # what it left running; mostly nothing
            os.killpg(process.pid, signal.SIGKILL)
        process.join()
    return Followed(exit_code, folder, log.read_text())


@contextmanager
def postgresql(document: Path) -> Iterator[dict[str, str]]:
    """Run the server that a document takes for granted; yield the variables that lead to it."""
    if "postgresql:///" not in document.read_text():
        yield {}
        return
    with running(VectorServer) as server:
        where = {"PGHOST": "127.0.0.1", "PGPORT": str(server.port)}
        yield {**where, "PGUSER": "postgres", "PGPASSWORD": server.password}


@contextmanager
def one_server_at_a_time(document: Path) -> Iterator[None]:
    """Keep documents whose servers have the same port apart, whatever process follows them."""
    if "hashlearn explore" not in document.read_text():
        yield
        return
    with open(Path(tempfile.gettempdir()) / "hashlearn-documents.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
