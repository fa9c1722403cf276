"""Codes of every method, loss, hash function and inference, on small data: bits must not change.

``python -m tests.codes.recorded`` writes them again, after a change of bits that is meant.
"""

import platform
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numba
import numpy as np
import scipy
import scipy.sparse as sp
import sklearn
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_info, threadpool_limits

from hashlearn import TwoStepHasher, make_hasher
from hashlearn.base import METHODS
from hashlearn.hash_functions import HASH_FUNCTIONS
from hashlearn.inference import INFERENCE, SOLVERS
from hashlearn.losses import LOSSES

FILE = Path(__file__).with_name("codes.npz")
N_TRAIN, N_NEW = 150, 40

Case = Callable[[], np.ndarray]


@cache
def digits() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    X, y = load_digits(return_X_y=True)
    X = X / 16
    return X[:N_TRAIN], y[:N_TRAIN], X[N_TRAIN : N_TRAIN + N_NEW]


@cache
def blobs(dtype: str = "float32") -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return generated items in seven classes of unequal sizes, far from the origin."""
    random = np.random.default_rng(7)
    y = random.integers(0, 7, N_TRAIN + N_NEW) * random.integers(0, 2, N_TRAIN + N_NEW)
    X = random.normal(size=(7, 12))[y] + random.normal(scale=0.7, size=(N_TRAIN + N_NEW, 12)) + 3
    X = X.astype(dtype)
    return X[:N_TRAIN], y[:N_TRAIN], X[N_TRAIN:]


@cache
def label_sets() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return generated items with up to five labels each, some with none."""
    random = np.random.default_rng(8)
    Y = (random.random((N_TRAIN + N_NEW, 5)) < 0.3).astype(int)
    X = Y @ random.normal(size=(5, 10)) + random.normal(scale=0.4, size=(N_TRAIN + N_NEW, 10))
    return X[:N_TRAIN], Y[:N_TRAIN], X[N_TRAIN:]


@cache
def some_pairs() -> sp.csr_array:
    """Return a third of the pairs of the digits, the others undefined."""
    y = digits()[1]
    random = np.random.default_rng(9)
    defined = np.triu(random.random((N_TRAIN, N_TRAIN)) < 1 / 3, 1)
    signs = np.where(y[:, None] == y[None], 1.0, -1.0) * defined
    return sp.csr_array(signs + signs.T)


def codes_of(hasher: Any, data: Any, **fit: Any) -> np.ndarray:
    X, y, new = data
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        hasher.fit(X, **{"y": None if "affinity" in fit else y, **fit})
    return hasher.encode(new)


def two_step(data: Any = None, fit: Any = None, **params: Any) -> np.ndarray:
    parameters = {"n_bits": 12, "hash_function": "linear-svm", "random_state": 0, **params}
    return codes_of(TwoStepHasher(**parameters), digits() if data is None else data, **(fit or {}))


def cases() -> Iterator[tuple[str, Case]]:
    """Yield the name of every case and what computes its packed codes of new items."""
    for name, case in _cases():
        # eigenvectors of repeated eigenvalues depend on the threads of the matrix library
        yield name, threadpool_limits.wrap(1, user_api="blas")(case)


def _cases() -> Iterator[tuple[str, Case]]:
    for name in METHODS.names():
        for data in (digits, blobs):
            yield (
                f"method {name} {data.__name__}",
                lambda name=name, data=data: codes_of(
                    make_hasher(name, n_bits=7, random_state=0), data()
                ),
            )
    for name in [name for name in METHODS.names() if METHODS.get(name).supervised]:
        yield (
            f"method {name} label_sets",
            lambda name=name: codes_of(make_hasher(name, n_bits=4, random_state=0), label_sets()),
        )
    pairs = {"affinity": some_pairs()}
    for loss in LOSSES.names():
        yield f"loss {loss} labels", lambda loss=loss: two_step(loss=loss)
        yield f"loss {loss} ungrouped", lambda loss=loss: two_step(loss=loss, group=False)
        yield f"loss {loss} pairs", lambda loss=loss: two_step(loss=loss, fit=pairs)
        yield (
            f"loss {loss} neighbours",
            lambda loss=loss: two_step(loss=loss, fit={"affinity": None}),
        )
        yield f"loss {loss} label_sets", lambda loss=loss: two_step(label_sets(), loss=loss)
    for name in HASH_FUNCTIONS.names():
        for dtype in ("float32", "float64"):
            yield (
                f"hash_function {name} {dtype}",
                lambda name=name, dtype=dtype: two_step(blobs(dtype), hash_function=name),
            )
    yield "classifier", lambda: two_step(hash_function=LogisticRegression())
    yield "stagewise", lambda: two_step(stagewise=True, hash_function="boosted-trees", n_bits=5)
    weights = {"sample_weight": np.arange(N_TRAIN) % 3}
    yield "sample_weight", lambda: two_step(fit=weights)
    yield "sample_weight label_sets", lambda: two_step(label_sets(), fit=weights)
    yield "sample_weight pairs", lambda: two_step(fit={**weights, **pairs})
    yield "partial_fit", _in_two_batches
    for name in [*INFERENCE.names(), *SOLVERS.names()]:
        for loss in ("laplacian",) if name == "eigenmap" else ("ksh", "hinge"):
            given = {"inference": name, "loss": loss}
            yield f"inference {name} {loss} labels", lambda given=given: two_step(**given)
            yield (
                f"inference {name} {loss} pairs",
                lambda given=given: two_step(**given, fit=pairs),
            )


def _in_two_batches() -> np.ndarray:
    X, y, new = digits()
    hasher = TwoStepHasher(n_bits=12, hash_function="linear-svm", random_state=0)
    old = (y < 8) & (np.arange(N_TRAIN) < N_TRAIN // 2)
    return hasher.fit(X[old], y[old]).partial_fit(X[~old], y[~old]).encode(new)


def environment() -> str:
    """Return what the rounding of sums depends on, and so a few bits."""
    libraries = {m.__name__: m.__version__ for m in (np, scipy, sklearn, numba)}
    blas = {info.get("architecture", "") for info in threadpool_info()}
    return f"{platform.machine()} {sorted(blas)} {libraries}"


def compute() -> dict[str, np.ndarray]:
    """Return the packed codes of every case by its name."""
    return {name: case() for name, case in cases()}


if __name__ == "__main__":
    np.savez_compressed(FILE, __environment__=np.array(environment()), **compute())
