"""Documents name what is there, leave no gaps, and show what was measured."""

from __future__ import annotations

import importlib
import json
import re
import sys
import tomllib
from pathlib import Path

import pytest

from tests.documents.examples import read_examples

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
DOCUMENTS = [
    path for path in sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md")]) if "_build" not in path.parts
]


@pytest.fixture
def module_of_docs(monkeypatch):
    """Import what writes documents."""
    monkeypatch.syspath_prepend(str(DOCS))
    before = set(sys.modules)
    yield importlib.import_module
    for name in set(sys.modules) - before:  # `methods` of docs is not that of benchmarks
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(DOCS)):
            del sys.modules[name]


def name_of(path):
    return str(path.relative_to(ROOT))


def prose(path):
    """Return a document without its blocks."""
    return re.sub(r"^ *(```+|~~~+).*?\1$", "", path.read_text(), flags=re.DOTALL | re.MULTILINE)


def anchors(path):
    """Return what links to a document's headings are called."""
    headings = re.findall(r"^#+ (.+)$", prose(path), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("path", DOCUMENTS, ids=name_of)
def test_links_lead_somewhere(path):
    for link in re.findall(r"\]\((?!http)([^)]+)\)", prose(path)):
        name, _, anchor = link.partition("#")
        target = path.parent / name if name else path
        assert target.is_file(), link
        assert not anchor or anchor in anchors(target), link


@pytest.mark.parametrize("path", DOCUMENTS, ids=name_of)
def test_no_figure_is_missing(path):
    text = re.sub(r"`[^`]*`|\$[^$]*\$|<!--.*?-->", "", prose(path), flags=re.DOTALL)
    assert re.findall(r"\b[A-Z]+_[A-Z]+\b|\bTODO\b|\bTBD\b", text) == []


def test_the_table_of_extras_has_all_of_them():
    page = (DOCS / "start.md").read_text()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    for_users = project["optional-dependencies"].keys() - {"docs", "test", "bench"}
    assert set(re.findall(r"^\| `(\w+)` \|", page, flags=re.MULTILINE)) == for_users


@pytest.mark.parametrize(
    "path", [*DOCUMENTS, *sorted((ROOT / "examples").glob("*.py"))], ids=name_of
)
def test_extras_are_installed_by_the_same_command_everywhere(path):
    """It works in any folder once the library is installed; `.[...]` only works in one."""
    for words in re.findall(r"pip install .*\[.*", path.read_text()):
        assert re.match(r"pip install 'hashlearn\[[\w,]+\]'", words), words


@pytest.mark.parametrize("path", DOCUMENTS, ids=name_of)
def test_comments_hold_no_code(path):
    for comment in re.findall(r"<!--(.+?)-->", path.read_text(), flags=re.DOTALL):
        assert "\n" not in comment or comment.startswith(" {"), comment  # a directive


def test_examples_of_the_reference_import_what_they_use():
    modules = sorted((ROOT / "src").rglob("*.py"))
    examples = [(path.stem, example) for path in modules for example in read_examples(path)]
    assert len(examples) > 100
    assert [(stem, e.name, e.undefined) for stem, e in examples if e.undefined] == []


@pytest.mark.parametrize(
    ("code", "undefined"),
    [
        ("import numpy as np\nx = np.eye(2)", set()),
        ("x = np.eye(2)", {"np"}),
        ("def f(a):\n    return a + b\n", {"b"}),
        ("class A(B):\n    def g(self):\n        return h(self)\n", {"B", "h"}),
        ("print([i for i in range(3)], max(y))", {"y"}),
    ],
)
def test_a_name_that_an_example_does_not_define_is_noticed(code, undefined, tmp_path):
    lines = code.strip().splitlines()
    shown = "\n".join(("... " if line.startswith(" ") else ">>> ") + line for line in lines)
    (tmp_path / "module.py").write_text(f'"""A module.\n\n{shown}\n"""\n')
    assert [example.undefined for example in read_examples(tmp_path / "module.py")] == [undefined]


def test_every_picture_is_in_a_document():
    shown = "".join(path.read_text() for path in DOCUMENTS)
    pictures = [path for path in (DOCS / "images").rglob("*") if path.is_file()]
    assert pictures
    assert [name_of(path) for path in pictures if path.name not in shown] == []


def test_the_page_of_methods_is_what_the_registry_says(module_of_docs):
    module = module_of_docs("methods")
    assert module.PAGE.read_text() == module.page(), "run: python docs/methods.py"


def test_the_guide_shows_the_tradeoffs_that_were_measured(module_of_docs):
    module = module_of_docs("pictures_tradeoffs")
    page = module.PAGE.read_text()
    assert module.filled(page, module.tables(module.read())) == page, "run: python docs/pictures.py"


def test_guide_and_readme_show_the_embeddings_that_were_measured(module_of_docs):
    module = module_of_docs("pictures_embeddings")
    for path, text in module.texts().items():
        page = path.read_text()
        assert module.filled(page, text) == page, "run: python docs/pictures.py"


def test_the_guide_shows_the_choices_that_were_measured(module_of_docs):
    module = module_of_docs("pictures_choosing")
    page = module.PAGE.read_text()
    assert module.filled(page, module.text(module.read())) == page, "run: python docs/pictures.py"


def test_what_the_benchmark_of_tradeoffs_writes_can_be_shown(module_of_docs, tmp_path):
    import tradeoffs
    from data import generated

    X, y = generated(n=600, n_features=40)
    sizes = tradeoffs.Sizes(n_queries=20, n_database=300, per_class=10)
    chosen = [
        choice
        for choice in tradeoffs.choices([32])
        if choice.hash_function in ("linear-svm", None) or choice.loss == "splh"
    ]
    lines = [tradeoffs.measure(choice, X / 255, y, 0, sizes) for choice in chosen]
    (tmp_path / "lines.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))

    module = module_of_docs("pictures_tradeoffs")
    measured = module.read(tmp_path / "lines.jsonl")
    text = module.tables(measured)
    for line in lines:
        assert f"{line['mean_average_precision']:.3f}" in text
    assert re.search(r"^\| `splh` \| 0\.\d+", text, flags=re.MULTILINE)
    module.draw(measured, tmp_path)
    assert "<svg" in (tmp_path / "tradeoffs.svg").read_text()
