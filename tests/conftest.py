"""What several rooms' tests share: real data where it is, and settings."""

from __future__ import annotations

import os
import runpy
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from hypothesis import settings

settings.register_profile("hashlearn", deadline=None, derandomize=True, max_examples=30)
settings.load_profile("hashlearn")
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it

collect_ignore = ["typed_use.py"]  # checked, never run: it would register its parts

DATA = Path(os.environ.get("HASHLEARN_DATA", Path(__file__).parents[2] / "shared" / "data"))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--shuffle", type=int, metavar="SEED", help="run files and tests in any order")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Shuffle the files, and the tests in each: no test may count on another before it."""
    seed = config.getoption("--shuffle")
    if seed is not None:
        random = Random(seed)
        files = {item.path: random.random() for item in items}
        items.sort(key=lambda item: (files[item.path], random.random()))


@pytest.fixture(scope="session")
def data_folder() -> Path:
    if not DATA.is_dir():
        pytest.skip(f"needs the real data sets: HASHLEARN_DATA is not set and {DATA} is missing")
    return DATA


@pytest.fixture(scope="session")
def cifar10_release(data_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Return a folder with CIFAR-10's official binary files, unpacked for these tests."""
    pytest.importorskip("PIL")
    folder = tmp_path_factory.mktemp("cifar10")
    runpy.run_path(str(data_folder / "read_cifar10.py"))["main"](folder)
    yield folder
    shutil.rmtree(folder)  # 180 megabytes
