"""Clients are found or missed with a sentence; what fails or is interrupted is cancelled."""

import subprocess
import sys
import time

import numpy as np
import pytest

from hashlearn.distributed import DistributedHammingIndex, connect, evaluate
from hashlearn.distributed._client import extra, find_client, gather
from tests.distributed.conftest import random_codes
from tests.processes import alone

distributed = pytest.importorskip("distributed")

ELSEWHERE = """
import sys
import numpy as np
from hashlearn.distributed import DistributedHammingIndex, connect

with connect(sys.argv[1]) as client:
    index = DistributedHammingIndex(n_bits=8)
    index.add(np.arange(20, dtype=np.uint8)[:, None])
    print(index.search(np.array([[3]], dtype=np.uint8), k=4).ids.tolist())
"""


def test_a_scheduler_is_reached_by_its_address(cluster):
    codes = random_codes(20, 8)
    with connect(cluster.scheduler_address) as client:
        index = DistributedHammingIndex(8)
        index.add(codes)
        assert index.search(codes[:1], k=1).distances == 0
    assert client.status == "closed"
    assert cluster.scheduler.status is distributed.core.Status.running


@pytest.mark.slow
def test_another_program_reaches_the_scheduler(cluster):
    done = subprocess.run(
        [sys.executable, "-c", ELSEWHERE, cluster.scheduler_address],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "[[3, 1, 2, 19]]\n", done.stderr


WRONG_ADDRESSES = [
    "tcp://127.0.0.1:9",
    "tls://127.0.0.1:9",
    "ucx://127.0.0.1:9",
    "nonsense",
    "carrier-pigeon://a:1",
]


def seconds_to_refuse():
    """Return how long each wrong address took to be refused."""
    seconds = {}
    for address in WRONG_ADDRESSES:
        start = time.monotonic()
        with pytest.raises(ConnectionError, match=f"No Dask scheduler answers at '{address}'"):
            connect(address, timeout=1).__enter__()
        seconds[address] = time.monotonic() - start
    return seconds


def test_wrong_addresses_are_one_sentence_within_seconds():
    seconds = alone(seconds_to_refuse)
    assert max(seconds.values()) < 20, seconds


def test_an_error_without_text_is_told_by_its_kind(monkeypatch):
    def fail(*args, **options):
        raise TimeoutError

    monkeypatch.setattr(distributed, "rpc", fail)
    with pytest.raises(
        ConnectionError, match=r"answers at 'tcp://a:1' \(TimeoutError\); the address"
    ):
        connect("tcp://a:1").__enter__()


@pytest.mark.parametrize("address", [None, 8786, b"tcp://a:1"])
def test_an_address_is_a_string(address):
    with pytest.raises(TypeError, match=f"address must be a string, .* got {address!r}"):
        connect(address).__enter__()


def test_the_address_of_a_worker_is_told_from_a_schedulers(client):
    worker = next(iter(client.nthreads()))
    with pytest.raises(ConnectionError, match=f"a Dask worker is at '{worker}'"):
        connect(worker).__enter__()


@pytest.mark.slow
def test_a_program_with_a_wrong_address_says_nothing_else():
    code = (
        "from hashlearn.distributed import connect\n"
        "try:\n"
        "    connect('tcp://127.0.0.1:9', timeout=0.5).__enter__()\n"
        "except ConnectionError as error:\n"
        "    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("No Dask scheduler answers")
    assert done.stderr == ""


def test_without_a_client_the_error_says_how_to_get_one():
    with pytest.raises(ValueError, match=r'distributed.Client\("tcp://host:8786"\)'):
        DistributedHammingIndex(8)


def test_a_client_is_given_or_the_default_one(client):
    assert find_client() is client
    assert find_client(client) is client
    with pytest.raises(TypeError, match=r"client must be a distributed\.Client; got 'tcp://a:1'"):
        find_client("tcp://a:1")


def test_a_missing_package_is_named_with_its_extra():
    with pytest.raises(ImportError, match=r"pip install 'hashlearn\[dask\]'"):
        extra("dask.no_such_module")


def test_the_room_is_there_without_dask():
    code = (
        "import sys\n"
        "sys.modules.update(dict.fromkeys(['dask', 'distributed']))\n"
        "from hashlearn.distributed import encode\n"
        "try:\n"
        "    encode(None, None)\n"
        "except ImportError as error:\n"
        "    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "pip install 'hashlearn[dask]'" in done.stdout


def test_ctrl_c_cancels_what_runs(client, monkeypatch):
    def interrupted(futures):
        raise KeyboardInterrupt

    tasks = client.map(time.sleep, np.full(6, 0.2), pure=False)
    monkeypatch.setattr(client, "gather", interrupted)
    with pytest.raises(KeyboardInterrupt):
        gather(client, tasks)
    assert all(task.cancelled() for task in tasks)


def test_a_failure_cancels_the_other_tasks(client):
    tasks = client.map(divmod, [1, 2], [0, 1], pure=False)
    with pytest.raises(ZeroDivisionError):
        gather(client, tasks)
    assert all(task.cancelled() for task in tasks)


def test_shards_that_the_scheduler_forgot_are_missed_with_a_sentence(client):
    index = DistributedHammingIndex(8)
    index.add(random_codes(20, 8))
    client.cancel(index._shards.futures)
    with pytest.raises(RuntimeError, match="add the codes again"):
        index.search(random_codes(1, 8), k=1)


def test_a_scheduler_that_does_not_answer_any_more_is_missed_with_a_sentence(client, monkeypatch):
    def gone():
        raise ConnectionResetError

    monkeypatch.setattr(client, "nthreads", gone)
    codes, labels = random_codes(20, 8), np.arange(20)
    with pytest.raises(RuntimeError, match=r"scheduler is gone.* Start again"):
        evaluate(codes, codes, labels, labels)
    with pytest.raises(RuntimeError, match=r"scheduler is gone.* add the codes again"):
        DistributedHammingIndex(8).add(codes)


def test_a_closed_client_is_missed_with_a_sentence(cluster):
    with connect(cluster.scheduler_address):
        index = DistributedHammingIndex(8)
        index.add(random_codes(20, 8))
    with pytest.raises(RuntimeError, match="add the codes again"):
        index.search(random_codes(1, 8), k=1)
    with pytest.raises(RuntimeError, match="add the codes again"):
        index.add(random_codes(20, 8))


def test_ctrl_c_while_codes_are_added_cancels_the_shards(client, cluster, monkeypatch):
    def interrupted(futures):
        raise KeyboardInterrupt

    index = DistributedHammingIndex(8)
    monkeypatch.setattr(client, "gather", interrupted)
    with pytest.raises(KeyboardInterrupt):
        index.add(random_codes(20, 8))
    assert len(index) == 0
    end = time.monotonic() + 10
    while [key for key in cluster.scheduler.tasks if str(key).startswith("_make_shard")]:
        assert time.monotonic() < end
        time.sleep(0.02)
