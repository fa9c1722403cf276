"""`hashlearn store` as a program: Ctrl-C, and a server that is lost."""

import json
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from typer.testing import CliRunner

from hashlearn.cli.app import app
from hashlearn.cli.explore._indexes import open_indexes
from hashlearn.stores import open_store
from hashlearn.stores.base import BATCH_SIZE
from tests.stores.servers import VectorServer, running

PROGRAM = [sys.executable, "-m", "hashlearn"]
SECONDS = 120  # after which a program that should have ended is taken to hang


@pytest.fixture
def many(tmp_path):
    """Return a file of far more codes than are pushed before a signal; a hole, not on disk."""
    n, width = 10**8, 8
    with (tmp_path / "many.npy").open("wb") as file:
        header = {"descr": "|u1", "fortran_order": False, "shape": (n, width)}
        np.lib.format.write_array_header_1_0(file, header)
        file.truncate(file.tell() + n * width)
    return tmp_path / "many.npy"


def count(address):
    """Return how many items a store has, 0 if it is not there yet."""
    with open_store(address) as store:
        return store.count() if store.exists() else 0


@pytest.mark.parametrize(
    ("engine", "package"),
    [pytest.param("lancedb", "lancedb", marks=pytest.mark.slow), ("sqlite", "sqlite_vec")],
)
def test_an_interrupted_push_keeps_whole_batches_and_says_so(many, tmp_path, engine, package):
    pytest.importorskip(package)
    address = f"{engine}:{tmp_path / 'codes'}"
    push = subprocess.Popen(
        [*PROGRAM, "store", "push", many, "--to", address], stderr=subprocess.PIPE, text=True
    )
    while not count(address):
        assert push.poll() is None
        time.sleep(0.1)
    push.send_signal(signal.SIGINT)
    _, said = push.communicate(timeout=SECONDS)
    assert push.returncode == 130
    told = re.fullmatch(
        r"hashlearn: Stopped; the first ([0-9,]+) items are stored; the same command "
        r"with --skip [0-9]+ continues\.\n",
        said,
    )
    assert told, said
    n_told, n_stored = int(told[1].replace(",", "")), count(address)
    assert n_stored in (n_told, n_told + BATCH_SIZE)
    assert n_stored % BATCH_SIZE == 0


def test_a_server_is_filled_searched_and_lost_without_its_password_shown(place, monkeypatch):
    monkeypatch.chdir(place.folder)
    shown = []

    def run(*words, exit_code=0):
        result = CliRunner().invoke(app, ["store", *words])
        shown.append(result.output)
        assert result.exit_code == exit_code, result.output
        return result

    with running(VectorServer) as server:
        monkeypatch.setenv("HASHLEARN_STORE", server.address)
        run("push", "digits.csv", "--model", "named.hashlearn", "--columns", "digit")
        assert json.loads(run("info", "--json").stdout)["items"] == 200
        assert "Built an index of 200 codes" in run("index").stderr
        lines = run("search", "codes.npy", "-k", "1", "--effort", "40", "--json").stdout
        assert [json.loads(line)["distances"] for line in lines.splitlines()] == [[0]] * 200
        (opened,) = open_indexes([server.address], ["items"], "digit", None, progress=None)
        assert opened.labels.tolist() == place.y.tolist()
        shown += [opened.title, opened.place]
        server.stop("immediate")
        lost = run("search", "codes.npy", exit_code=2).stderr
        assert lost.count("\n") == 1
        password = server.address.split(":")[2].partition("@")[0]
        for text in shown:
            assert server.password not in text
            assert password not in text
