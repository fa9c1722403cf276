"""What documents tell a reader to do works as it stands, from the first block to the last."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
import typer

from hashlearn.cli.app import app
from tests.documents.blocks import read_blocks
from tests.documents.not_run import ROOT, TABLE, check_instead_of
from tests.documents.process import follow_apart

README = ROOT / "README.md"
DOCUMENTS = [
    path
    for path in [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
    if "_build" not in path.parts
]
# Pages that start servers, clusters and many programs, or fit many methods. Their imports and
# commands are checked in every run, by tests/test_house.py and below.
LONG = {
    "docs/distributed.md",
    "docs/extending/inference.md",  # tests/test_extending.py runs the parts of these in every run
    "docs/extending/loss.md",
    "docs/guide/choosing.md",
    "docs/guide/codes.md",
    "docs/guide/command-line.md",
    "docs/guide/embeddings.md",  # README shows the same
    "docs/guide/explorer.md",
    "docs/guide/stores.md",
    "docs/guide/texts.md",  # tests/cli/test_texts.py follows it with one store in every run
    "docs/guide/unlabelled.md",
    "docs/start.md",  # README, which is followed in every run, shows the same
}
RUN = {"python", "sh", "console", "json", "toml"}
SHOWN = {"text", "bibtex"}


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def languages(path: Path) -> set[str]:
    return {block.language for block in read_blocks(path)}


@pytest.mark.parametrize("document", DOCUMENTS, ids=name_of)
def test_every_block_says_what_it_is(document):
    known = RUN | SHOWN
    others = [
        (block.line, block.language)
        for block in read_blocks(document)
        if block.language not in known and not block.language.startswith("{")  # a directive
    ]
    assert not others, f"(line, language) of blocks that are not of {sorted(known)}: {others}"


@pytest.mark.parametrize(
    "document",
    # tests/test_readme.py follows README, and looks at what comes out.
    [
        pytest.param(path, marks=[pytest.mark.slow] if name_of(path) in LONG else [])
        for path in DOCUMENTS
        if path != README and languages(path) & RUN
    ],
    ids=name_of,
)
def test_a_reader_can_follow(document, tmp_path):
    followed = follow_apart(document, tmp_path)
    assert followed.exit_code == 0, followed.log


def commands_of(path: Path) -> list[list[str]]:
    """Return the words of this library's commands in a document."""
    lines = []
    for block in read_blocks(path):
        script = block.code.replace("\\\n", " ").splitlines()
        if block.language == "sh":
            lines += script
        elif block.language == "console":  # the other lines are printed
            lines += [line.removeprefix("$ ") for line in script if line.startswith("$ ")]
    return [shlex.split(line, comments=True) for line in lines if line.startswith("hashlearn ")]


@pytest.mark.parametrize("document", DOCUMENTS, ids=name_of)
def test_every_command_exists_with_its_options(document):
    for _, *words in commands_of(document):
        command = typer.main.get_command(app)
        while hasattr(command, "commands") and not words[0].startswith("-"):
            command = command.commands[words.pop(0)]
        command.make_parser(typer.Context(command)).parse_args(words)  # an unknown option raises


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("```python\nX = unknown\n```", "NameError"),
        ("```python\nimport warnings\nwarnings.warn('x')\n```", "UserWarning"),
        ("```python\nprint(1)  # prints 2\n```", "'2' was not printed"),
        ("```sh\necho one\n```\n```text prints\ntwo\n```", "something else was printed"),
        ("```sh\nfalse\ntrue\n```", "CalledProcessError"),
        ("```console\n$ hashlearn info\n```", "can be run"),
        ("```json\n{'a': 1}\n```", "JSONDecodeError"),
        ("```sh\nmake no-such-target\n```", "CalledProcessError"),
        ("```python\nx = 1", "has no end"),
        ("<!-- set-up\nX = 1\n-->\n```python\nX\n```", "NameError"),
        ("<!--\n```python\nX = 1\n```\n-->\n```python\nX\n```", "NameError"),
        ("```python\nimport os\nos.environ['X'] = '1'\n```\n```sh\necho $X\n```", "X: unbound"),
        ("Save this as `x.py`:\n\n```python\nX = 1\n```\n\n```python\nX\n```", "NameError"),
    ],
)
def test_a_block_that_fails_is_noticed(text, reason, tmp_path):
    document = tmp_path / "document.md"
    document.write_text(text)
    followed = follow_apart(document, tmp_path)
    assert followed.exit_code == 1
    assert reason in followed.log


def test_a_block_is_saved_where_the_text_says_so(tmp_path):
    document = tmp_path / "document.md"
    saved = "Now. Save this as `ones.py`:\n\n```python\nX = 1\n```\n"
    document.write_text(f"{saved}\n```python\nfrom ones import X\n\nprint(X)  # prints 1\n```\n")
    followed = follow_apart(document, tmp_path)
    assert followed.exit_code == 0, followed.log


@pytest.mark.parametrize(
    "command",
    [
        "make no-such-target",
        "pip install 'hashlearn[plot,no-such-extra]'",
        "hashlearn paper --no-such-option",
        "hashlearn paper --methods no-such-method",
        "python benchmarks/no_such_script.py",
        "python benchmarks/retrieval.py --no-such-option",
        "python benchmarks/selection.py --an-option",
        "python examples/no_such_script.py",
    ],
)
def test_a_wrong_command_is_noticed_where_it_is_not_run(command):
    check = check_instead_of(command)
    with pytest.raises((AssertionError, OSError, SystemExit, subprocess.CalledProcessError)):
        check()


def test_every_entry_of_what_is_not_run_is_in_use():
    commands = [
        line.removeprefix("$ ")
        for path in DOCUMENTS
        for block in read_blocks(path)
        if block.language in ("sh", "console")
        for line in block.code.splitlines()
    ]
    unused = [entry.pattern for entry in TABLE if not any(map(entry.matches, commands))]
    assert not unused


@pytest.mark.slow
def test_make_demo_works_in_a_fresh_copy(tmp_path):
    copy = tmp_path / "copy"
    unneeded = shutil.ignore_patterns(".*", "docs", "tests", "benchmarks", "__pycache__")
    shutil.copytree(ROOT, copy, ignore=unneeded)
    kept = {name: value for name, value in os.environ.items() if name != "VIRTUAL_ENV"}
    result = subprocess.run(
        ["make", "demo"], cwd=copy, env=kept, capture_output=True, text=True, check=False
    )
    if "No matching distribution found" in result.stderr:
        pytest.skip("pip finds no packages here, so that no environment can be made")
    assert result.returncode == 0, result.stderr
    assert "<html" in (copy / "hashlearn-demo.html").read_text()
