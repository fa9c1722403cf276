"""Where files are kept that can be made again."""

from __future__ import annotations

import os
from pathlib import Path


def cache_folder() -> Path:
    """Return `$HASHLEARN_CACHE`, else `$XDG_CACHE_HOME/hashlearn`, else `~/.cache/hashlearn`."""
    if own := os.environ.get("HASHLEARN_CACHE"):
        return Path(own).expanduser()
    return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "hashlearn"
