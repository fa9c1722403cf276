"""Open a store by one line of text: `lancedb:PATH`, `sqlite:PATH` or `postgresql://…`."""

from __future__ import annotations

import os

from hashlearn.stores.base import STORES, Store


def open_store(address: str, table: str = "items") -> Store:
    """Return the store at an address, of which the table may or may not be there yet.

    Parameters
    ----------
    address : str
        ``lancedb:FOLDER``, ``sqlite:FILE``, or a connection string such as
        ``postgresql://user@host/database``. Passwords may stand there, or where PostgreSQL's own
        programs look for them (``PGPASSWORD``, ``~/.pgpass``).
    table : str, default="items"
        The table: letters, digits and _.

    Returns
    -------
    store : Store

    Examples
    --------
    >>> open_store("redis://somewhere")
    Traceback (most recent call last):
    ValueError: the address of a store begins with 'lancedb:', 'postgresql:' or 'sqlite:', and \
this one does not.
    """
    scheme, colon, rest = str(address).partition(":")
    scheme = "postgresql" if scheme == "postgres" else scheme
    if not colon or scheme not in STORES.names():
        # What was given may hold a password, and is not repeated.
        *others, last = (repr(f"{name}:") for name in STORES.names())
        raise ValueError(
            f"the address of a store begins with {', '.join(others)} or {last}, and this one does "
            "not."
        )
    store = STORES.get(scheme)
    return store(address if store.takes_address else os.path.expanduser(rest), table)


def is_store_address(text: str) -> bool:
    """Tell whether a text is the address of a store and not a file's path.

    Examples
    --------
    >>> is_store_address("sqlite:codes.db"), is_store_address("codes.index")
    (True, False)
    """
    return text.partition(":")[0] in (*STORES.names(), "postgres") and ":" in text
