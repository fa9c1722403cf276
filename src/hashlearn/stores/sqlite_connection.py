"""One connection to an SQLite file with sqlite-vec, whose errors are sentences."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from hashlearn.stores.errors import StoreError
from hashlearn.stores.sqlite_drivers import code_of, driver_error, load_vectors, open_raw

BUSY_SECONDS = 5.0  # how long to wait while others read or write
READ_ONLY, CANNOT_OPEN = 8, 14  # SQLite's result codes
BUSY = (5, 6)

IN_USE = "another program is reading or writing it; try again when that has ended."
FOLDER = "its folder can only be read, and SQLite writes there even to read a file in WAL mode."
REASONS = {  # by SQLite's result codes, the extended ones too
    **dict.fromkeys(BUSY, IN_USE),
    **dict.fromkeys((264, 1288, 1544), FOLDER),
    READ_ONLY: "it can only be read.",
    11: "the file is damaged.",
    13: "the disk is full.",
    CANNOT_OPEN: "the file cannot be opened; see whether it, and its folder, may be read and "
    "written.",
    26: "it is no SQLite database.",
}


class Connection:
    """A connection whose errors are StoreErrors; threads may use it in turn.

    Parameters
    ----------
    path : str
        A file, as an absolute path, or ":memory:".
    driver : {"sqlite3", "apsw"}
        The package to go through.
    create : bool, default=False
        Make the file if it is not there.
    """

    def __init__(self, path: str, driver: str, *, create: bool = False) -> None:
        self.path = path
        if os.path.isdir(path):
            raise StoreError(f"{path!r} is a folder: the SQLite store takes a file.")
        folder = os.path.dirname(path)
        if folder and not os.path.isdir(folder):
            raise StoreError(f"{path!r} cannot be made: there is no folder {folder!r}.")
        self._error = driver_error(driver)
        self._still: list[tuple[int, int]] | None = None  # what the files were, if never locked
        with self._in_words():
            try:
                self._open(driver, "rwc" if create else "rw")
            except self._error as error:
                # In a folder that can only be read SQLite cannot make the log that a file in WAL
                # mode needs; where there is none, nobody is writing.
                if code_of(error) & 0xFF not in (READ_ONLY, CANNOT_OPEN) or self._has_log():
                    raise
                self._still = self._files()
                self._open(driver, "ro&immutable=1")

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
        if self._still is not None and self._files() != self._still:
            raise StoreError(f"{self.path!r} was changed by another program: open it again.")
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
        """Let others read while one writes, if the file is new, and for every program: WAL."""
        deadline = time.monotonic() + BUSY_SECONDS
        with self._in_words():
            while list(self.execute("pragma page_count")) == [(0,)]:
                try:
                    self.execute("pragma journal_mode = wal")
                    return
                except self._error as error:  # for this SQLite does not wait by itself
                    if code_of(error) & 0xFF not in BUSY or time.monotonic() > deadline:
                        raise
                    time.sleep(0.01)

    def close(self) -> None:
        """End it."""
        with self._in_words():
            self._raw.close()

    def _open(self, driver: str, mode: str) -> None:
        self._raw = open_raw(self.path, driver, mode)
        load_vectors(self._raw)
        self.execute(f"pragma busy_timeout = {int(1000 * BUSY_SECONDS)}")
        self.execute("pragma temp_store = memory")
        list(self.execute("pragma page_count"))  # the first to look into the file

    def _has_log(self) -> bool:
        return any(os.path.exists(self.path + end) for end in ("-wal", "-journal"))

    def _files(self) -> list[tuple[int, int]]:
        """Return size and time of the file and its log, as far as they are there."""
        paths = [path for path in (self.path, f"{self.path}-wal") if os.path.exists(path)]
        return [(stat.st_size, stat.st_mtime_ns) for stat in map(os.stat, paths)]

    @contextmanager
    def _in_words(self) -> Iterator[None]:
        try:
            yield
        except (self._error, UnicodeDecodeError) as error:
            raise StoreError(f"{self.path!r} cannot be used: {reason_of(error)}") from error


def reason_of(error: Exception) -> str:
    """Return why a driver has raised an error, as the end of a sentence."""
    code = code_of(error)
    said = f"SQLite says {str(error)!r}"
    if "sqlite-vec error" in said:  # it keeps SQLite's own reason for itself
        return f"{said}; the disk may be full, or the file damaged."
    return REASONS.get(code) or REASONS.get(code & 0xFF) or f"{said}."
