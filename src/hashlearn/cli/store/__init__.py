"""`hashlearn store`: codes in a database, one file per command."""

from __future__ import annotations

import typer

from hashlearn.cli._shared.help import Command, Group
from hashlearn.cli.store import drop, index, info, list, push, remove, search  # noqa: A004

EXAMPLE = push.EXAMPLE

app = typer.Typer(
    cls=Group, no_args_is_help=True, help="Keep codes in a database: LanceDB, SQLite or PostgreSQL."
)
for module in (push, search, index, info, list, remove, drop):
    name = module.__name__.rpartition(".")[2]
    app.command(name, cls=Command, epilog=f"Example: {module.EXAMPLE}")(getattr(module, name))
