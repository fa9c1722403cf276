"""Names for parts: every loss, inference method, hash function and method has one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Generic, TypeVar

Part = TypeVar("Part")


class Registry(Generic[Part]):
    """The registered classes of one kind, by name.

    Parameters
    ----------
    kind : str
        What is registered, as users know it: the name of the argument that takes it.

    Examples
    --------
    >>> fruits = Registry("fruit")
    >>> @fruits.register("apple")
    ... class Apple: ...
    >>> fruits.names()
    ['apple']
    >>> fruits.create("pear")
    Traceback (most recent call last):
    ValueError: fruit='pear' is not known; it takes one of 'apple'.
    """

    _known: ClassVar[list[Registry[Any]]] = []

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self._classes: dict[str, type[Part]] = {}
        Registry._known.append(self)

    @classmethod
    def known(cls) -> list[Registry[Any]]:
        """Return every registry made so far: model files look classes up there."""
        return list(cls._known)

    def register(self, name: str) -> Callable[[type[Part]], type[Part]]:
        """Return a class decorator that registers the class under `name`."""

        def keep(cls: type[Part]) -> type[Part]:
            if name in self._classes:
                raise ValueError(f"{self.kind} {name!r} is registered already.")
            self._classes[name] = cls
            return cls

        return keep

    def names(self) -> list[str]:
        """Return the registered names, in the order of registration."""
        return list(self._classes)

    def get(self, name: str) -> type[Part]:
        """Return the class registered under `name`."""
        if name not in self._classes:
            known = ", ".join(map(repr, self._classes))
            raise ValueError(f"{self.kind}={name!r} is not known; it takes one of {known}.")
        return self._classes[name]

    def create(self, name: str, **params: Any) -> Part:
        """Build the part registered under `name`."""
        return self.get(name)(**params)

    def name_of(self, part: Part | type[Part]) -> str | None:
        """Return the name that a part or a class is registered under, if any."""
        cls = part if isinstance(part, type) else type(part)
        return next((name for name, known in self._classes.items() if known is cls), None)
