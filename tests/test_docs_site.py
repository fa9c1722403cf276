"""The documentation site builds without a warning, is complete, and needs nothing from outside.

Links, names and blocks of documents are checked in every run, by tests/test_docs.py,
tests/test_house.py and tests/test_docs_run.py; the site itself is built by `make test-all`.
"""

import fcntl
import importlib
import posixpath
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urldefrag

import pytest
from docutils import nodes
from sphinx.util.inventory import InventoryFile

import hashlearn
from hashlearn.datasets import DATASETS
from hashlearn.hash_functions import HASH_FUNCTIONS
from hashlearn.inference import INFERENCE, SOLVERS
from hashlearn.items import SUFFIXES
from hashlearn.losses import LOSSES
from hashlearn.methods import METHODS
from hashlearn.search.distances import DISTANCES
from tests.house import reference_rooms

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
BUILT = ("_build", "api/generated")  # folders of docs that are no sources
REGISTRIES = {
    "losses": [LOSSES],
    "inference": [INFERENCE, SOLVERS],
    "hash_functions": [HASH_FUNCTIONS],
    "methods": [METHODS],
    "datasets": [DATASETS],
    "search": [DISTANCES],
    "items": [SUFFIXES],
}


@pytest.fixture(scope="session")
def build(tmp_path_factory):
    """Return the folder of the built site and the log; workers of a parallel run build it once."""
    shared = tmp_path_factory.getbasetemp()
    shared = shared.parent if shared.name.startswith("popen-") else shared
    folder, log = shared / "site", shared / "site.log"
    with (shared / "site.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not log.exists():
            command = [sys.executable, "-m", "sphinx", "--fail-on-warning", "--keep-going"]
            command += ["--quiet", "-d", shared / "site-doctrees", DOCS, folder]
            result = subprocess.run(command, capture_output=True, text=True, check=False)
            log.write_text(f"{result.stderr}\nexit code {result.returncode}")
    return folder, log.read_text()


@pytest.fixture(scope="session")
def site(build):
    """Return the folder of the built site."""
    return build[0]


@cache
def pages(site):
    """Return the text of every page by its path."""
    return {path: path.read_text() for path in site.rglob("*.html")}


@pytest.fixture
def extension(monkeypatch):
    """Return how to import an extension of the site's."""
    monkeypatch.syspath_prepend(str(DOCS / "_ext"))
    return importlib.import_module


def test_make_docs_takes_warnings_as_errors():
    result = subprocess.run(
        ["make", "--dry-run", "docs"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert "--fail-on-warning" in result.stdout


@pytest.mark.slow  # a minute of Sphinx
def test_it_builds_without_a_warning(build):
    _, log = build
    assert log == "\nexit code 0"


@pytest.mark.slow  # a minute of Sphinx
def test_every_document_has_a_page_in_the_list_at_the_side(site):
    documents = [*DOCS.rglob("*.md"), *DOCS.rglob("*.rst")]
    names = {path.relative_to(DOCS).with_suffix(".html").as_posix() for path in documents}
    names = {name for name in names if not name.startswith(BUILT)}
    assert len(names) > 30
    listed = set(re.findall(r'<a class="[^"]*reference internal" href="([^"#]+)"', side(site)))
    assert names - {"index.html"} <= {posixpath.normpath(link) for link in listed}


def side(site):
    """Return the list of pages at the side of the home page."""
    text = (site / "index.html").read_text()
    return text.partition('<div class="sidebar-tree">')[2].partition("</aside>")[0]


@pytest.mark.slow  # a minute of Sphinx
def test_nothing_is_loaded_from_outside(site):
    loads = (
        r'<(?:script|link|img|iframe|source|video|audio|object)\b[^>]*?(?:src|href|data)="([^"]+)"'
    )
    found = [link for text in pages(site).values() for link in re.findall(loads, text)]
    assert len(found) > 1000
    assert [link for link in found if re.match(r"(https?:)?//", link)] == []
    for path in [*site.rglob("*.css"), *site.rglob("*.js")]:
        assert not re.search(
            r"(url\(|@import|import\(|fetch\()\s*['\"]?(https?:)?//", path.read_text()
        )


@pytest.mark.slow  # a minute of Sphinx
def test_every_link_leads_somewhere(site):
    ids = {path: set(re.findall(r'\bid="([^"]+)"', text)) for path, text in pages(site).items()}
    broken = []
    for path, text in pages(site).items():
        for link in set(re.findall(r'<a\b[^>]*\bhref="([^"]+)"', text)):
            if not re.match(r"[a-z]+:", link):
                name, anchor = urldefrag(unquote(link))
                target = (path.parent / name).resolve() if name else path
                if not target.is_file() or (anchor and anchor not in ids.get(target, {anchor})):
                    broken.append((path.name, link))
    assert broken == []


def rooms():
    """Return the modules that the reference has a page of."""
    return [f"hashlearn.{room}".rstrip(".") for room in reference_rooms()]


@pytest.mark.slow  # a minute of Sphinx
def test_every_public_name_is_in_the_reference(site):
    with (site / "objects.inv").open("rb") as file:
        inventory = InventoryFile.load(file, "", posixpath.join)
    known = {name for kind, names in inventory.items() if kind.startswith("py:") for name in names}
    public = {
        f"{module.__name__}.{name}"
        for module in map(importlib.import_module, rooms())
        for name in module.__all__
        if name != "__version__"
    }
    assert len(public) > 150
    assert public - known == set()


@pytest.mark.slow  # a minute of Sphinx
@pytest.mark.parametrize("room", REGISTRIES)
def test_the_reference_names_what_is_registered(room, site):
    text = (site / "api" / f"{room}.html").read_text()
    for registry in REGISTRIES[room]:
        for name in registry.names():
            entry = registry.get(name)
            if not entry.__module__.startswith("hashlearn."):
                continue  # another test's
            row = rf">{name}</span></code>.*?{entry.__name__}\b.*?</tr>"
            assert re.search(row, text, flags=re.DOTALL), name


@pytest.mark.slow  # a minute of Sphinx
def test_mathematics_needs_no_script(site):
    text = (site / "theory.html").read_text()
    prose = re.sub(r"<pre>.*?</pre>|<code.*?</code>", "", text, flags=re.DOTALL)
    assert prose.count("<math ") > 100
    assert not re.search(r"\$|\\(sum|frac|in)\b", prose)
    assert not re.search(r"<script[^>]*(mathjax|katex)", text, flags=re.IGNORECASE)


@pytest.mark.parametrize(
    ("formula", "part"),
    [
        (r"\tfrac12 x", "<mn>1</mn>\n    <mn>2</mn>"),
        (r"\bar s_{ij}", "<msub>"),
        (r"1, \dots, n", "…"),
        (r"\Big( x \Big)", "<mi>x</mi>"),
        (r"\{-1, 1\}^m", '<mo stretchy="false">}</mo>'),
        (r"\left\{ \frac{1}{x} \right\}", "<mo>}</mo>"),
    ],
)
def test_formulas_are_written_as_latex_means_them(formula, part, extension):
    assert part in extension("mathml").mathml(nodes.math(text=formula), as_block=False)


def test_a_formula_that_cannot_be_read_is_a_warning(extension, monkeypatch):
    module, told = extension("mathml"), []
    monkeypatch.setattr(module.logger, "warning", lambda *arguments, **_: told.append(arguments))
    assert (
        module.mathml(nodes.math(text=r"\nonsense <"), as_block=True)
        == r"<code>\nonsense &lt;</code>"
    )
    assert len(told) == 1


def test_a_directive_in_a_comment_is_one_and_other_comments_are_not(extension):
    text = "<!-- {toctree}\n:hidden:\n\nstart\n-->\n\n<!-- a note\nx = {1}\n-->\n"
    opened = "~~~{toctree}\n:hidden:\n\nstart\n~~~\n\n<!-- a note\nx = {1}\n-->\n"
    assert extension("as_on_github").as_page(text) == opened


def test_links_to_documents_beside_docs_lead_to_their_pages(extension):
    text = "[how](../../CONTRIBUTING.md#style), [what](../CHANGELOG.md), [else](../README.md)"
    inside = "[how](/contributing.md#style), [what](/changelog.md), [else](../README.md)"
    assert extension("as_on_github").as_page(text) == inside


def test_citations_name_this_version():
    assert f"version: {hashlearn.__version__}\n" in (ROOT / "CITATION.cff").read_text()
    assert f"version = {{{hashlearn.__version__}}}," in (DOCS / "cite.md").read_text()
