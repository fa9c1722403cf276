"""Processes of their own that need not import the library: one that has done so forks them."""

from __future__ import annotations

import multiprocessing
import os
import sys
import tracemalloc
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerProcess
from typing import Any, TextIO

PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload(
    [
        *("hashlearn._public", "hashlearn.cli.app", "hashlearn.explorer.web.server"),
        *("hashlearn.metrics", "sklearn.datasets", "pytest"),
    ]
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


class Program:
    """The command `hashlearn` as a process of its own, with outputs that can be read.

    `stdout` and `stderr` are file descriptors in place of pipes; `prepare` is called in the
    process before the command.
    """

    def __init__(
        self,
        *words: object,
        folder: str | os.PathLike[str] = ".",
        stdout: int | None = None,
        stderr: int | None = None,
        prepare: Callable[[], None] | None = None,
    ) -> None:
        self.stdout, out = _output(stdout)
        self.stderr, error = _output(stderr)
        arguments = list(map(str, words)), os.fspath(folder), out, error, prepare
        self.process = PROCESSES.Process(target=_run_program, args=arguments)
        self.process.start()
        out.close()
        error.close()

    def send_signal(self, number: int) -> None:
        assert self.process.pid is not None
        os.kill(self.process.pid, number)

    def finish(self, timeout: float = 120) -> tuple[int | None, str, str]:
        """Return the exit code and what is left of both outputs."""
        said = self.stdout.read(), self.stderr.read()
        self.process.join(timeout)
        self.stdout.close()
        self.stderr.close()
        return self.process.exitcode, *said


def _output(given: int | None) -> tuple[TextIO, Connection]:
    """Return what can be read of an output here, and what a process writes to."""
    if given is not None:
        return open(os.devnull), Connection(os.dup(given), readable=False)
    reader, writer = os.pipe()
    return open(reader), Connection(writer, readable=False)


def _run_program(
    words: list[str],
    folder: str,
    stdout: Connection,
    stderr: Connection,
    prepare: Callable[[], None] | None,
) -> None:
    os.chdir(folder)
    for connection, descriptor in ((stdout, 1), (stderr, 2)):
        os.dup2(connection.fileno(), descriptor)
        connection.close()
    sys.argv = ["hashlearn", *words]
    if prepare is not None:
        prepare()
    from hashlearn.cli.app import main

    main()


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
