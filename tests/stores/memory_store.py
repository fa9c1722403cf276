"""The store of docs/extending/store.md, as its reader saves it, and without its name.

It proves the shared suite, and serves where a test wants a store that is no database.
"""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest

from hashlearn.stores import STORES, Store

PAGE = Path(__file__).parents[2] / "docs" / "extending" / "store.md"
BEGIN = "Save this as `memory_store.py`:\n\n```python\n"


def load_page() -> ModuleType:
    """Run the page's module; its name is forgotten, for other tests list the names that are."""
    before, source = PAGE.read_text(encoding="utf-8").split(BEGIN)
    lines_before = "\n" * (before + BEGIN).count("\n")  # tracebacks show the page's lines
    module = sys.modules["memory_store_of_page"] = ModuleType("memory_store_of_page")
    code = compile(lines_before + source.split("```")[0], PAGE, "exec")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(STORES, "_entries", {})
        exec(code, module.__dict__)
    return module


MemoryStore: type[Store] = load_page().MemoryStore
