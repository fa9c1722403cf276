"""The command line: `hashlearn COMMAND`.

An exception of a command becomes one sentence and an exit code: 2 for an error, 130 for Ctrl-C. A
warning becomes one line. Commands import the library when they run, so that help appears at once.

A user may give an address with a password in any place: instead of a command, a table, a file.
Commands read words as they are given, and no error or warning shows a piece of a password.
"""

from __future__ import annotations

import os
import re
import signal
import sys
import traceback
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer
from rich.text import Text

from hashlearn._version import __version__
from hashlearn.cli import (
    compare,
    demo,
    encode,
    evaluate,
    explore,
    fit,
    index,
    info,
    methods,
    paper,
    search,
    store,
)
from hashlearn.cli._shared.console import console
from hashlearn.cli._shared.help import Command, Group
from hashlearn.cli._shared.options import STORE_VARIABLE

ERROR = 2
INTERRUPTED, TERMINATED = 130, 143  # 128 + SIGINT or SIGTERM, as in shells
WORDS = "hashlearn.words"  # of the command line, in a context's meta

HIDDEN = "…"
LONGEST_SHOWN = 3  # characters in a row that a password and a message may have in common
_SETTING = re.compile(r"password\s*=", re.IGNORECASE)
_AFTER_USER = re.compile(r"://[^:/@]*:")
_PORT = re.compile(r"\d{1,5}(?=[/,?]|$)[^@]*$", re.ASCII)
# A mistyped address; those of files have no password.
_WITHOUT_SCHEME = re.compile(r"(?:--[\w-]+=)?+(?!lancedb:|sqlite:)[^:]*:(?=.*@)", re.DOTALL)
_LONE_WORD = re.compile(r"[^/?:.,\[]+")  # behind an @: a host, or the rest of a password


class Commands(Group):
    """The group of commands; a failing command ends in one sentence."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the options before the command."""
        ctx.meta[WORDS] = tuple(args)
        with _ending_in_one_sentence(ctx):
            return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Run a command."""
        with _ending_in_one_sentence(ctx), warnings.catch_warnings():
            _make_warnings_short(ctx)
            return super().invoke(ctx)


@contextmanager
def _ending_in_one_sentence(ctx: Any) -> Iterator[None]:
    """Turn an exception into a sentence and an exit code."""
    try:
        yield
    except KeyboardInterrupt as interrupt:
        _say(str(interrupt) or "Stopped; nothing was left half-written.", ctx)
        raise typer.Exit(INTERRUPTED) from None
    except BrokenPipeError:
        # The reader, such as `head`, has all it wants; what is still buffered goes nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(0) from None
    except Exception as error:
        is_usage = hasattr(error, "format_message")  # typer would quote the given words
        if _is_for_typer(error) or (ctx.params.get("debug") and not is_usage):
            raise
        _say(_sentence(error), ctx)
        raise typer.Exit(ERROR) from None


app = typer.Typer(
    name="hashlearn",
    cls=Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for module in (compare, fit, encode, index, search, evaluate, explore, info, methods, demo, paper):
    name = module.__name__.rpartition(".")[2]
    app.command(name, cls=Command, epilog=f"Example: {module.EXAMPLE}")(getattr(module, name))
app.add_typer(store.app, name="store", epilog=f"Example: {store.EXAMPLE}")


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
    """Return whether typer itself ends the program: an exit, or help."""
    if type(error).__name__ == "NoArgsIsHelpError":
        return True
    is_exit = hasattr(error, "exit_code") and not hasattr(error, "format_message")
    return is_exit or isinstance(error, typer.Abort)


def _sentence(error: Exception) -> str:
    """Return the message of an error with its notes; a wrong option also names its help."""
    if hasattr(error, "format_message"):
        path = getattr(getattr(error, "ctx", None), "command_path", "hashlearn")
        message = error.format_message().rstrip(".")
        return f"{message}{'' if message.endswith('?') else '.'} See '{path} --help'."
    message = str(error) or type(error).__name__
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        message = f"{error.strerror}: {error.filename!r}."
    return " ".join([message, *getattr(error, "__notes__", ())])


def _make_warnings_short(ctx: Any) -> None:
    """Show each warning as one line, without its source line."""

    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        _say(f"warning: {message}", ctx)

    warnings.showwarning = show


def _say(sentence: str, ctx: Any) -> None:
    """Print one line on standard error, without the passwords that were given."""
    line = without_passwords(" ".join(sentence.split()), ctx.meta[WORDS])
    console(stderr=True).print(Text(f"hashlearn: {line}"), soft_wrap=True)


def without_passwords(text: str, words: Iterable[str]) -> str:
    """Return a text without the passwords in the words of a command line or in the environment."""
    for word in (*words, os.environ.get(STORE_VARIABLE, "")):
        password = password_in(word)
        if password:
            for quoted in (password, repr(password)[1:-1], " ".join(password.split())):
                text = _without(text, quoted)
    return text


def password_in(word: str) -> str | None:
    """Return what may be the password of an address, with the @ behind it."""
    if setting := _SETTING.search(word):
        return word[setting.end() :]  # nothing tells for certain where it ends
    user = _AFTER_USER.search(word)
    if user and _PORT.match(word, user.end()):
        return None
    if user is None and "://" not in word:
        user = _WITHOUT_SCHEME.match(word)
    if user is None:
        return None
    before, _, host = word[user.end() :].rpartition("@")
    return word[user.end() :] if _LONE_WORD.fullmatch(host) else f"{before}@"


def _without(text: str, password: str) -> str:
    """Return a text in which all that a password has in common with it is hidden."""
    n = min(LONGEST_SHOWN + 1, len(password))
    shown = list(text)
    for start in range(len(text) - n + 1):
        if text[start : start + n] in password:
            shown[start : start + n] = HIDDEN * n
    return re.sub(f"{HIDDEN}+", HIDDEN, "".join(shown))


def main() -> None:
    """Run the command line."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(TERMINATED))  # removes unfinished files
    try:
        app()
    except KeyboardInterrupt:  # before a command has begun
        sys.exit(INTERRUPTED)
    except Exception:  # only with --debug
        sys.stderr.write(without_passwords(traceback.format_exc(), sys.argv[1:]))
        sys.exit(1)
