"""`hashlearn explore` as a program: it answers when it says so, and ends when it is told to."""

import json
import signal
import socket
import subprocess
import sys
import urllib.request

import numpy as np
import pytest

from hashlearn import HammingIndex

PROGRAM = [sys.executable, "-m", "hashlearn", "explore", "--no-open", "--port", "0"]
BUSY = """
import sys, threading
from hashlearn.cli.app import main
from hashlearn.explorer.web import server

def serve(*parts):
    threading.Thread(target=threading.Event().wait).start()  # work that never ends
    STOP

server.serve = serve
main()
"""
SECONDS = 120  # after which a program that should have ended is taken to hang
STOPPED = "hashlearn: Stopped; nothing was left half-written.\n"


@pytest.fixture
def folder(tmp_path):
    """Return a folder with an index."""
    index = HammingIndex(16)
    index.add(np.random.default_rng(0).integers(0, 256, (40, 2)).astype(np.uint8))
    index.save(tmp_path / "plain.index")
    return tmp_path


@pytest.mark.parametrize(
    ("stop", "code", "said"),
    [
        (signal.SIGINT, 130, STOPPED),
        (signal.SIGTERM, 143, ""),
    ],
)
def test_it_answers_when_it_says_so_and_ends_when_told(folder, stop, code, said):
    program = subprocess.Popen(
        [*PROGRAM, "--index", "plain.index"],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    address = program.stdout.readline().strip()
    with urllib.request.urlopen(f"{address}api/search?method=plain&item=1", timeout=60) as answer:
        assert len(json.load(answer)["hits"]) == 30
    idle = socket.create_connection(("127.0.0.1", int(address.rstrip("/").split(":")[-1])))
    program.send_signal(stop)
    out, err = program.communicate(timeout=SECONDS)
    idle.close()
    assert (program.returncode, out) == (code, "")
    assert "Traceback" not in err
    assert err.endswith(said or "Ctrl-C stops it.\n")


@pytest.mark.parametrize(
    ("stop", "code", "said"),
    [
        ("raise KeyboardInterrupt", 130, STOPPED),
        ("sys.exit(143)", 143, ""),
    ],
)
def test_it_does_not_wait_for_work_under_way(folder, stop, code, said):
    words = ["explore", "--no-open", "--port", "0", "--index", "plain.index"]
    ended = subprocess.run(
        [sys.executable, "-c", BUSY.replace("STOP", stop), *words],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (code, "", said)
