"""Registries: losses, inference methods, hash functions, methods and more by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Generic, TypeVar, cast

Entry = TypeVar("Entry")
Part = TypeVar("Part")
Registered = TypeVar("Registered")  # keeps its own type


class NameTable(Generic[Entry]):
    """Things of one kind, by name; `kind` is the name of the argument that accepts them."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self._entries: dict[str, Entry] = {}

    def register(self, name: str) -> Callable[[Registered], Registered]:
        """Return a decorator that registers a class or a function under `name`.

        A definition that is run again, as in a notebook, replaces itself.
        """

        def keep(entry: Registered) -> Registered:
            given = _full_name(entry)
            known = _full_name(self._entries.get(name, entry))
            if given != known:
                raise ValueError(
                    f"{self.kind} {name!r} is already registered, for {known}; choose another "
                    f"name for {given}."
                )
            self._entries[name] = cast("Entry", entry)
            return entry

        return keep

    def names(self) -> list[str]:
        """Return the registered names, in the order of registration."""
        return list(self._entries)

    def get(self, name: str) -> Entry:
        """Return what is registered under `name`."""
        if name not in self._entries:
            known = ", ".join(map(repr, self._entries))
            raise ValueError(f"{self.kind} must be one of {known}; got {name!r}.")
        return self._entries[name]


class Registry(NameTable[type[Part]], Generic[Part]):
    """The registered classes of one kind, by name; model files refer to them by it."""

    _known: ClassVar[list[Registry[Any]]] = []

    def __init__(self, kind: str) -> None:
        super().__init__(kind)
        Registry._known.append(self)

    @classmethod
    def known(cls) -> list[Registry[Any]]:
        """Return all registries created so far; model files look classes up in them."""
        return list(cls._known)

    def create(self, name: str, **params: Any) -> Part:
        """Create the part registered under `name`."""
        return self.get(name)(**params)

    def name_of(self, part: Part | type[Part]) -> str | None:
        """Return the name that a part or a class is registered under, or None."""
        cls = part if isinstance(part, type) else type(part)
        return next((name for name, known in self._entries.items() if known is cls), None)


def _full_name(entry: Any) -> str:
    """Return where a class or a function is defined, and its name there."""
    return f"{entry.__module__}.{entry.__qualname__}"
