"""Stores as commands open them: what goes wrong is told in the words of the command line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hashlearn.stores import Store, StoreError, open_store
from hashlearn.stores.opening import is_store_address

# What the Python interface advises, and what a user of commands does instead.
ADVICE = {
    r"\bcreate it first": "`hashlearn store push` makes it",
    r"\bbuild_index makes one": "`hashlearn store index` builds one",
    r"\bleave effort out": "leave --effort out",
    r"^effort=": "--effort ",
    # Of one batch, where `push` knows all.
    r" Of [\d,]+ items [\d,]+ are stored for certain; add the same again to go on\.": "",
}


@contextmanager
def opened_store(address: str, table: str) -> Iterator[Store]:
    """Open a store for a command, and close it at the end."""
    with open_store(address, table) as store:
        try:
            yield store
        except (StoreError, ValueError) as error:
            if error.args == (str(error),):  # others are no sentences of the library
                error.args = (_for_commands(str(error), store),)
            raise


def check_no_store(given: Path, name: str, command: str) -> None:
    """Raise if a file is asked for, and the address of a store was given; it is not repeated."""
    if is_store_address(str(given)) and not given.exists():
        raise ValueError(f"{name} is the address of a store, and no file: use `{command}`.")


def _for_commands(sentence: str, store: Store) -> str:
    for words, instead in ADVICE.items():
        sentence = re.sub(words, instead, sentence)
    return sentence.replace(repr(store), f"table {store.table} in {store.place}")
