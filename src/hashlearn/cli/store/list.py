"""`hashlearn store list`: the tables of a database."""

from __future__ import annotations

import json
from dataclasses import asdict

import typer

from hashlearn.cli._shared.options import AddressArgument, JsonOption

EXAMPLE = "hashlearn store list lancedb:digits.lance"


def list(address: AddressArgument, as_json: JsonOption = False) -> None:  # noqa: A001
    """List the tables with codes of a database."""
    from hashlearn.cli._shared.outputs import plain_table, print_table
    from hashlearn.stores import list_tables

    found = [
        {
            **asdict(one),
            "id_type": one.id_type.__name__,
            "columns": {name: kind.__name__ for name, kind in one.columns.items()},
        }
        for one in list_tables(address)
    ]
    if as_json:
        typer.echo(json.dumps(found))
        return
    table = plain_table()
    for title in ("table", "items", "bits", "model", "columns"):
        table.add_column(title, justify="right" if title in ("items", "bits") else "left")
    for row in found:
        names = ", ".join(f"{name} ({kind})" for name, kind in row["columns"].items())
        cells = (row["name"], f"{row['count']:,}", str(row["n_bits"]), row["model"] or "unknown")
        table.add_row(*cells, names)
    print_table(table, "" if found else "The database has no tables with codes.")
