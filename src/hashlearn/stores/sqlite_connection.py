"""One connection to an SQLite file with sqlite-vec, through Python's sqlite3 or through apsw."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from threading import RLock
from typing import Any

from hashlearn.stores.errors import StoreError

MEMORY = ":memory:"
BUSY_SECONDS = 5.0  # how long to wait while another program writes
OLDEST = (3, 38)  # sqlite-vec filters its k-NN by ids from this SQLite on

REASONS = {  # by SQLite's result codes, the extended ones too
    5: "another program is writing to it; try again when that has ended.",
    6: "another program is writing to it; try again when that has ended.",
    8: "it can only be read.",
    1544: "its folder can only be read, and SQLite writes there even to read a file in WAL mode.",
    11: "the file is damaged.",
    13: "the disk is full.",
    14: "the file cannot be opened; see whether it, and its folder, may be read and written.",
    26: "it is no SQLite database.",
}


def choose_driver() -> str:
    """Return "sqlite3" where it can load extensions, "apsw" elsewhere; raise if neither is fit."""
    if find_spec("sqlite_vec") is None:
        raise ImportError("The SQLite store needs sqlite-vec: pip install 'hashlearn[sqlite]'.")
    # Many builds of Python leave the loading of extensions out.
    can_load = hasattr(sqlite3.Connection, "enable_load_extension")
    if can_load and sqlite3.sqlite_version_info >= OLDEST:
        return "sqlite3"
    if find_spec("apsw") is None:
        raise ImportError(
            "The SQLite store needs apsw, since this Python's sqlite3 cannot load sqlite-vec: "
            "pip install 'hashlearn[sqlite]'."
        )
    return "apsw"


class Connection:
    """A connection whose errors are StoreErrors, and which any thread may use, one at a time.

    Parameters
    ----------
    path : str
        A file, or ":memory:".
    driver : {"sqlite3", "apsw"}
        The package to go through.
    create : bool, default=False
        Make the file if it is not there.
    """

    def __init__(self, path: str, driver: str, *, create: bool = False) -> None:
        self.path = path
        self._lock = RLock()
        if os.path.isdir(path):
            raise StoreError(f"{path!r} is a folder: the SQLite store takes a file.")
        folder = os.path.dirname(path)
        if folder and not os.path.isdir(folder):
            raise StoreError(f"{path!r} cannot be made: there is no folder {folder!r}.")
        self._error = driver_error(driver)
        with self._in_words():
            self._raw = open_raw(path, driver, create=create)
            load_vectors(self._raw)
            self.execute(f"pragma busy_timeout = {int(1000 * BUSY_SECONDS)}")
            self.execute("pragma temp_store = memory")

    def execute(self, sql: str, parameters: Sequence[Any] = ()) -> Iterator[tuple[Any, ...]]:
        """Run a statement and return its rows; the parameters take the places of `?`."""
        rows: Iterator[tuple[Any, ...]] = self._raw.execute(sql, tuple(parameters))
        return rows

    def execute_many(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        """Run a statement once for each row of parameters."""
        self._raw.executemany(sql, rows)

    @contextmanager
    def transaction(self, *, write: bool = False) -> Iterator[None]:
        """Hold one state of the database while reading, or write all or nothing."""
        with self._lock, self._in_words():
            if self._raw.in_transaction:
                raise StoreError(f"{self.path!r} is being read: read to the end first.")
            try:
                self.execute("begin immediate" if write else "begin")
                yield
                self.execute("commit")
            except BaseException:
                if self._raw.in_transaction:
                    self.execute("rollback")
                raise

    def keep_log(self) -> None:
        """Let others read while one writes, from now on and for every program: WAL."""
        with self._lock, self._in_words():
            self.execute("pragma journal_mode = wal")

    def close(self) -> None:
        """End it."""
        with self._lock, self._in_words():
            self._raw.close()

    @contextmanager
    def _in_words(self) -> Iterator[None]:
        try:
            yield
        except self._error as error:
            raise StoreError(f"{self.path!r} cannot be used: {reason_of(error)}") from error


def driver_error(driver: str) -> type[Exception]:
    """Return the class of all errors of a driver."""
    if driver == "sqlite3":
        return sqlite3.Error
    import apsw

    error: type[Exception] = apsw.Error
    return error


def open_raw(path: str, driver: str, *, create: bool) -> Any:
    """Return a driver's own connection, in which transactions begin only when told."""
    # Written as an address, a path can say that no file is to be made.
    mode = "rwc" if create else "rw"
    place = path if path == MEMORY else f"{Path(path).absolute().as_uri()}?mode={mode}"
    if driver == "sqlite3":
        return sqlite3.connect(place, uri=True, isolation_level=None, check_same_thread=False)
    import apsw

    flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE | apsw.SQLITE_OPEN_URI
    return apsw.Connection(place, flags=flags)


def load_vectors(raw: Any) -> None:
    """Load sqlite-vec into a driver's connection, and no other extension after it."""
    import sqlite_vec

    raw.enable_load_extension(True)
    sqlite_vec.load(raw)
    raw.enable_load_extension(False)


def reason_of(error: Exception) -> str:
    """Return why a driver has raised an error, as the end of a sentence."""
    code = getattr(error, "sqlite_errorcode", None) or getattr(error, "extendedresult", None) or 0
    said = f"SQLite says {str(error)!r}"
    if "sqlite-vec error" in said:  # it keeps SQLite's own reason for itself
        return f"{said}; the disk may be full, or the file damaged."
    return REASONS.get(code) or REASONS.get(code & 0xFF) or f"{said}."
