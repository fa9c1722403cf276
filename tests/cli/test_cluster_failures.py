"""With --scheduler a worker that dies costs a retry; all else that fails is one sentence."""

import json
import logging
import os
import signal
import subprocess
import sys
import threading
from functools import partial
from pathlib import Path

import pytest

from hashlearn.cli._shared import cluster as shared
from hashlearn.distributed import connect
from tests.cli.clusters import LABELS, OPTIONS, make_blocks_small
from tests.distributed.stalling import stall_in, wait_for_process
from tests.processes import Program

distributed = pytest.importorskip("distributed")

NOBODY = "tcp://127.0.0.1:1"
ELSEWHERE = f"""
import sys
from distributed import Client, LocalCluster
from tests.distributed.stalling import stall_in

if __name__ == "__main__":
    with LocalCluster(**{OPTIONS}) as cluster, Client(cluster) as client:
        client.run(stall_in, "hashlearn.base", "BaseHasher", "encode", sys.argv[1])
        print(cluster.scheduler_address, flush=True)
        sys.stdin.read()
"""


@pytest.fixture(scope="module")
def cluster():
    """Start two worker processes, whose deaths are not logged."""
    with distributed.LocalCluster(silence_logs=logging.CRITICAL + 1, **OPTIONS) as cluster:
        yield cluster


@pytest.fixture
def stalling(cluster, tmp_path):
    """Make a worker stall in the first block; yield the cluster's address, and a folder."""
    folder = tmp_path / "stalling"
    folder.mkdir()
    with distributed.Client(cluster) as client:
        client.wait_for_workers(2, timeout=60)
        client.run(stall_in, "hashlearn.base", "BaseHasher", "encode", str(folder))
    return cluster.scheduler_address, folder


def kill_the_stalled(folder):
    os.kill(wait_for_process(folder), signal.SIGKILL)


def run_while_one_dies(run, stalling, *words):
    """Run a command on the cluster, whose worker is killed in the first block."""
    address, folder = stalling
    killer = threading.Thread(target=kill_the_stalled, args=(folder,))
    killer.start()
    result = run(*words, "--scheduler", address)
    killer.join()
    assert (folder / "begun").exists()  # a worker did stall
    return result


@pytest.mark.slow
def test_encode_outlives_a_worker(run, stalling, tmp_path, monkeypatch):
    make_blocks_small(monkeypatch)
    here, there = tmp_path / "here.npy", tmp_path / "there.npy"
    words = ("encode", "plain.hashlearn", "queries.npy", "-o")
    run(*words, here)
    run_while_one_dies(run, stalling, *words, there)
    assert there.read_bytes() == here.read_bytes()


@pytest.mark.slow
def test_evaluate_outlives_a_worker(run, stalling, monkeypatch):
    make_blocks_small(monkeypatch)
    words = ("evaluate", "plain.hashlearn", "queries.npy", "digits.npy", *LABELS, "--json")
    there = json.loads(run_while_one_dies(run, stalling, *words).stdout)
    assert there | {"n_known": 0} == json.loads(run(*words).stdout)  # it does not look for them


@pytest.mark.slow
def test_an_interrupt_ends_the_work_and_leaves_the_old_file(place, stalling, tmp_path):
    address, folder = stalling
    output = tmp_path / "codes.npy"
    output.write_bytes(b"old")
    files = (place.folder / "plain.hashlearn", place.folder / "queries.npy", "-o", output)
    program = Program("encode", *files, "--scheduler", address)
    worker = wait_for_process(folder)
    program.send_signal(signal.SIGINT)
    code, _, said = program.finish(timeout=30)
    os.kill(worker, signal.SIGKILL)  # it would sleep on
    assert code == 130, said
    assert said == "hashlearn: Stopped; nothing was left half-written.\n"
    assert output.read_bytes() == b"old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["codes.npy", "stalling"]


@pytest.mark.slow
def test_a_scheduler_that_is_killed_is_one_sentence(place, tmp_path):
    folder = tmp_path / "stalling"
    folder.mkdir()
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    script = tmp_path / "elsewhere.py"
    script.write_text(ELSEWHERE)
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    command = [sys.executable, str(script), str(folder)]
    with subprocess.Popen(
        command, text=True, start_new_session=True, env=environment, **pipes
    ) as elsewhere:
        address = elsewhere.stdout.readline().strip()
        files = (place.folder / "plain.hashlearn", place.folder / "queries.npy")
        program = Program("encode", *files, "-o", tmp_path / "c.npy", "--scheduler", address)
        wait_for_process(folder)
        os.killpg(elsewhere.pid, signal.SIGKILL)
        code, _, said = program.finish(timeout=60)
    assert code == 2, said
    assert said.startswith("hashlearn: The scheduler is gone")
    assert said.count("\n") == 1
    assert not (tmp_path / "c.npy").exists()


def test_a_scheduler_that_does_not_answer_any_more_is_one_sentence(
    fail, cluster, tmp_path, monkeypatch
):
    def gone(client):
        logging.getLogger("distributed.client").critical("a traceback")
        raise ConnectionResetError

    monkeypatch.setattr(distributed.Client, "nthreads", gone)
    words = ("plain.hashlearn", "queries.npy", "-o", tmp_path / "codes.npy")
    said = fail("encode", *words, "--scheduler", cluster.scheduler_address)
    assert said.startswith("hashlearn: The scheduler is gone")
    assert "Start again" in said
    assert not logging.root.manager.disable  # others log as before


@pytest.mark.parametrize(
    "words",
    [
        ("encode", "plain.hashlearn", "queries.npy", "--output", "new.npy"),
        ("evaluate", "plain.hashlearn", "queries.npy", "digits.npy", *LABELS),
    ],
)
@pytest.mark.parametrize("address", [NOBODY, "no address"])
def test_an_address_without_scheduler_is_told(fail, monkeypatch, words, address):
    monkeypatch.setattr(shared, "connect", partial(connect, timeout=0.2))
    assert f"No Dask scheduler answers at '{address}'" in fail(*words, "--scheduler", address)


def test_without_the_extra_the_command_names_it(fail, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    words = ("plain.hashlearn", "queries.npy", "--output", "new.npy", "--scheduler", NOBODY)
    assert "pip install 'hashlearn[dask]'" in fail("encode", *words)
