"""Markdown that is readable on GitHub, as pages of the site.

A comment that starts with a directive's name in braces is that directive::

    <!-- {toctree}
    start
    -->

A link to a document outside of `docs` is changed to the page that includes it.
"""

import re
from typing import Any

from sphinx.application import Sphinx

COMMENT = re.compile(r"^<!-- (\{[a-z-]+\}.*?)\n?-->$", flags=re.DOTALL | re.MULTILINE)
BESIDE = re.compile(r"\]\((?:\.\./)+(CHANGELOG|CONTRIBUTING)\.md")


def as_page(text: str) -> str:
    """Return Markdown with directives instead of comments, and with links inside the site."""
    text = COMMENT.sub(r"~~~\1\n~~~", text)
    return BESIDE.sub(lambda match: f"](/{match[1].lower()}.md", text)


def read(app: Sphinx, name: str, source: list[str]) -> None:
    """Convert the source of a Markdown page."""
    if app.env.doc2path(name).suffix == ".md":
        source[0] = as_page(source[0])


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the hook."""
    app.connect("source-read", read)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
