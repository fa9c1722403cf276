"""Margins of queries on one scale."""

import numpy as np
import pytest
from sklearn.datasets import load_digits

from hashlearn import load
from tests.methods.quick import quick

X, Y = load_digits(return_X_y=True)
METHODS = {"bre": None, "bres": None, "imh": None, "ksh": 2.0, "cghash": 2.0, "mlh": 2.0}


@pytest.mark.parametrize("name", METHODS)
def test_margins_of_queries_are_divided_by_their_mean_size(name, tmp_path):
    hasher = quick(name, n_bits=8)
    hasher.fit(X[:200], *([Y[:200]] if hasher.supervised else []))
    margins = hasher.decision_function(X[:300])
    sizes = np.abs(margins[:200]).mean(axis=0)
    np.testing.assert_allclose(hasher.margin_sizes_, sizes, rtol=1e-5)
    expected = margins / sizes
    if METHODS[name]:
        expected = np.tanh(METHODS[name] * expected)
    queries = hasher.encode_queries(X[:300])
    np.testing.assert_allclose(queries.weights, np.abs(expected), rtol=1e-5)
    np.testing.assert_array_equal(queries.codes, hasher.encode(X[:300]))
    hasher.save(tmp_path / "model")
    stored = load(tmp_path / "model")
    np.testing.assert_array_equal(stored.encode_queries(X[:9]).weights, queries[:9].weights)
    del stored.margin_sizes_  # as in files of earlier versions
    old = stored.encode_queries(X[:9])
    np.testing.assert_allclose(old.weights, np.abs(margins[:9]), rtol=1e-6)
