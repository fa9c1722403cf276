"""Stores opened by an address: `lancedb:PATH`, `sqlite:PATH` or `postgresql://…`."""

from __future__ import annotations

import os

from hashlearn.stores.base import STORES, Store


def open_store(address: str, table: str = "items", *, check_model: bool = True) -> Store:
    """Return the store at an address; its table need not exist yet.

    Parameters
    ----------
    address : str
        ``lancedb:FOLDER``, ``sqlite:FILE``, or a connection string such as
        ``postgresql://user@host/database``. A password may be part of it, or stand where
        PostgreSQL's own programs look for it (``PGPASSWORD``, ``~/.pgpass``).
    table : str, default="items"
        The table: letters, digits and _.
    check_model : bool, default=True
        Whether to refuse codes of another model than the table's.

    Returns
    -------
    store : Store

    Examples
    --------
    >>> from hashlearn.stores import open_store
    >>> open_store("redis://somewhere")
    Traceback (most recent call last):
    ValueError: the address of a store must begin with 'lancedb:', 'postgresql:' or 'sqlite:'.
    """
    scheme, colon, rest = str(address).partition(":")
    scheme = "postgresql" if scheme == "postgres" else scheme
    if not colon or scheme not in STORES.names():
        # The address may hold a password, so the message does not quote it.
        *others, last = (repr(f"{name}:") for name in STORES.names())
        raise ValueError(f"the address of a store must begin with {', '.join(others)} or {last}.")
    store = STORES.get(scheme)
    place = address if store.takes_address else os.path.expanduser(rest)
    return store(place, table, check_model=check_model)


def is_store_address(text: str) -> bool:
    """Tell whether a text is the address of a store and not the path of a file.

    Parameters
    ----------
    text : str
        An address or a path.

    Examples
    --------
    >>> from hashlearn.stores import is_store_address
    >>> is_store_address("sqlite:codes.db"), is_store_address("codes.index")
    (True, False)
    """
    return text.partition(":")[0] in (*STORES.names(), "postgres") and ":" in text
