"""Small sets, and comparisons on them that many tests look at."""

from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.datasets import load_digits

import hashlearn

compare = partial(hashlearn.compare, n_bits=(8, 16), max_time=None, n_jobs=1)


@pytest.fixture(scope="session")
def digits():
    X, y = load_digits(return_X_y=True)
    return SimpleNamespace(X=X[:300].astype(np.float32), y=y[:300])


@pytest.fixture(scope="session")
def neighbours(digits, tmp_path_factory):
    """Return a comparison without labels, the folder of its records, and its tasks."""
    folder, tasks = tmp_path_factory.mktemp("neighbours"), []
    comparison = compare(
        digits.X,
        methods=["itq", "lsh"],
        folder=folder,
        on_task=lambda seconds, text: tasks.append(text),
    )
    return SimpleNamespace(comparison=comparison, folder=folder, tasks=tasks)


@pytest.fixture(scope="session")
def labelled(tmp_path_factory):
    """Return a comparison with labels and classes kept out, and the folder of its records."""
    folder = tmp_path_factory.mktemp("labelled")
    X, y = load_digits(return_X_y=True)
    X, y = X[:700].astype(np.float32), y[:700]
    return SimpleNamespace(
        comparison=compare(X, y, methods=["itq-cca", "itq"], folder=folder), folder=folder, X=X, y=y
    )


@pytest.fixture(params=["neighbours", "labelled"])
def found(request):
    """Return each of the comparisons."""
    return request.getfixturevalue(request.param).comparison
