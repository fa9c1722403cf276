"""Sources of the pages of the reference, one per public name, written before each build."""

from pathlib import Path
from types import ModuleType
from typing import Any

from public_names import homes, resolve
from sphinx.application import Sphinx

from hashlearn._registry import NameTable

FOLDER = "api/generated"


def documenter(thing: Any) -> list[str]:
    """Return the name and the options of the directive that documents an object."""
    if isinstance(thing, ModuleType):
        return ["automodule", ":members:"]
    if isinstance(thing, type) and issubclass(thing, BaseException):
        return ["autoexception"]
    if isinstance(thing, type):
        return ["autoclass", ":members:", ":inherited-members:", ":special-members: __call__"]
    return ["autofunction"] if callable(thing) else ["autodata", ":no-value:"]


def stub(full_name: str) -> str:
    """Return the source of a name's page."""
    room, _, name = full_name.rpartition(".")
    thing = resolve(full_name)
    directive, *options = documenter(thing)
    lines = [name, "=" * len(name), "", f".. currentmodule:: {room}", ""]
    documented = full_name if isinstance(thing, ModuleType) else name
    lines += [f".. {directive}:: {documented}", *(f"   {option}" for option in options)]
    if isinstance(thing, NameTable):
        lines += ["", f".. registered:: {full_name}"]
    return "\n".join(lines) + "\n"


def write_stubs(app: Sphinx) -> None:
    """Write the pages of all names, and remove those of removed names."""
    folder = Path(app.srcdir, FOLDER)
    folder.mkdir(exist_ok=True)
    names = set(homes(app.config.reference_rooms).values())
    pages = {folder / f"{name}.rst": stub(name) for name in names}
    for path in set(folder.iterdir()) - set(pages):
        path.unlink()
    for path, text in pages.items():
        if not path.is_file() or path.read_text() != text:  # unchanged files are not read again
            path.write_text(text)
