"""Which classes a model file may hold, and under which names.

A file names its classes, and only classes registered in the running program are ever built:
nothing is imported because a file says so. Every class in a :class:`~hashlearn._registry.Registry`
is storable as ``kind:name`` (``hash_function:linear-svm``), so a new loss, hash function or
method needs nothing beyond its registration. Anything else that is part of a fitted hasher is
marked by :func:`storable` and stored as ``class:name``.
"""

from __future__ import annotations

from typing import Any

from hashlearn._registry import Registry

STORABLE: Registry[Any] = Registry("class")
storable = STORABLE.register


def name_of_class(cls: type) -> str | None:
    """Return the name that a model file uses for a class, or None if it cannot hold it.

    Examples
    --------
    >>> parts = Registry("example part")
    >>> @parts.register("small")
    ... class Small: ...
    >>> name_of_class(Small)
    'example part:small'
    >>> name_of_class(dict)
    """
    for registry in Registry.known():
        name = registry.name_of(cls)
        if name is not None:
            return f"{registry.kind}:{name}"
    return None


def class_of_name(full_name: str) -> type | None:
    """Return the class that a model file names ``kind:name``, or None if there is none.

    Examples
    --------
    >>> class_of_name("loss:no such loss")
    """
    kind, _, name = full_name.partition(":")
    for registry in Registry.known():
        if registry.kind == kind and name in registry.names():
            return registry.get(name)
    return None
