"""The digits experiment: an honest split, and measures of what was searched."""

import numpy as np
import pytest

from hashlearn.experiments.digits import MEASURES, retrieve, split_digits
from hashlearn.metrics import Evaluation


class Labelled:
    """A hasher whose code is the pixels, thresholded: enough to be measured."""

    n_bits = 64

    def fit(self, X, y):
        self.seen = len(X)

    def encode(self, X):
        return np.packbits(X > 0.5, axis=1)


@pytest.mark.parametrize("seed", [0, 1])
def test_split_uses_every_item_once_and_trains_on_no_query(seed):
    split = split_digits(seed)
    ids = np.concatenate([split.queries.ids, split.database.ids])
    assert sorted(ids) == list(range(1797))
    assert set(split.training.ids) <= set(split.database.ids)
    assert split.database.X.dtype == np.float32
    assert split.database.X.max() == 1


def test_every_measure_is_one_of_the_evaluation():
    assert set(MEASURES) <= set(Evaluation._fields)


def test_search_finds_what_brute_force_finds():
    split = split_digits(0)
    result = retrieve("pixels", Labelled(), split)
    distances, positions = result.search(np.array([3, 5]), k=4)
    expected = ((split.queries.X[[3, 5], None] > 0.5) != (split.database.X[None] > 0.5)).sum(axis=2)
    np.testing.assert_array_equal(np.sort(expected, axis=1)[:, :4], distances)
    np.testing.assert_array_equal(np.take_along_axis(expected, positions, axis=1), distances)
    assert list(result.measures) == [measure.title for measure in MEASURES.values()]
    assert 0 < result.measures["MAP"] < 1
