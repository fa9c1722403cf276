"""Follow a document: run its visible blocks in order, in one folder, as a reader would.

Python blocks share one namespace, that of a program; `sh` blocks are run by bash, except the plain
commands of this library, and see nothing of the program but its files. A block after "Save this as
`NAME`:" is saved and not run. What a comment `# prints ...` or a block `text prints` says is
compared with what is printed. Run in a process of its own.
"""

from __future__ import annotations

import atexit
import io
import json
import os
import re
import subprocess
import sys
import time
import tomllib
import traceback
import warnings
from collections.abc import Callable
from contextlib import redirect_stdout
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest import mock

from tests.documents.blocks import Block, read_blocks
from tests.documents.not_run import check_instead_of
from tests.documents.programs import Programs
from tests.documents.servers import Servers
from tests.documents.stand_ins import stand_ins

PRINTS = re.compile(r"# prints (.+)$", flags=re.MULTILINE)
STOP_AT_WARNINGS = "error::UserWarning"


def follow(document: Path, folder: Path, log: Path, variables: dict[str, str]) -> None:
    """Run the blocks of a document; exit with 1, and a log that says why, if one fails."""
    with log.open("w") as output:
        for stream in (1, 2):
            os.dup2(output.fileno(), stream)
    os.setpgrp()  # so that all that it starts can be ended together
    os.chdir(folder)
    _prepare_environment(folder)
    os.environ.update(variables)
    programs = Programs()
    exit_code = 0
    try:
        with Servers() as servers:
            Follower(document, servers, programs).run()
        atexit._run_exitfuncs()  # the end of a program: clusters are closed
    except BaseException:
        exit_code = 1
        traceback.print_exc()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(exit_code)  # past what multiprocessing does to processes that are left


def _prepare_environment(folder: Path) -> None:
    """Find this installation's programs first, keep caches here, take warnings for errors."""
    programs = str(Path(sys.executable).parent)
    os.environ["PATH"] = os.pathsep.join([programs, os.environ["PATH"]])
    os.environ["HASHLEARN_CACHE"] = str(folder / "cache")
    os.environ["PYTHONWARNINGS"] = STOP_AT_WARNINGS
    os.environ["CURL_HOME"] = str(folder)
    (folder / "runtime").mkdir(mode=0o700)
    os.environ.setdefault("XDG_RUNTIME_DIR", str(folder / "runtime"))  # a session of a user has one
    (folder / ".curlrc").write_text("fail\n")  # an answer of 400 and above is an error
    warnings.simplefilter("error", UserWarning)


class Follower:
    """Runs one block after the other."""

    def __init__(self, document: Path, servers: Servers, programs: Programs) -> None:
        self.document, self.servers, self.programs = document, servers, programs
        program = ModuleType("__main__")  # what the document defines can be pickled by name
        sys.modules["__main__"] = program
        self.names: dict[str, Any] = program.__dict__
        self.printed = ""  # by the last block that was run
        self.terminal = dict(os.environ)
        sys.path.insert(0, "")  # as `python` does: what was saved here can be imported
        sys.modules.update(stand_ins(document.name))

    def run(self) -> None:
        """Run the document from the first block to the last."""
        work = {
            "python": self.python,
            "sh": self.sh,
            "console": self.console,
            "text": self.text,
            "json": lambda block: json.loads(block.code),
            "toml": lambda block: tomllib.loads(block.code),
        }
        begin = time.perf_counter()
        for block in read_blocks(self.document):
            where = f"{self.document.name}, line {block.line}, {block.language}"
            print(f"-- {where}, after {time.perf_counter() - begin:.1f} s", flush=True)
            if block.file:
                Path(block.file).write_text(block.code)
            else:
                work.get(block.language, lambda _: None)(block)

    def python(self, block: Block) -> None:
        """Run Python; the lines of a traceback are those of the document."""
        code = compile("\n" * block.line + block.code, self.document, "exec")
        output = io.StringIO()
        with redirect_stdout(output):
            exec(code, self.names)
        self.printed = output.getvalue()
        print(self.printed, flush=True)
        lines = iter(self.printed.splitlines())
        for said in PRINTS.findall(block.code):  # in this order, perhaps with others between
            assert said in lines, f"{said!r} was not printed"

    def text(self, block: Block) -> None:
        """Compare what a document says is printed, whatever ends its lines."""
        if block.prints:
            said, printed = (
                [line.rstrip() for line in text.rstrip().splitlines()]
                for text in (block.code, self.printed)
            )
            assert said == printed, f"line {block.line}: something else was printed"

    def sh(self, block: Block) -> None:
        """Run commands, except servers, which are started, and those that are not run."""
        gathered: list[str] = []
        self.printed = ""
        with mock.patch.dict(os.environ, self.terminal, clear=True):
            for command in block.code.replace("\\\n", "").splitlines():
                special = self._other_than_bash(command)
                if special is None:
                    gathered.append(command)
                else:
                    self._bash(gathered)
                    gathered = []
                    special()
            self._bash(gathered)

    def _other_than_bash(self, command: str) -> Callable[[], None] | None:
        """Return what a command starts, checks or runs without bash; None: bash runs it."""
        special = self.servers.starter(command) or check_instead_of(command)
        if special is None and self.programs.takes(command):
            return partial(self._program, command)
        return special

    def console(self, block: Block) -> None:
        """Check the commands of what was run elsewhere; what they printed is a record."""
        for command in re.findall(r"^\$ (.+)$", block.code, flags=re.MULTILINE):
            check = check_instead_of(command)
            assert check is not None, f"{command!r} can be run: write it as sh"
            check()

    def _program(self, command: str) -> None:
        code, printed = self.programs.run(command)
        self._show(printed)
        if code:
            raise subprocess.CalledProcessError(code, command)

    def _show(self, printed: str) -> None:
        self.printed += printed
        print(printed, flush=True)

    def _bash(self, commands: list[str]) -> None:
        if any(commands):
            bash = ["bash", "-euo", "pipefail", "-c", "\n".join(commands)]
            result = subprocess.run(bash, stdout=subprocess.PIPE, text=True, check=False)
            self._show(result.stdout)
            result.check_returncode()
