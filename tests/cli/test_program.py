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
from hashlearn.methods import LSHHasher
from tests.processes import Program

N_QUERIES = 8000


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Many codes to search for."""
    folder = tmp_path_factory.mktemp("program")
    codes = np.random.RandomState(0).randint(256, size=(N_QUERIES, 4)).astype(np.uint8)
    np.save(folder / "codes.npy", codes)
    index = HammingIndex(32)
    index.add(codes[:100])
    index.save(folder / "index")
    LSHHasher(8, random_state=0).fit(codes[:50] / 255).save(folder / "model")
    return folder


def test_a_closed_pipe_is_silent(folder):
    search = Program("search", "index", "codes.npy", "--json", folder=folder)
    first = search.stdout.readline()
    search.stdout.close()  # as `| head -1` does
    assert json.loads(first)["query"] == 0
    assert search.stderr.read() == ""
    search.process.join()
    assert search.process.exitcode == 0


@pytest.mark.parametrize(
    "words", [("info", "index"), ("info", "model"), ("search", "index", "codes.npy")]
)
def test_scikit_learn_is_not_imported_without_a_model(folder, words):
    script = (
        "import sys; from hashlearn.cli.app import app; app(standalone_mode=False); "
        "sys.exit('sklearn' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", script, *words], cwd=folder, check=True)


def test_results_and_progress_do_not_mix(folder):
    words = ["search", "index", "codes.npy", "--json", "-k", "1", "--progress"]
    code, out, err = Program(*words, folder=folder).finish()
    assert code == 0, err
    assert [json.loads(line)["query"] for line in out.splitlines()] == list(range(N_QUERIES))
    assert f"{N_QUERIES:,} of {N_QUERIES:,}" in err


def test_progress_on_a_terminal_leaves_results_whole(folder):
    pty = pytest.importorskip("pty")
    primary, secondary = pty.openpty()
    words = ["search", "index", "codes.npy", "--json", "-k", "1"]
    with (folder / "out.json").open("w") as out:
        outputs = {"stdout": out.fileno(), "stderr": secondary}
        search = Program(*words, folder=folder, prepare=be_an_xterm, **outputs)
    os.close(secondary)
    shown = b""
    while chunk := _read(primary):
        shown += chunk
    assert search.finish()[0] == 0
    os.close(primary)
    assert f"of {N_QUERIES:,}".encode() in shown
    lines = (folder / "out.json").read_text().splitlines()
    assert [json.loads(line)["query"] for line in lines] == list(range(N_QUERIES))


def be_an_xterm():
    os.environ["TERM"] = "xterm"


def _read(descriptor):
    """Return what is there; a closed terminal raises on Linux."""
    try:
        return os.read(descriptor, 4096)
    except OSError:
        return b""


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
    encode = Program("encode", model, folder / "large.npy", "--output", tmp_path / "codes.npy")
    while not list(tmp_path.iterdir()):  # writing has not begun
        assert encode.process.is_alive()
        time.sleep(0.01)
    encode.send_signal(stop)
    code, _, said = encode.finish()
    (folder / "large.npy").unlink()
    assert (code, said) == result
    assert not list(tmp_path.iterdir())
