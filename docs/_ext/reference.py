"""The reference, from `__all__` of the modules and from the registries.

`.. room:: hashlearn.losses` is a table of the public names of a module, and `.. registered::
hashlearn.losses.LOSSES` one of the names in a registry. `reference_rooms` lists the modules.
"""

import inspect
import re
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst.directives import flag
from docutils.statemachine import StringList
from public_names import homes, offered, resolve, short_names
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.environment import BuildEnvironment
from sphinx.ext.autosummary import Autosummary
from sphinx.util.docutils import SphinxDirective
from stubs import FOLDER, write_stubs

CITATION = re.compile(r" \[[\w-]+\]_")
TYPE_LINE = re.compile(r"^([\w, ]+ : )(.*)$")


class Room(Autosummary):
    """A table of a module's names, with their pages in the contents.

    With the option `own`, only of those that no previous module in the list has.
    """

    required_arguments = 1
    has_content = False
    option_spec: ClassVar[dict[str, Any]] = {"own": flag}

    def run(self) -> list[nodes.Node]:
        """Return the table and a hidden table of contents."""
        room = self.arguments[0]
        home = homes(self.config.reference_rooms)
        full_names = {name: home[f"{room}.{name}"] for name in offered(room)}
        own = [name for name, full_name in full_names.items() if full_name == f"{room}.{name}"]
        rows = [name if name in own else f"~{full_names[name]}" for name in full_names]
        self.content = StringList(own if "own" in self.options else rows, source=room)
        self.env.ref_context["py:module"] = room
        return [*super().run(), *self.contents([full_names[name] for name in own])]

    def contents(self, names: list[str]) -> list[nodes.Node]:
        """Return the table of contents of the names whose pages belong here."""
        lines = [".. toctree::", "   :hidden:", "", *(f"   /{FOLDER}/{name}" for name in names)]
        return self.parse_text_to_nodes("\n".join(lines))

    def get_items(self, names: list[str]) -> list[tuple[str, str | None, str, str]]:
        """Return the rows of the table, each with the whole first line of its docstring."""
        return [
            (name, signature, first_line(resolve(target)), target)
            for name, signature, _, target in super().get_items(names)
        ]


class Registered(SphinxDirective):
    """A table of the names in a registry and their classes."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return the table."""
        table = resolve(self.arguments[0])
        home = {id(resolve(name)): name for name in homes(self.config.reference_rooms).values()}
        lines = [".. list-table::", "   :header-rows: 1", "   :widths: auto", ""]
        lines += ["   * - name", "     - stands for", "     - in a sentence"]
        for name in table.names():
            entry = table.get(name)
            lines += [f"   * - ``{name}``", f"     - :py:obj:`~{home[id(entry)]}`"]
            lines += [f"     - {first_line(entry)}"]
        return self.parse_text_to_nodes("\n".join(lines))


def first_line(thing: Any) -> str:
    """Return the first line of a docstring."""
    return CITATION.sub("", (inspect.getdoc(thing) or "").partition("\n")[0])


def skip_foreign(app: Sphinx, what: str, name: str, thing: Any, skip: bool, options: Any) -> bool:
    """Leave out members inherited from other libraries, which document them."""
    module = getattr(getattr(thing, "fget", thing), "__module__", None) or ""
    return skip or not module.startswith("hashlearn")


def escape_types(
    app: Sphinx, what: str, name: str, thing: Any, options: Any, lines: list[str]
) -> None:
    """Escape names such as `n_features_in_` in types: a final _ would mark a link."""
    for number, line in enumerate(lines):
        if match := TYPE_LINE.match(line):
            lines[number] = match[1] + re.sub(r"_(?=\W)", r"\\_", match[2])


def link_types(app: Sphinx, config: Config) -> None:
    """Link the names of our classes, and no other words, in the types of arguments."""
    config.numpydoc_xref_aliases_complete = short_names(config.reference_rooms)


def add_aliases(app: Sphinx, env: BuildEnvironment) -> None:
    """Make every public name referable, also if another module is its home."""
    objects = env.domains.python_domain.objects
    for name, home in homes(app.config.reference_rooms).items():
        if home in objects:  # otherwise a warning has been issued
            objects.setdefault(name, objects[home]._replace(aliased=True))


def setup(app: Sphinx) -> dict[str, Any]:
    """Register directives and hooks."""
    app.add_config_value("reference_rooms", [], "env", list)
    app.add_directive("room", Room)
    app.add_directive("registered", Registered)
    app.connect("config-inited", link_types, priority=900)  # after numpydoc
    app.connect("builder-inited", write_stubs)
    app.connect("autodoc-skip-member", skip_foreign)
    app.connect("autodoc-process-docstring", escape_types, priority=100)  # before numpydoc
    app.connect("env-updated", add_aliases)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
