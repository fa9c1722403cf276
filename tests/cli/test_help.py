"""Every command explains itself, and its example runs as it stands."""

import re
import shlex
import shutil

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from hashlearn.cli.app import app
from tests.cli.small_digits import patch_digits

COMMANDS = [
    "fit",
    "encode",
    "index",
    "search",
    "evaluate",
    "explore",
    "info",
    "methods",
    "demo",
    "paper",
    "store",
]
STORE_COMMANDS = ["push", "search", "index", "info"]
LEAVES = [[one] for one in COMMANDS if one != "store"] + [["store", one] for one in STORE_COMMANDS]
WIDE = {"COLUMNS": "300", "TERMINAL_WIDTH": "300"}


def example(*command):
    """Return the example that a command's help ends with."""
    result = CliRunner().invoke(app, [*command, "--help"], env=WIDE)
    assert result.exit_code == 0
    return re.fullmatch(r"Example: (.*)", result.stdout.strip().splitlines()[-1].strip()).group(1)


@pytest.mark.parametrize("words", [[], ["store"]])
def test_no_words_are_answered_by_help(words):
    result = CliRunner().invoke(app, words, env=WIDE)
    assert "Usage: " in result.output
    assert "hashlearn: " not in result.output


@pytest.mark.parametrize(("group", "commands"), [([], COMMANDS), (["store"], STORE_COMMANDS)])
def test_help_lists_every_command_with_a_line(group, commands):
    text = CliRunner().invoke(app, [*group, "--help"], env=WIDE).stdout
    listed = re.findall(r"^│ (\w+) +\S.*$", text, flags=re.MULTILINE)
    assert listed == commands


@pytest.mark.parametrize("words", LEAVES, ids=" ".join)
def test_every_argument_and_option_is_explained(words):
    command = get_command(app)
    for word in words:
        command = command.commands[word]
    assert command.params
    assert all(parameter.help for parameter in command.params)


def test_the_help_of_the_stores_ends_with_an_example():
    assert example("store") == example("store", "push")


def test_the_examples_run_one_after_the_other(place, tmp_path, monkeypatch):
    pytest.importorskip("lancedb")
    for name in ("digits.csv", "queries.csv"):
        shutil.copy(place.folder / name, tmp_path)
    monkeypatch.chdir(tmp_path)
    patch_digits(monkeypatch)
    for command in LEAVES:
        program, *words = shlex.split(example(*command))
        assert (program, words[: len(command)]) == ("hashlearn", command)
        if command not in (["demo"], ["explore"]):  # their own tests run them, which takes a while
            result = CliRunner().invoke(app, words)
            assert result.exit_code == 0, result.output
            assert "warning" not in result.stderr
    made = {"digits.hashlearn", "codes.npy", "digits.index", "hashlearn-paper", "digits.lance"}
    assert {path.name for path in tmp_path.iterdir()} == {"digits.csv", "queries.csv", *made}


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["fit"], "Missing argument 'INPUT'. See 'hashlearn fit --help'."),
        (["encode", "a", "b"], "Missing option '--output' / '-o'. See 'hashlearn encode --help'."),
        (["search", "a", "b", "--fast"], "No such option: --fast"),
        (["serach"], "No such command 'serach'."),
        (["store", "psuh"], "No such command 'psuh'."),
        (["store", "info"], "Missing argument 'ADDRESS'. See 'hashlearn store info --help'."),
        (["--fast"], "No such option: --fast"),
    ],
)
def test_a_wrong_command_is_one_sentence(words, sentence):
    result = CliRunner().invoke(app, words, prog_name="hashlearn")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"hashlearn: {sentence}")
    assert result.stderr.count("\n") == 1
