"""Methods by name: one place says which to start with, and it learns from what there is."""

import numpy as np
import pytest

from hashlearn.base import METHODS
from hashlearn.methods import default_for, default_method, make_hasher

NORMAL = np.random.default_rng(0).normal(size=(400, 6))


def test_with_labels_the_default_learns_from_them():
    assert METHODS.get(default_method(labelled=True)).supervised


@pytest.mark.parametrize("n_features", [2, 6])
@pytest.mark.parametrize("n_bits", [2, 6, 7, 40])
def test_without_labels_the_default_learns_from_any_items(n_bits, n_features):
    name = default_method(labelled=False, n_bits=n_bits, n_features=n_features)
    assert not METHODS.get(name).supervised
    X = NORMAL[:, :n_features]
    assert make_hasher(name, n_bits=n_bits, random_state=0).fit(X).codes_.shape == (400, n_bits)


def test_what_is_said_of_defaults_is_what_they_are():
    given = [{"labelled": True}, {"labelled": False}, {"labelled": False, "n_features": 3}]
    defaults = [default_method(**words) for words in given]
    assert {name for name in METHODS.names() if default_for(name)} == set(defaults)
    assert default_for(defaults[0]).startswith("with labels")
    assert all(default_for(name).startswith("without labels") for name in defaults[1:])
