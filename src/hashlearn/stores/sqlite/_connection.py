"""A connection to an SQLite file with sqlite-vec, through Python's sqlite3 or through apsw."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from hashlearn.stores.errors import StoreError

MEMORY = ":memory:"
OLDEST = (3, 38)  # the SQLite from which sqlite-vec filters its k-NN by ids
BUSY_SECONDS = 5.0  # how long to wait while others read or write
READ_ONLY, CANNOT_OPEN = 8, 14  # SQLite's result codes
BUSY = (5, 6)

IN_USE = "another program is reading or writing it; try again later."
FOLDER = "its folder is read-only, and SQLite writes there even to read a file in WAL mode."
REASONS = {  # by SQLite's result codes, the extended ones too
    **dict.fromkeys(BUSY, IN_USE),
    **dict.fromkeys((264, 1288, 1544), FOLDER),
    READ_ONLY: "it is read-only.",
    11: "the file is damaged.",
    13: "the disk is full.",
    CANNOT_OPEN: "the file cannot be opened; check the permissions of the file and its folder.",
    26: "it is not an SQLite database.",
}


class Connection:
    """A connection whose errors are StoreErrors; threads may use it in turn.

    The path is absolute or ":memory:", and the driver "sqlite3" or "apsw".
    """

    def __init__(self, path: str, driver: str, *, create: bool = False) -> None:
        self.path = path
        if os.path.isdir(path):
            raise StoreError(f"{path!r} is a folder: an SQLite store must be a file.")
        folder = os.path.dirname(path)
        if folder and not os.path.isdir(folder):
            raise StoreError(f"{path!r} cannot be created: there is no folder {folder!r}.")
        self._error = driver_error(driver)
        self._still: list[tuple[int, int]] | None = None  # the files, if read without locks
        with self._in_words():
            try:
                self._open(driver, "rwc" if create else "rw")
            except self._error as error:
                # In a read-only folder SQLite cannot create the log that a file in WAL mode
                # needs; where there is no log, nobody is writing.
                if code_of(error) & 0xFF not in (READ_ONLY, CANNOT_OPEN) or self._has_log():
                    raise
                self._still = self._files()
                self._open(driver, "ro&immutable=1")

    def execute(self, sql: str, parameters: Sequence[Any] = ()) -> Iterator[tuple[Any, ...]]:
        """Run a statement and return its rows; the parameters replace its question marks."""
        rows: Iterator[tuple[Any, ...]] = self._raw.execute(sql, tuple(parameters))
        return rows

    def execute_many(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        """Run a statement once for each row of parameters."""
        self._raw.executemany(sql, rows)

    @contextmanager
    def transaction(self, *, write: bool = False) -> Iterator[None]:
        """Hold one state of the database while reading, or write all or nothing."""
        if self._still is not None and self._files() != self._still:
            raise StoreError(f"{self.path!r} was changed by another program", "open it again")
        with self._in_words():
            try:
                self.execute("begin immediate" if write else "begin")
                yield
                self.execute("commit")
            except BaseException:
                if self._raw.in_transaction:
                    self.execute("rollback")
                raise

    def keep_log(self) -> None:
        """Put a new file into WAL mode: others can read while one program writes."""
        deadline = time.monotonic() + BUSY_SECONDS
        with self._in_words():
            while list(self.execute("pragma page_count")) == [(0,)]:
                try:
                    self.execute("pragma journal_mode = wal")
                    return
                except self._error as error:  # SQLite does not wait for this lock by itself
                    if code_of(error) & 0xFF not in BUSY or time.monotonic() > deadline:
                        raise
                    time.sleep(0.01)

    def close(self) -> None:
        """Close it."""
        with self._in_words():
            self._raw.close()

    def _open(self, driver: str, mode: str) -> None:
        self._raw = open_raw(self.path, driver, mode)
        load_vectors(self._raw)
        self.execute(f"pragma busy_timeout = {int(1000 * BUSY_SECONDS)}")
        self.execute("pragma temp_store = memory")
        list(self.execute("pragma page_count"))  # the first to read the file

    def _has_log(self) -> bool:
        return any(os.path.exists(self.path + end) for end in ("-wal", "-journal"))

    def _files(self) -> list[tuple[int, int]]:
        """Return size and time of the file and its log, as far as they exist."""
        paths = [path for path in (self.path, f"{self.path}-wal") if os.path.exists(path)]
        return [(stat.st_size, stat.st_mtime_ns) for stat in map(os.stat, paths)]

    @contextmanager
    def _in_words(self) -> Iterator[None]:
        try:
            yield
        except (self._error, UnicodeDecodeError) as error:
            raise StoreError(f"{self.path!r} cannot be used: {reason_of(error)}") from error


def reason_of(error: Exception) -> str:
    """Return the cause of a driver's error, as the end of a sentence."""
    code = code_of(error)
    said = f"SQLite says {str(error)!r}"
    if "sqlite-vec error" in said:  # it does not pass on SQLite's own reason
        return f"{said}; the disk may be full, or the file damaged."
    return REASONS.get(code) or REASONS.get(code & 0xFF) or f"{said}."


def choose_driver() -> str:
    """Return "sqlite3" where it can load extensions, else "apsw"; raise if neither works."""
    if find_spec("sqlite_vec") is None:
        raise ImportError("The SQLite store needs sqlite-vec: pip install 'hashlearn[sqlite]'.")
    # Many builds of Python cannot load extensions.
    can_load = hasattr(sqlite3.Connection, "enable_load_extension")
    if can_load and sqlite3.sqlite_version_info >= OLDEST:
        return "sqlite3"
    if find_spec("apsw") is None:
        raise ImportError(
            "The SQLite store needs apsw, since this Python's sqlite3 cannot load sqlite-vec: "
            "pip install 'hashlearn[sqlite]'."
        )
    return "apsw"


def driver_error(driver: str) -> type[Exception]:
    """Return the base class of a driver's errors."""
    if driver == "sqlite3":
        return sqlite3.Error
    import apsw

    error: type[Exception] = apsw.Error
    return error


def code_of(error: Exception) -> int:
    """Return SQLite's extended result code of a driver's error; 0 if it has none."""
    return getattr(error, "sqlite_errorcode", None) or getattr(error, "extendedresult", None) or 0


def open_raw(path: str, driver: str, mode: str) -> Any:
    """Return a driver's own connection, without implicit transactions."""
    # As a URI, a path can say that no file is to be created.
    place = path if path == MEMORY else f"{Path(path).as_uri()}?mode={mode}"
    if driver == "sqlite3":
        return sqlite3.connect(place, uri=True, isolation_level=None, check_same_thread=False)
    import apsw

    flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE | apsw.SQLITE_OPEN_URI
    return apsw.Connection(place, flags=flags)


def load_vectors(raw: Any) -> None:
    """Load sqlite-vec into a driver's connection, and allow no other extension."""
    import sqlite_vec

    raw.enable_load_extension(True)
    sqlite_vec.load(raw)
    raw.enable_load_extension(False)
