"""A server that is told to stop ends, whatever is being computed."""

import signal
import subprocess
import sys

import pytest

from tests.explorer.web.test_capacity import TSNE, WAIT, waiting

# As the command does: a map is asked for that is never done.
PROGRAM = """
import signal, sys
from threading import Event
from hashlearn.explorer.web.routes import search
from hashlearn.explorer.web.server import leave, listen, serve
from tests.explorer.web.conftest import digits_of

def never_by_tsne(*question):
    if question[3] != "tsne":  # the server warms up
        return real(*question)
    print("begun", flush=True)
    Event().wait()

real, search.code_map = search.code_map, never_by_tsne
signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
with listen("127.0.0.1", 0) as listening:
    port = listening.getsockname()[1]
    try:
        serve(digits_of(20), listening, on_ready=lambda: print(port, flush=True))
    except KeyboardInterrupt:
        print("stopped")
        leave(130)
    except SystemExit as exit:
        print("stopped")
        leave(exit.code)
"""


@pytest.mark.slow  # tests/cli/test_explore_program.py has a short twin
@pytest.mark.parametrize(
    ("signals", "code"),
    [([signal.SIGINT, signal.SIGINT], 130), ([signal.SIGINT], 130), ([signal.SIGTERM], 143)],
)
def test_a_server_ends_while_a_map_is_being_drawn(signals, code):
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        port = int(process.stdout.readline())
        with waiting(port, TSNE.format(4)):
            assert process.stdout.readline() == "begun\n"
            for one in signals:
                process.send_signal(one)
            told, errors = process.communicate(timeout=WAIT)
    finally:
        process.kill()
    assert (process.returncode, told, errors) == (code, "stopped\n", "")
