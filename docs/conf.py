"""Sphinx configuration of the documentation site: make docs."""

import sys
from pathlib import Path

import hashlearn

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "hashlearn"
author = "the hashlearn developers"
copyright = f"2026, {author}"  # noqa: A001  the name is Sphinx's
version = release = hashlearn.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "as_on_github",
    "mathml",
    "navigation",
    "reference",
]
exclude_patterns = ["_build"]
highlight_language = "text"  # of blocks without a language
smartquotes = False  # quotes in docstrings are Python's
nitpicky = True  # a broken reference is an error, except to modules that are not in it
nitpick_ignore_regex = [("py:.*", r"hashlearn\.experiments\..*")]

# Markdown
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 4  # page.md#heading, as on GitHub

# The reference
reference_rooms = [
    "hashlearn",
    "hashlearn.base",
    "hashlearn.two_step",
    "hashlearn.methods",
    "hashlearn.affinity",
    "hashlearn.losses",
    "hashlearn.inference",
    "hashlearn.hash_functions",
    "hashlearn.search",
    "hashlearn.search.distances",
    "hashlearn.metrics",
    "hashlearn.datasets",
    "hashlearn.features",
    "hashlearn.files",
    "hashlearn.items",
    "hashlearn.stores",
    "hashlearn.distributed",
    "hashlearn.comparison",
    "hashlearn.experiments",
    "hashlearn.explorer",
]
default_role = "code"  # `y` in a docstring is an argument, not a link
autosummary_generate = False  # docs/_ext/stubs.py writes the pages
autodoc_typehints = "none"  # types are in the docstrings
autodoc_member_order = "bysource"
numpydoc_show_class_members = False  # autodoc lists them
numpydoc_xref_param_type = True  # classes in types are links,
numpydoc_xref_ignore = "all"  # other words are not

# Appearance
html_theme = "furo"
html_title = f"hashlearn {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_favicon = "_static/hashlearn.svg"
html_logo = "_static/hashlearn.svg"
pygments_dark_style = "github-dark"
html_math_renderer = "mathml"
html_copy_source = False
html_show_sourcelink = False
