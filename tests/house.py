"""The rooms of the library and what their files define and import, read from the source."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "hashlearn"

# From left to right: a room imports from rooms before it, never from one behind it.
ROOMS = [
    "_version",
    "_registry",
    "_progress",
    "_numerics",
    "files",
    "_report",
    "search",
    "metrics",
    "affinity",
    "losses",
    "inference",
    "hash_functions",
    "base",
    "two_step",
    "methods",
    "items",
    "features",
    "datasets",
    "stores",
    "distributed",
    "comparison",
    "experiments",
    "explorer",
    "cli",
]
SHARED = ["_version", "_registry", "_progress", "_numerics", "_report"]  # private, and every room's
APPLICATIONS = ["experiments", "explorer", "cli"]  # public by what their __init__ offers


class Import(NamedTuple):
    """One imported module of the library, and the names taken from it."""

    importer: str
    module: str
    names: tuple[str, ...]


@cache
def modules() -> dict[str, ast.Module]:
    """Return the syntax tree of every module by its name below ``hashlearn``."""
    found = {}
    for path in sorted(SOURCE.rglob("*.py")):
        parts = path.relative_to(SOURCE).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        found[name] = ast.parse(path.read_text(encoding="utf-8"))
    return found


def room_of(module: str) -> str:
    return module.partition(".")[0]


def is_private(module: str) -> bool:
    return any(part.startswith("_") for part in module.split("."))


def imports_in(tree: ast.AST, importer: str = "") -> Iterator[Import]:
    """Yield the imports of the library in a syntax tree, those inside of functions too."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                package, _, module = alias.name.partition(".")
                if package == "hashlearn":
                    yield Import(importer, module, ())
        elif isinstance(node, ast.ImportFrom) and node.module:
            package, _, module = node.module.partition(".")
            if package == "hashlearn":
                yield from _from_import(importer, module, [alias.name for alias in node.names])


def _from_import(importer: str, module: str, names: list[str]) -> Iterator[Import]:
    plain = []
    for name in names:
        full = f"{module}.{name}".lstrip(".")
        if full in modules():
            yield Import(importer, full, ())
        else:
            plain.append(name)
    if plain:
        yield Import(importer, module, tuple(plain))


def all_imports() -> list[Import]:
    return [found for name, tree in modules().items() for found in imports_in(tree, name)]


def defined_in(tree: ast.Module) -> set[str]:
    """Return the public functions and classes that a module defines."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    names = {node.name for node in tree.body if isinstance(node, kinds)}
    return {name for name in names if not name.startswith("_")}


def offered_by(tree: ast.Module) -> set[str]:
    """Return the names in a module's ``__all__``."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__":
            return {element.value for element in node.value.elts}
    return set()


def wrong_way() -> list[str]:
    """Return the imports from a room on the right."""
    order = {room: place for place, room in enumerate(ROOMS)}
    return sorted(
        f"{found.importer} imports {found.module}"
        for found in all_imports()
        if room_of(found.importer) in order
        and room_of(found.module) in order
        and order[room_of(found.module)] > order[room_of(found.importer)]
    )


def trespassing() -> list[str]:
    """Return the imports of what is private to another room."""
    return sorted(
        f"{found.importer} imports {found.module}: {', '.join(found.names)}"
        for found in all_imports()
        if room_of(found.module) not in (*SHARED, room_of(found.importer))
        and (is_private(found.module) or any(_is_private_name(name) for name in found.names))
        and found.importer
    )


def _is_private_name(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def undocumented() -> list[str]:
    """Return what a public module of a library room defines and no room offers."""
    offered = {name for tree in modules().values() for name in offered_by(tree)}
    return sorted(
        f"{module}: {', '.join(sorted(missing))}"
        for module, tree in modules().items()
        if module and not is_private(module) and room_of(module) not in APPLICATIONS
        if (missing := defined_in(tree) - offered)
    )


def reference_rooms() -> list[str]:
    """Return the modules that the reference documents, as docs/conf.py lists them."""
    tree = ast.parse((ROOT / "docs" / "conf.py").read_text(encoding="utf-8"))
    (listed,) = (
        node.value
        for node in tree.body
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "reference_rooms"
    )
    return [name.partition("hashlearn")[2].lstrip(".") for name in ast.literal_eval(listed)]


def unlisted() -> list[str]:
    """Return the names that a room offers and no page of the reference documents."""
    listed = reference_rooms()
    documented = {name for room in listed for name in offered_by(modules()[room])}
    return sorted(
        f"{module}: {name}"
        for module, tree in modules().items()
        if not is_private(module) and not _is_inside_application(module)
        for name in offered_by(tree) - documented
    )


def _is_inside_application(module: str) -> bool:
    return "." in module and room_of(module) in APPLICATIONS


def not_public(tree: ast.AST) -> list[str]:
    """Return the imports of what is not a public name of the library."""
    return sorted(
        f"from hashlearn.{found.module} import {name or '...'}"
        for found in imports_in(tree)
        for name in found.names or ("",)
        if not _is_public(found.module, name)
    )


def _is_public(module: str, name: str) -> bool:
    if is_private(module) or module not in modules():
        return False
    return not name or name in offered_by(modules()[module])


if __name__ == "__main__":
    for law in (wrong_way, trespassing, undocumented, unlisted):
        broken = law()
        print(f"\n{law.__name__}: {len(broken)}")
        print("\n".join(broken))
