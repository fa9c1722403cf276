"""The two packages that SQLite is used through: Python's sqlite3, or apsw."""

from __future__ import annotations

import sqlite3
from importlib.util import find_spec
from pathlib import Path
from typing import Any

MEMORY = ":memory:"
OLDEST = (3, 38)  # sqlite-vec filters its k-NN by ids from this SQLite on


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


def driver_error(driver: str) -> type[Exception]:
    """Return the class of all errors of a driver."""
    if driver == "sqlite3":
        return sqlite3.Error
    import apsw

    error: type[Exception] = apsw.Error
    return error


def code_of(error: Exception) -> int:
    """Return SQLite's extended result code of a driver's error; 0 if it has none."""
    return getattr(error, "sqlite_errorcode", None) or getattr(error, "extendedresult", None) or 0


def open_raw(path: str, driver: str, mode: str) -> Any:
    """Return a driver's own connection, in which transactions begin only when told."""
    # Written as an address, a path can say that no file is to be made.
    place = path if path == MEMORY else f"{Path(path).as_uri()}?mode={mode}"
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
