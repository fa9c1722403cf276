"""Random numbers that are the same in every run."""

import numpy as np
import pytest


@pytest.fixture
def random():
    return np.random.default_rng(0)
