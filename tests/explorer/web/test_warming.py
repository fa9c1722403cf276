"""Questions are warm for every kind of collection."""

import anyio
import numpy as np
import pytest

from hashlearn.explorer.answers.code_map import code_map
from hashlearn.explorer.answers.overview import overview
from hashlearn.explorer.web.app import create_app
from hashlearn.explorer.web.warming import warm_up
from tests.explorer.small import collection_of, learned_collection


def warm(collection):
    anyio.run(warm_up, create_app(collection), collection, "::1")


def test_what_takes_long_is_there_already():
    collection = learned_collection(30)
    warm(collection)
    n_kept = len(collection.answers)
    for method in collection.methods:
        overview(collection, method)
        code_map(collection, method)
    assert len(collection.answers) == n_kept == 6


@pytest.mark.parametrize("labels", [None, ["a", "b", ""], [[0, 0], [1, 1], [1, 0]]])
def test_labels_need_not_be_there(labels):
    warm(collection_of(np.eye(3, dtype=int), labels))


def test_one_item_is_enough():
    warm(collection_of([[1]], labels=["a"]))
