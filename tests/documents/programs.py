"""Commands of a document that are run without bash, by a process that has imported the library.

Each is a fork of that process, which itself was forked before the document was followed. Importing
takes longer than what most commands do.
"""

from __future__ import annotations

import atexit
import json
import os
import re
import shlex
import socket
import sys
import traceback

OF_BASH = re.compile(r"[$`|&;<>*?~(){}\[\]!]")  # what bash would not take as it stands
MOST = 1 << 20  # bytes of a request


class Programs:
    """The process that forks commands, from the moment that this is made."""

    def __init__(self) -> None:
        self._asking, answering = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        if os.fork() == 0:
            self._asking.close()
            _answer(answering)
        answering.close()

    @staticmethod
    def takes(command: str) -> bool:
        """Tell whether a command is this library's, and means the same without bash."""
        return command.startswith("hashlearn ") and OF_BASH.search(command) is None

    def run(self, command: str) -> tuple[int, str]:
        """Run a command here and now; return its exit code and what it prints."""
        output, end = os.pipe()
        request = [shlex.split(command, comments=True), dict(os.environ), os.getcwd()]
        socket.send_fds(self._asking, [json.dumps(request).encode()], [end])
        os.close(end)
        with open(output, encoding="utf-8") as printed:
            text = printed.read()
        return int(self._asking.recv(MOST)), text


def _answer(asked: socket.socket) -> None:
    """Fork a process for each request, until nobody can ask any more."""
    while True:
        request, files, _, _ = socket.recv_fds(asked, MOST, 1)
        if not request:
            os._exit(0)
        process = os.fork()
        if process == 0:
            asked.close()
            _run(*json.loads(request), files[0])
        os.close(files[0])
        _, status = os.waitpid(process, 0)
        asked.send(str(os.waitstatus_to_exitcode(status)).encode())


def _run(words: list[str], environment: dict[str, str], folder: str, output: int) -> None:
    """Be the program."""
    from hashlearn.cli.app import main

    code: object = 1
    try:
        os.dup2(output, 1)
        os.close(output)
        os.environ.clear()
        os.environ.update(environment)
        os.chdir(folder)
        sys.argv = words
        main()
        code = 0
    except SystemExit as stop:
        code = stop.code or 0
    except BaseException:
        traceback.print_exc()
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code if isinstance(code, int) else 1)
