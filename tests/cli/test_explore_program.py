"""`hashlearn explore` as a program: it answers when it says so, and ends when it is told to."""

import json
import signal
import socket
import threading
import urllib.request
from functools import partial

import numpy as np
import pytest

from hashlearn import HammingIndex
from hashlearn.explorer.web import server
from tests.processes import Program

WORDS = ["explore", "--no-open", "--port", "0", "--index", "plain.index"]
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
    program = Program(*WORDS, folder=folder)
    address = program.stdout.readline().strip()
    with urllib.request.urlopen(f"{address}api/search?method=plain&item=1", timeout=60) as answer:
        assert len(json.load(answer)["hits"]) == 30
    idle = socket.create_connection(("127.0.0.1", int(address.rstrip("/").split(":")[-1])))
    program.send_signal(stop)
    *result, err = program.finish(SECONDS)
    idle.close()
    assert result == [code, ""]
    assert "Traceback" not in err
    assert err.endswith(said or "Ctrl-C stops it.\n")


def be_busy_and_be_interrupted():
    server.serve = partial(serve, KeyboardInterrupt())


def be_busy_and_be_terminated():
    server.serve = partial(serve, SystemExit(143))


def serve(stop, *parts):
    threading.Thread(target=threading.Event().wait).start()  # work that never ends
    raise stop


@pytest.mark.parametrize(
    ("prepare", "result"),
    [(be_busy_and_be_interrupted, (130, "", STOPPED)), (be_busy_and_be_terminated, (143, "", ""))],
)
def test_it_does_not_wait_for_work_under_way(folder, prepare, result):
    assert Program(*WORDS, folder=folder, prepare=prepare).finish(SECONDS) == result
