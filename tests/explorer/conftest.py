"""A small collection that all tests of the explorer may look at."""

import pytest

from tests.explorer.small import learned_collection


@pytest.fixture(scope="session")
def collection():
    return learned_collection()
