"""Collections that all tests of the explorer may look at."""

import pytest

from hashlearn.explorer import digits_collection
from tests.explorer.small import learned_collection


@pytest.fixture(scope="session")
def collection():
    return learned_collection()


@pytest.fixture(scope="session")
def all_digits():
    """Return the collection that opens by default."""
    pytest.importorskip("PIL")
    return digits_collection()
