"""Public names of the modules, and their pages in the reference.

A name may be public in several modules (`hashlearn.HammingIndex` is from `hashlearn.search`): its
home is the first of them in the list of modules, which has its only page.
"""

from importlib import import_module
from typing import Any


def offered(room: str) -> list[str]:
    """Return the public names of a module."""
    return [name for name in import_module(room).__all__ if not name.startswith("__")]


def resolve(full_name: str) -> Any:
    """Return the object of a full name."""
    room, _, name = full_name.rpartition(".")
    return getattr(import_module(room), name)


def homes(rooms: list[str]) -> dict[str, str]:
    """Return the home of every public name, both as full names."""
    first: dict[tuple[str, int], str] = {}
    found = {}
    for room in rooms:
        for name in offered(room):
            full_name = f"{room}.{name}"
            found[full_name] = first.setdefault((name, id(resolve(full_name))), full_name)
    return found


def short_names(rooms: list[str]) -> dict[str, str]:
    """Return the home of every class by its short name in docstrings."""
    names = {name: name.rpartition(".")[2] for name in homes(rooms).values()}
    return {short: name for name, short in names.items() if isinstance(resolve(name), type)}
