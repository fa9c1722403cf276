"""Help of commands: one line per option where it fits, within the width of the terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rich.console import Console
from rich.text import Text
from typer.core import TyperCommand, TyperGroup

from hashlearn.cli._shared.console import console

WIDEST = 100  # characters per line: longer ones are hard to read
LONGEST_NAME = 26  # characters before an explanation; a longer name has a line of its own

Row = tuple[str, str]


class Command(TyperCommand):
    """A command that prints its help in the style of `rg -h`."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the help."""
        print_help(self, ctx)


class Group(TyperGroup):
    """A group of commands that prints its help in the style of `rg -h`."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the help."""
        print_help(self, ctx)


def print_help(command: Any, ctx: Any) -> None:
    """Print usage, purpose, commands, arguments, options and the example of a command."""
    printed = console()
    printed.width = min(printed.width, WIDEST)
    usage = " ".join(piece.strip("{}") for piece in command.collect_usage_pieces(ctx))
    printed.print(Text.assemble(("Usage: ", "bold"), f"{ctx.command_path} {usage}"))
    for paragraph in (command.help or "").split("\n\n"):
        printed.print()
        _print_wrapped(printed, " ".join(paragraph.split()), "  ")
    for title, rows in _sections(command, ctx):
        if rows:
            printed.print()
            printed.print(Text(f"{title}:", "bold"))
            _print_rows(printed, rows)
    if command.epilog:
        printed.print()
        printed.print(Text(command.epilog), soft_wrap=True)


def _sections(command: Any, ctx: Any) -> Iterator[tuple[str, list[Row]]]:
    commands = getattr(command, "commands", {})
    yield "Commands", [(name, _first_line(one.help)) for name, one in commands.items()]
    shown = [one for one in command.get_params(ctx) if not getattr(one, "hidden", False)]
    arguments = [one for one in shown if one.param_type_name == "argument"]
    yield "Arguments", [(one.metavar or one.name.upper(), _with_variable(one)) for one in arguments]
    options = [one for one in shown if one.param_type_name == "option"]
    yield "Options", [(_option_name(one), _explained(one)) for one in options]


def _first_line(help_text: str | None) -> str:
    return " ".join((help_text or "").split("\n\n")[0].split())


def _option_name(option: Any) -> str:
    """Return `-m, --model MODEL`; a flag has no value, and one without a metavar is a number."""
    names = sorted([*option.opts, *option.secondary_opts], key=lambda name: name.startswith("--"))
    name = ", ".join(names)
    if names[0].startswith("--"):
        name = f"    {name}"  # in line with those that have a short form
    return name if option.is_flag else f"{name} {option.metavar or 'N'}"


def _explained(option: Any) -> str:
    """Return the help of an option, with its default unless the text names one."""
    text = _with_variable(option)
    default = option.default
    if option.is_flag or default in (None, (), []) or callable(default):
        return f"{text} [required]" if option.required else text
    return f"{text} [default: {default}]"


def _with_variable(parameter: Any) -> str:
    """Return the help of a parameter, with the environment variable that may give it."""
    text = " ".join((parameter.help or "").split())
    return f"{text} [variable: {parameter.envvar}]" if parameter.envvar else text


def _print_rows(printed: Console, rows: list[Row]) -> None:
    """Print names and explanations in two columns; a long name has a line of its own."""
    width = min(max(len(name) for name, _ in rows), LONGEST_NAME)
    for name, explanation in rows:
        lead = f"  {name:<{width}}  "
        if len(name) > width:
            printed.print(Text(lead.rstrip(), "cyan"))
            lead = ""
        _print_wrapped(printed, explanation, lead, width + 4)


def _print_wrapped(printed: Console, text: str, lead: str, indent: int = 2) -> None:
    """Print a text behind a lead, its further lines indented."""
    for line in Text(text).wrap(printed, printed.width - indent):
        printed.print(Text.assemble((lead or " " * indent, "cyan"), line.plain.rstrip()))
        lead = ""
