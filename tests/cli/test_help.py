"""Every command explains itself, and its example runs as it stands."""

import re
import shlex
import shutil

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from hashlearn.cli._shared.help import _option_name
from hashlearn.cli.app import app
from tests.cli.small_digits import patch_digits

COMMANDS = [
    "compare",
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
STORE_COMMANDS = ["push", "search", "index", "info", "list", "remove", "drop"]
LEAVES = [[one] for one in COMMANDS if one != "store"] + [["store", one] for one in STORE_COMMANDS]
ELSEWHERE = [["compare"], ["demo"], ["explore"]]  # run by their own tests, slowly
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
    section = text.partition("Commands:\n")[2].partition("\n\n")[0]
    assert re.findall(r"^  (\w+) +\S.*$", section, flags=re.MULTILINE) == commands


@pytest.mark.parametrize("words", LEAVES, ids=" ".join)
def test_every_argument_and_option_is_explained(words):
    command = get_command(app)
    for word in words:
        command = command.commands[word]
    assert command.params
    assert all(parameter.help for parameter in command.params)


@pytest.mark.parametrize("words", [[], ["store"], *LEAVES], ids=" ".join)
def test_help_fits_a_narrow_terminal_and_names_values(words):
    text = CliRunner().invoke(app, [*words, "-h"], env={"COLUMNS": "80"}).stdout
    *lines, example = text.rstrip().splitlines()
    assert max(map(len, lines)) <= 80
    assert len(lines) < 70
    assert not re.search(r"<\w+>|\{\w+\}|[│╭]", text)
    assert example.startswith("Example: ") or not words


@pytest.mark.parametrize("words", LEAVES, ids=" ".join)
def test_an_option_without_a_metavar_is_a_number(words):
    command = get_command(app)
    for word in words:
        command = command.commands[word]
    for option in command.params:
        if option.param_type_name == "option" and not option.is_flag and not option.metavar:
            text = _option_name(option)
            assert text.endswith(" N")
            kinds = (option.min, option.max, option.default)
            assert any(isinstance(one, int | float) for one in kinds), text


def test_help_is_plain_without_colour():
    environment = {"COLUMNS": "80", "NO_COLOR": "1", "FORCE_COLOR": "1"}
    assert "\x1b" not in CliRunner().invoke(app, ["-h"], env=environment, color=True).stdout
    environment["NO_COLOR"] = ""
    assert "\x1b[" in CliRunner().invoke(app, ["-h"], env=environment, color=True).stdout


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
        if command not in (
            ["compare"],
            ["demo"],
            ["explore"],
        ):  # their own tests run them, which takes a while
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
