"""What the rooms of the library offer, and where the reference has it.

A thing may be offered by several rooms (`hashlearn.HammingIndex` is `hashlearn.search`'s): its
home is the first of them in the list of rooms, and the reference has one page of it, there.
"""

from importlib import import_module
from typing import Any


def offered(room: str) -> list[str]:
    """Return the public names of a room."""
    return [name for name in import_module(room).__all__ if not name.startswith("__")]


def resolve(full_name: str) -> Any:
    """Return what a full name stands for."""
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
    """Return the home of every class by the name that docstrings use for it."""
    names = {name: name.rpartition(".")[2] for name in homes(rooms).values()}
    return {short: name for name, short in names.items() if isinstance(resolve(name), type)}
