"""What several rooms' tests share: real data where it is, and settings."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("hashlearn", deadline=None, derandomize=True, max_examples=30)
settings.load_profile("hashlearn")

DATA = Path(os.environ.get("HASHLEARN_DATA", Path(__file__).parents[2] / "shared" / "data"))


@pytest.fixture(scope="session")
def data_folder() -> Path:
    if not DATA.is_dir():
        pytest.skip(f"needs the real data sets: HASHLEARN_DATA is not set and {DATA} is missing")
    return DATA
