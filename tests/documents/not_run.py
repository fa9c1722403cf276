"""The commands of documents that a test cannot run, each with its reason and another check.

A check raises if the command could not be what a reader needs: a target, an option, an extra or a
file that is not there.
"""

from __future__ import annotations

import re
import runpy
import shlex
import subprocess
import sys
import tomllib
from argparse import ArgumentParser
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple
from unittest import mock

ROOT = Path(__file__).parents[2]


class NotRun(NamedTuple):
    """A kind of command: what it looks like, why it is not run, and what is checked instead."""

    pattern: str
    reason: str
    check: Callable[[list[str]], None]

    def matches(self, command: str) -> bool:
        """Tell whether a command is of this kind, whatever variables are set for it."""
        return re.match(rf"([A-Z_]+=\S* )*{self.pattern}", command.strip()) is not None


def makes_a_target(words: list[str]) -> None:
    """Let make say what it would do."""
    subprocess.run(["make", "-n", *words[1:]], cwd=ROOT, check=True, capture_output=True)


def names_known_extras(words: list[str]) -> None:
    """Look extras of this package up where they are declared."""
    for word in words:
        named = re.search(r"^(?:hashlearn|\.)\[(.+)\]", word)
        for extra in named[1].split(",") if named else ():
            assert extra in _extras(), f"no extra {extra!r}"


def _extras() -> dict[str, list[str]]:
    """Return what each extra installs."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return project["optional-dependencies"]


def has_hooks(words: list[str]) -> None:
    """Look for what pre-commit installs."""
    assert (ROOT / ".pre-commit-config.yaml").is_file(), words


def takes_its_options(words: list[str]) -> None:
    """Let `hashlearn paper` read its options, up to one that it refuses before any work."""
    from typer.testing import CliRunner

    from hashlearn.cli.app import app

    result = CliRunner().invoke(app, [*words[1:], "--jobs", "0"])
    assert "--jobs must be a number of threads" in result.output, result.output


def takes_what_is_compared(words: list[str]) -> None:
    """Let `hashlearn compare` read its options, and one that it refuses before any work."""
    from typer.testing import CliRunner

    from hashlearn.cli.app import app

    result = CliRunner().invoke(app, [*words[1:], "--memory", "none"])
    assert "--memory must be a size" in result.output, result.output


class _OptionsReadError(Exception):
    """A script has read its options and would begin to work."""


def is_a_script(words: list[str]) -> None:
    """Let a script of this repository read its options, and stop it there."""
    script, options = ROOT / words[1], words[2:]
    source = script.read_text()  # says what is missing
    if "argparse" not in source:
        assert not options, f"{words[1]} takes no options"
        compile(source, script, "exec")
        return
    read_options = ArgumentParser.parse_args

    def read_and_stop(parser: ArgumentParser, *arguments: object) -> None:
        read_options(parser, *arguments)  # ends the program at what it does not take
        raise _OptionsReadError

    path = [str(script.parent), *sys.path]
    stopping = mock.patch.object(ArgumentParser, "parse_args", read_and_stop)
    with stopping, mock.patch.multiple(sys, argv=words[1:], path=path):
        try:
            runpy.run_path(str(script), run_name="__main__")
        except _OptionsReadError:
            return
        except ModuleNotFoundError as error:
            if any(peer.startswith(str(error.name)) for peer in _extras()["bench"]):
                return  # a peer that `make bench` installs
            raise
    raise AssertionError(f"{words[1]} did not read its options")


def is_there(words: list[str]) -> None:
    """Look for a script."""
    assert (ROOT / words[1]).is_file(), words[1]


TABLE = (
    NotRun(
        r"make( |$)",
        "it makes an environment of its own, and some targets run these tests; "
        "`make demo` is run by a slow test",
        makes_a_target,
    ),
    NotRun(
        r"(\S*python -m )?pip install ",
        "it would change the environment of the tests",
        names_known_extras,
    ),
    NotRun(r"\S*pre-commit install$", "it would change the repository", has_hooks),
    NotRun(r"hashlearn paper( |$)", "it takes minutes to hours", takes_its_options),
    NotRun(
        r"hashlearn compare(?!.* --time)",
        "a run lasts a minute or two; documents with --time are run",
        takes_what_is_compared,
    ),
    NotRun(r"python benchmarks/\S+\.py", "it takes minutes, and a machine to itself", is_a_script),
    NotRun(r"python examples/\S+\.py", "tests/test_examples.py runs it", is_there),
)


def check_instead_of(command: str) -> Callable[[], None] | None:
    """Return the check of a command that the table has, None for one that is run."""
    for entry in TABLE:
        if entry.matches(command):
            words = shlex.split(command, comments=True)
            start = next(i for i, word in enumerate(words) if not re.match(r"[A-Z_]+=", word))
            return partial(entry.check, words[start:])
    return None
