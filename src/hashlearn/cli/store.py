"""`hashlearn store`: codes in a database, by one command each."""

from __future__ import annotations

import typer

from hashlearn.cli import store_index, store_info, store_push, store_search

EXAMPLE = store_push.EXAMPLE

app = typer.Typer(
    no_args_is_help=True, help="Keep codes in a database: LanceDB, SQLite or PostgreSQL."
)
for module in (store_push, store_search, store_index, store_info):
    name = module.__name__.rpartition("_")[2]
    app.command(name, epilog=f"Example: {module.EXAMPLE}")(getattr(module, name))
