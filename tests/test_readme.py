"""README's examples run as they stand and show what they promise."""

from __future__ import annotations

import re

from tests.documents.blocks import read_blocks
from tests.documents.not_run import ROOT
from tests.documents.process import Followed, follow_apart

README = ROOT / "README.md"


def test_a_reader_finds_neighbours_in_python_and_on_the_command_line(tmp_path):
    followed = follow_apart(README, tmp_path)
    assert followed.exit_code == 0, followed.log
    assert "warning" not in followed.log
    check_embeddings(followed)
    check_digits(followed)
    check_mixed_example(followed)
    check_commands(followed)


def test_the_first_example_is_short():
    first = next(block for block in read_blocks(README) if block.language == "python")
    assert len([line for line in first.code.splitlines() if line]) <= 12


def test_five_commands_lead_from_a_table_to_search_results():
    programs = re.findall(r"^hashlearn (\w+) ", README.read_text(), flags=re.MULTILINE)
    assert programs[:5] == ["fit", "info", "evaluate", "index", "search"]


def check_embeddings(followed: Followed) -> None:
    """A question in plain words finds the functions that it asks for."""
    assert re.search(r"^\['rmdir', 'removedirs', '\w+'\]$", followed.log, flags=re.MULTILINE)


def check_digits(followed: Followed) -> None:
    """Most neighbours are right, and the model is kept."""
    share, summary = re.findall(r"^(0\.\d+)\n(.+)$", followed.log, flags=re.MULTILINE)[0]
    assert float(share) > 0.9
    assert "training items, 32 bits" in summary
    assert (followed.folder / "digits.hashlearn").is_file()


def check_mixed_example(followed: Followed) -> None:
    """The summary is that of the hasher above it."""
    assert re.search(r"32 bits, MixedHasher$", followed.log, flags=re.MULTILINE)
    assert re.search(r"^label bits +\d+ of 32", followed.log, flags=re.MULTILINE)


def check_commands(followed: Followed) -> None:
    """What the commands print is what a reader looks for."""
    perfect = r"\(a perfect ranking: [\d.]+\)"
    lines = {"training items": r"1,000", f"precision at 100 {perfect}": r"0\.(8[5-9]|9\d)\d*"}
    for name, value in lines.items():
        assert re.search(rf"^ ?{name} +{value} *$", followed.log, flags=re.MULTILINE), name
    found = re.findall(r"^ +\d+ +(?:\d+\s\(\d+\)\s+){5}$", followed.log, flags=re.MULTILINE)
    assert len(found) == 40  # by the index, and by the store
    assert "777 more queries" in followed.log
    assert (followed.folder / "digits.index").is_file()
