"""Processes of their own that need not import the library: one that has done so forks them."""

from __future__ import annotations

import multiprocessing
import os
import tracemalloc
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerProcess
from typing import Any, TextIO

PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload(
    ["hashlearn._public", "hashlearn.cli.app", "hashlearn.metrics", "sklearn.datasets", "pytest"]
)


@contextmanager
def speaking(
    function: Callable[..., None], *arguments: object
) -> Iterator[tuple[ForkServerProcess, TextIO]]:
    """Run a function in a process of its own; yield the process, and what it prints."""
    mine, its = PROCESSES.Pipe(duplex=False)
    process = PROCESSES.Process(target=_speak, args=(its, function, arguments))
    process.start()
    its.close()
    with mine, open(mine.fileno(), closefd=False) as printed:
        yield process, printed
    process.join()


def _speak(output: Connection, function: Callable[..., None], arguments: tuple[object]) -> None:
    os.dup2(output.fileno(), 1)
    output.close()
    function(*arguments)


def alone(function: Callable[..., Any], *arguments: object) -> Any:
    """Run a function in a process of its own, where nothing else counts; return its result."""
    with ProcessPoolExecutor(1, mp_context=PROCESSES) as executor:
        return executor.submit(function, *arguments).result()


def peak_memory(function: Callable[..., Any], *arguments: object) -> int:
    """Return the most bytes that a function had allocated, to be called in a process of its own."""
    tracemalloc.start()
    function(*arguments)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak
