"""The command line fails in one sentence."""

import subprocess
import sys

import pytest
import typer
from typer.testing import CliRunner

import hashlearn.cli.app as cli
from hashlearn._version import __version__


@pytest.fixture
def run(monkeypatch):
    """Run an app whose one command raises an error."""

    def run_failing(error, *arguments):
        app = typer.Typer(cls=cli.Commands, pretty_exceptions_enable=False)
        app.callback()(cli.common)

        @app.command()
        def fail() -> None:
            raise error

        return CliRunner().invoke(app, [*arguments, "fail"])

    return run_failing


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (ValueError("n_bits=0 is\nout of [range]."), "n_bits=0 is out of [range]."),
        (OSError("no space left"), "no space left"),
        (KeyError(), "KeyError"),
    ],
)
def test_error_is_one_sentence_with_exit_code_2(run, error, sentence):
    result = run(error)
    assert result.exit_code == 2
    assert result.stderr == f"hashlearn: {sentence}\n"
    assert result.stdout == ""


def test_debug_shows_the_error_itself(run):
    error = ValueError("whole story")
    assert run(error, "--debug").exception is error


def test_interrupt_has_exit_code_130(run):
    result = run(KeyboardInterrupt())
    assert result.exit_code == 130
    assert result.stderr.count("\n") == 1


def test_exit_code_of_a_command_is_kept(run):
    assert run(typer.Exit(7)).exit_code == 7


def test_version_is_printed():
    result = CliRunner().invoke(cli.app, ["--version"])
    assert (result.exit_code, result.stdout) == (0, f"hashlearn {__version__}\n")


def test_unknown_command_has_exit_code_2():
    command = [sys.executable, "-c", "from hashlearn.cli.app import main; main()", "dmeo"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "dmeo" in done.stderr
    assert "Traceback" not in done.stderr
