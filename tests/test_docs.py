"""Documents name what is there, and leave no gaps."""

import importlib.util
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])


def anchors(path):
    """Return what links to a document's headings are called."""
    headings = re.findall(r"^#+ (.+)$", path.read_text(), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(path):
    for link in re.findall(r"\]\((?!http)([^)]+)\)", path.read_text()):
        name, _, anchor = link.partition("#")
        target = path.parent / name if name else path
        assert target.is_file(), link
        assert not anchor or anchor in anchors(target), link


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_no_figure_is_missing(path):
    text = re.sub(r"```.*?```|`[^`]*`", "", path.read_text(), flags=re.DOTALL)
    assert re.findall(r"\b[A-Z]+_[A-Z]+\b|\bTODO\b|\bTBD\b", text) == []


def test_the_page_of_methods_is_what_the_registry_says():
    spec = importlib.util.spec_from_file_location("methods_page", ROOT / "docs" / "methods.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.PAGE.read_text() == module.page(), "run: python docs/methods.py"
