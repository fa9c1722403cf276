"""The navigation of the site, without the hundreds of names of the reference.

Inside the reference the current module is expanded; elsewhere only modules are listed.
"""

from typing import Any

from sphinx.application import Sphinx


def shorten(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Limit the navigation of the theme: all pages would be long to read and to build."""
    if whole := context.get("toctree"):
        less = {"collapse": True} if page.startswith("api/") else {"maxdepth": 2}
        context["toctree"] = lambda **options: whole(**{**options, **less})


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the hook, before the theme's own."""
    app.connect("html-page-context", shorten, priority=100)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
