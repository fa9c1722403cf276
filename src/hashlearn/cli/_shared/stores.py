"""Stores as commands open them, with remedies in the words of the command line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hashlearn.stores import (
    IndexMissingError,
    Store,
    TableMissingError,
    is_store_address,
    open_store,
)


@contextmanager
def opened_store(address: str, table: str) -> Iterator[Store]:
    """Open a store for a command, and close it at the end."""
    with open_store(address, table) as store:
        try:
            yield store
        except TableMissingError as error:
            error.remedy = "`hashlearn store push` creates it"
            raise
        except IndexMissingError as error:
            build = "build one with `hashlearn store index`, or " if store.indexable else ""
            error.remedy = f"{build}leave out --effort"
            raise


def check_no_store(given: Path, name: str, command: str) -> None:
    """Raise if a file is expected, but the address of a store was given."""
    if is_store_address(str(given)) and not given.exists():
        raise ValueError(f"{name} must be a file, not the address of a store: use `{command}`.")
