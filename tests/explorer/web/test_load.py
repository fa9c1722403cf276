"""Many clients at once: the short twin of benchmarks/explorer_load.py."""

import asyncio
import sys

import numpy as np
import pytest

import explorer_load
from explorer_load import MIX, Client, explorer, load, memory_of
from hashlearn import HammingIndex

N_ITEMS, N_BITS = 5_000, 32
N_CLIENTS, SECONDS = 50, 2
GROWTH_MB = 100


@pytest.fixture(scope="module")
def words(tmp_path_factory):
    """Write two indexes of random codes, labels and pictures; return the options to open them."""
    folder = tmp_path_factory.mktemp("load")
    chance = np.random.default_rng(0)
    np.save(folder / "labels.npy", chance.integers(0, 10, N_ITEMS))
    np.save(folder / "images.npy", chance.integers(0, 256, (N_ITEMS, 8, 8)).astype(np.uint8))
    words = ["--labels", folder / "labels.npy", "--images", folder / "images.npy"]
    for name in ("one", "two"):
        index = HammingIndex(N_BITS)
        index.add(chance.integers(0, 256, (N_ITEMS, N_BITS // 8)).astype(np.uint8))
        index.save(folder / f"{name}.index")
        words += ["--index", folder / f"{name}.index"]
    return words


@pytest.mark.slow  # its short twin: test_fifty_clients_at_once_get_the_answers_of_one
@pytest.mark.skipif(sys.platform != "linux", reason="reads memory from /proc")
def test_fifty_clients_meet_no_error_and_memory_stays(words):
    with explorer(words) as (process, address):
        asyncio.run(load(address, N_CLIENTS, SECONDS / 3))
        before = memory_of(process.pid)[1]
        latencies, errors = asyncio.run(load(address, N_CLIENTS, SECONDS))
        grown = memory_of(process.pid)[1] - before
    assert errors == []
    assert set(latencies) == set(MIX)
    assert grown < GROWTH_MB


def test_a_server_that_hangs_is_an_error(monkeypatch):
    async def ask_in_vain():
        async with await asyncio.start_server(lambda *_: None, "127.0.0.1", 0) as server:
            client = await Client().open(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/")
            monkeypatch.setattr(explorer_load, "ANSWER_SECONDS", 0.01)
            with pytest.raises(TimeoutError):  # an OSError, which is what a load counts
                await client.get("/")
            client.writer.close()

    asyncio.run(ask_in_vain())
