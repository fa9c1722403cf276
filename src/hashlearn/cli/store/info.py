"""`hashlearn store info`: a table's bits, items, columns and index."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from hashlearn.cli._shared.options import DEFAULT_TABLE, AddressArgument, JsonOption, TableOption

if TYPE_CHECKING:
    from hashlearn.stores import Store

EXAMPLE = "hashlearn store info lancedb:digits.lance"


def info(
    address: AddressArgument,
    table: TableOption = DEFAULT_TABLE,
    as_json: JsonOption = False,
) -> None:
    """Show a table's bits, items and columns, and whether it has an index."""
    from hashlearn.cli._shared.descriptions import Description
    from hashlearn.cli._shared.stores import opened_store

    with opened_store(address, table) as store:
        facts = {
            "kind": "store",
            "where": store.place,
            "table": store.table,
            "bits": store.n_bits,
            "model": store.model or "unknown",
            "ids": "text" if store.id_type is str else "integers",
            "items": store.count(),
            "columns": {name: kind.__name__ for name, kind in store.columns.items()},
            "index": _index_in_words(store),
        }
        description = Description(facts, for_machines={"index": store.has_index()})
    typer.echo(description.as_json() if as_json else str(description))


def _index_in_words(store: Store) -> str:
    if not store.indexable:
        return "none: searches are exact"
    return "yes" if store.has_index() else "none: `hashlearn store index` builds one"
