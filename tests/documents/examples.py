"""The examples of docstrings, and the names in them that nothing visible defines."""

from __future__ import annotations

import ast
import builtins
import doctest
from collections.abc import Iterator
from pathlib import Path
from symtable import SymbolTable, symtable
from typing import NamedTuple

DOCUMENTED = ast.Module | ast.ClassDef | ast.FunctionDef


class Example(NamedTuple):
    """The example of a class or a function: whose it is, its code, and the names it lacks."""

    name: str
    code: str
    undefined: set[str]


def read_examples(path: Path) -> Iterator[Example]:
    """Yield the examples of a module."""
    source = path.read_text(encoding="utf-8")
    for node in ast.walk(ast.parse(source)) if ">>>" in source else ():
        text = ast.get_docstring(node) if isinstance(node, DOCUMENTED) else None
        if text and ">>>" in text:
            code = "".join(one.source for one in doctest.DocTestParser().get_examples(text))
            name = getattr(node, "name", path.stem)
            yield Example(name, code, _undefined(symtable(code, name, "exec")))


def _undefined(program: SymbolTable) -> set[str]:
    """Return the names that a program uses and does not define."""
    defined = {s.get_name() for s in program.get_symbols() if s.is_assigned() or s.is_imported()}
    return _global_names(program) - defined - set(dir(builtins))


def _global_names(table: SymbolTable) -> set[str]:
    """Return the names that a program, or a function in it, looks up in the program."""
    whole = table.get_type() == "module"
    own = {
        s.get_name() for s in table.get_symbols() if s.is_referenced() and (whole or s.is_global())
    }
    return own.union(*map(_global_names, table.get_children()))
