"""The console that all commands print on."""

from __future__ import annotations

import os
from typing import Any

from rich.console import Console


def console(*, stderr: bool = False) -> Console:
    """Return a console; with NO_COLOR in the environment it prints plain text."""
    plain: dict[str, Any] = {"color_system": None} if os.environ.get("NO_COLOR") else {}
    return Console(stderr=stderr, highlight=False, **plain)
