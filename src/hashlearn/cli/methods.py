"""`hashlearn methods`: the names for `fit --method`."""

from __future__ import annotations

import json

import typer

from hashlearn.cli._shared.options import JsonOption

EXAMPLE = "hashlearn methods"


def methods(as_json: JsonOption = False) -> None:
    """List the methods that learn codes, and which are the defaults."""
    from hashlearn.base import METHODS
    from hashlearn.cli._shared.outputs import plain_table, print_table
    from hashlearn.methods import default_for, learns_from, list_methods

    lines = {name: line.removesuffix(" [1]_.") + "." for name, line in list_methods().items()}
    if as_json:
        rows = [
            {
                "method": name,
                "learns_from": learns_from(METHODS.get(name)),
                "default": default_for(name),
                "idea": idea,
            }
            for name, idea in lines.items()
        ]
        typer.echo(json.dumps(rows))
        return
    table = plain_table()
    for title in ("method", "learns from", "idea"):
        table.add_column(title)
    for name, idea in lines.items():
        mark = "*" if default_for(name) else ""
        table.add_row(f"{name} {mark}", learns_from(METHODS.get(name)), idea)
    defaults = [name for name in lines if default_for(name)]
    print_table(
        table, notes=(f" * {name} is the default {default_for(name)}." for name in defaults)
    )
