"""`hashlearn store drop`: remove a table with all of its items."""

from __future__ import annotations

from hashlearn.cli._shared.options import DEFAULT_TABLE, AddressArgument, TableOption

EXAMPLE = "hashlearn store drop lancedb:digits.lance --table items"


def drop(address: AddressArgument, table: TableOption = DEFAULT_TABLE) -> None:
    """Remove a table with all of its items and its index."""
    from hashlearn._progress import say
    from hashlearn.cli._shared.stores import opened_store

    with opened_store(address, table) as store:
        n_items = store.count()
        store.drop()
        say(f"Dropped table {table} of {n_items:,} items in {store.place}.", verbose=1)
