"""Servers that a document starts: they run until its end, and are ended as a reader would."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from functools import partial
from urllib.request import urlopen

PROGRAM = re.compile(r"hashlearn explore\b(?P<options>.*?)&?\s*(#.*)?")
ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+")
PATIENCE = 120  # seconds, of a machine that is busy with other tests
MOST = 1 << 20  # bytes of what it said
STOPPED = (0, 130)  # exit codes after Ctrl-C


class Servers:
    """The explorer, one at a time: a document that starts another one has closed the last."""

    def __enter__(self) -> Servers:
        self._process: subprocess.Popen[bytes] | None = None
        self._files = ExitStack()
        return self

    def __exit__(self, *_: object) -> None:
        with self._files:
            self.stop()

    def starter(self, command: str) -> Callable[[], None] | None:
        """Return what starts the explorer, if that is what a command does."""
        found = PROGRAM.fullmatch(command.strip())
        if found is None or "--help" in command:
            return None
        return partial(self.start, found["options"])

    def start(self, options: str) -> None:
        """Start the explorer, and wait until it answers."""
        self.stop()
        self._output = self._files.enter_context(tempfile.TemporaryFile())  # noqa: SIM115
        self._process = subprocess.Popen(
            ["bash", "-c", f"exec hashlearn explore{options}"],
            stdout=self._output,
            stderr=self._output,
            env={**os.environ, "BROWSER": "true"},  # a page that opens by itself stays closed
        )
        self._wait()

    def stop(self) -> None:
        """Press Ctrl-C."""
        if self._process is None:
            return
        self._process.send_signal(signal.SIGINT)
        code = self._process.wait(PATIENCE)
        self._process = None
        assert code in STOPPED, f"exit code {code} after Ctrl-C: {self._said()}"

    def _said(self) -> str:
        return os.pread(self._output.fileno(), MOST, 0).decode()

    def _wait(self) -> None:
        """Ask for the collection until it comes."""
        assert self._process is not None
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            assert self._process.poll() is None, f"the explorer ended: {self._said()}"
            if address := ADDRESS.search(self._said()):
                with suppress(OSError), urlopen(f"{address[0]}/api/collection") as answer:
                    assert json.load(answer)["n_items"] > 0
                    return
            time.sleep(0.1)
        raise AssertionError(f"the explorer did not answer: {self._said()}")
