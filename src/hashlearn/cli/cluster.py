"""Commands that work on a Dask cluster instead of this machine."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def cluster(address: str | None) -> Iterator[Any]:
    """Connect to a scheduler as long as a command works; None: to none."""
    if address is None:
        yield None
        return
    from hashlearn.distributed import connect

    with _no_logs(), connect(address) as client:
        yield client


@contextmanager
def _no_logs() -> Iterator[None]:
    """Keep Dask's threads from logging tracebacks: the command says what went wrong."""
    level = logging.root.manager.disable
    logging.disable()
    try:
        yield
    finally:
        logging.disable(level)
