"""`hashlearn store remove`: remove items of a table, by id or by condition."""

from __future__ import annotations

from typing import Annotated

import typer

from hashlearn.cli._shared.options import (
    DEFAULT_TABLE,
    AddressArgument,
    TableOption,
    WhereOption,
)

EXAMPLE = "hashlearn store remove lancedb:digits.lance --where digit=3"


def remove(
    address: AddressArgument,
    table: TableOption = DEFAULT_TABLE,
    ids: Annotated[
        str | None,
        typer.Option(metavar="IDS|FILE", help="Ids to remove: a,b,c or a file of them."),
    ] = None,
    where: WhereOption = None,
) -> None:
    """Remove items of a table: those with these ids, or those that fulfil conditions."""
    from hashlearn._progress import say
    from hashlearn.cli._shared.codes import read_listed_ids
    from hashlearn.cli._shared.stores import opened_store
    from hashlearn.cli._shared.where import read_where
    from hashlearn.cli.store._searching import known_columns

    if (ids is None) == (not where):
        raise ValueError("Give either --ids or --where: which items to remove.")
    with opened_store(address, table) as store:
        if ids is not None:
            n_removed = store.remove(read_listed_ids(ids))
        else:
            n_removed = store.remove(where=read_where(where or [], known_columns(store)))
        n_left = store.count()
    say(f"Removed {n_removed:,} items of table {table}; it has {n_left:,} now.", verbose=1)
