"""The rules of the house: rooms import to their left, public names are documented."""

import ast
import re
from collections import Counter

import pytest

from tests import house
from tests.documents.blocks import read_blocks

DOCUMENTS = [
    path
    for path in [*house.ROOT.glob("*.md"), *(house.ROOT / "docs").rglob("*.md")]
    if "_build" not in path.parts
]
EXAMPLES = sorted((house.ROOT / "examples").glob("*.py"))
MAP = house.ROOT / "CONTRIBUTING.md"


def test_every_module_is_in_a_room():
    top = {house.room_of(module) for module in house.modules()} - {"", "__main__", "_public"}
    assert top == set(house.ROOMS)


def test_rooms_import_only_from_their_left():
    assert house.wrong_way() == []


def test_no_room_imports_what_is_private_to_another():
    assert house.trespassing() == []


def test_every_public_name_is_documented():
    assert house.undocumented() == []
    assert house.unlisted() == []


@pytest.mark.parametrize("path", [*DOCUMENTS, *EXAMPLES], ids=lambda path: path.name)
def test_documents_and_examples_import_public_names(path):
    text = path.read_text(encoding="utf-8")
    codes = [text]
    if path.suffix == ".md":
        codes = [block.code for block in read_blocks(path) if block.language == "python"]
    assert [wrong for code in codes for wrong in house.not_public(ast.parse(code))] == []


def test_no_room_is_crowded():
    files = [path for path in house.SOURCE.rglob("*.py") if path.name != "__init__.py"]
    crowded = Counter(str(path.parent) for path in files)
    assert {name: n for name, n in crowded.items() if n > 24} == {}


def test_files_that_the_map_names_exist():
    named = re.findall(r"`((?:[\w.]+/)*[\w.]+(?:/|\.py))`", MAP.read_text(encoding="utf-8"))
    assert len(named) > 20
    places = [house.ROOT, house.SOURCE]
    assert [name for name in named if not any((place / name).exists() for place in places)] == []


def test_the_map_shows_every_room_in_order():
    shown = re.findall(r"^  (\w+)/? ", MAP.read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert [name for name in shown if name in house.ROOMS] == house.ROOMS
