"""The commands as programs among others: pipes, terminals, Ctrl-C."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from hashlearn import HammingIndex

PROGRAM = [sys.executable, "-m", "hashlearn"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Many codes to search for."""
    folder = tmp_path_factory.mktemp("program")
    codes = np.random.RandomState(0).randint(256, size=(20_000, 4)).astype(np.uint8)
    np.save(folder / "codes.npy", codes)
    index = HammingIndex(32)
    index.add(codes[:100])
    index.save(folder / "index")
    return folder


def test_a_closed_pipe_is_silent(folder):
    words = ["search", "index", "codes.npy", "--json"]
    search = subprocess.Popen(
        [*PROGRAM, *words], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    first = search.stdout.readline()
    search.stdout.close()  # as `| head -1` does
    assert json.loads(first)["query"] == 0
    assert search.stderr.read() == ""
    assert search.wait() != 0


def test_results_and_progress_do_not_mix(folder):
    words = ["search", "index", "codes.npy", "--json", "-k", "1", "--progress"]
    done = subprocess.run(
        [*PROGRAM, *words], cwd=folder, capture_output=True, text=True, check=True
    )
    assert [json.loads(line)["query"] for line in done.stdout.splitlines()] == list(range(20_000))
    assert "20,000 of 20,000 rows" in done.stderr


def test_progress_on_a_terminal_leaves_results_whole(folder):
    pty = pytest.importorskip("pty")
    primary, secondary = pty.openpty()
    with (folder / "out.json").open("w") as out:
        search = subprocess.Popen(
            [*PROGRAM, "search", "index", "codes.npy", "--json", "-k", "1"],
            cwd=folder,
            stdout=out,
            stderr=secondary,
            env={**os.environ, "TERM": "xterm"},
        )
        os.close(secondary)
        shown = b""
        while chunk := _read(primary):
            shown += chunk
        assert search.wait() == 0
    os.close(primary)
    assert b"rows" in shown
    lines = (folder / "out.json").read_text().splitlines()
    assert [json.loads(line)["query"] for line in lines] == list(range(20_000))


STOPPED = "hashlearn: Stopped; nothing was left half-written.\n"


@pytest.mark.parametrize(
    ("stop", "result"), [(signal.SIGINT, (130, STOPPED)), (signal.SIGTERM, (143, ""))]
)
def test_a_stop_in_the_middle_of_writing_leaves_no_file(place, folder, tmp_path, stop, result):
    n, width = 10_000_000, 64  # far more than is encoded before the signal; a hole, not on disk
    with (folder / "large.npy").open("wb") as file:
        header = {"descr": "<f4", "fortran_order": False, "shape": (n, width)}
        np.lib.format.write_array_header_1_0(file, header)
        file.truncate(file.tell() + 4 * n * width)
    model = place.folder / "plain.hashlearn"
    words = ["encode", model, folder / "large.npy", "--output", tmp_path / "codes.npy"]
    encode = subprocess.Popen([*PROGRAM, *words], stderr=subprocess.PIPE, text=True)
    while not list(tmp_path.iterdir()):  # writing has not begun
        assert encode.poll() is None
        time.sleep(0.01)
    encode.send_signal(stop)
    _, said = encode.communicate()
    (folder / "large.npy").unlink()
    assert (encode.returncode, said) == result
    assert not list(tmp_path.iterdir())


def _read(descriptor):
    """Return what is there; a closed terminal raises on Linux."""
    try:
        return os.read(descriptor, 4096)
    except OSError:
        return b""
