"""The command line: `hashlearn COMMAND`.

A command raises; this file turns what it raises into one sentence and an exit code: 2 for an
error, 130 for Ctrl-C.
"""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.text import Text
from typer.core import TyperGroup

from hashlearn._version import __version__
from hashlearn.cli.demo import demo

ERROR = 2
INTERRUPTED = 130  # 128 + SIGINT, as shells have it


class Commands(TyperGroup):
    """The commands, which end in one sentence when they fail."""

    def invoke(self, ctx: Any) -> Any:
        """Run a command."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            _say("Stopped; nothing was left half-written.")
            raise typer.Exit(INTERRUPTED) from None
        except Exception as error:
            if ctx.params.get("debug") or _is_for_typer(error):
                raise
            _say(str(error) or type(error).__name__)
            raise typer.Exit(ERROR) from None


app = typer.Typer(
    name="hashlearn",
    cls=Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(demo)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"hashlearn {__version__}")
        raise typer.Exit


@app.callback()
def common(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version and stop."
        ),
    ] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show the whole traceback of an error.")
    ] = False,
) -> None:
    """Learn compact binary codes and search them by Hamming distance."""


def _is_for_typer(error: Exception) -> bool:
    """Tell whether typer itself ends the program: an exit, a wrong option, a closed pipe."""
    return hasattr(error, "exit_code") or isinstance(error, typer.Abort | BrokenPipeError)


def _say(sentence: str) -> None:
    """Print one sentence on standard error."""
    Console(stderr=True, soft_wrap=True).print(Text(f"hashlearn: {' '.join(sentence.split())}"))


def main() -> None:
    """Run the command line."""
    try:
        app()
    except KeyboardInterrupt:  # before a command has begun
        sys.exit(INTERRUPTED)
