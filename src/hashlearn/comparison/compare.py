"""Comparison of methods and lengths of codes on a user's own items."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_array

from hashlearn._numerics.checks import Metric
from hashlearn._progress import say
from hashlearn.affinity import Affinity, as_affinity
from hashlearn.base import describe_fit
from hashlearn.comparison._contest import Contest
from hashlearn.comparison._data import Data, make_truth
from hashlearn.comparison._methods import choose_methods
from hashlearn.comparison._running import Memory, OnTask, TaskRunner
from hashlearn.comparison._splits import MOST_TRAINING
from hashlearn.comparison._truths import Truth
from hashlearn.comparison.comparison import Comparison
from hashlearn.comparison.request import DEFAULT_MEMORY, DEFAULT_SECONDS, Request, read_request
from hashlearn.comparison.settings import Settings
from hashlearn.files import RecordStore
from hashlearn.items import is_missing
from hashlearn.methods import make_hasher

LENGTHS_WITH_LABELS = (16, 32, 64, 128)
LENGTHS_WITHOUT = (32, 64, 128, 256, 512)
MORE_LENGTHS = (1024,)  # if a target is given: only tried where shorter codes do not reach it


def compare(
    X: Any,
    y: Any = None,
    *,
    affinity: Any = None,
    n_bits: Any = "auto",
    methods: Any = "auto",
    target: str | None = None,
    k: int | None = None,
    metric: Metric = "cosine",
    max_time: float | None = DEFAULT_SECONDS,
    max_memory: int | str = DEFAULT_MEMORY,
    folder: str | os.PathLike[str] | None = None,
    random_state: int = 0,
    n_jobs: int | None = -1,
    verbose: int = 0,
    on_task: OnTask | None = None,
) -> Comparison:
    """Measure methods and lengths of codes on items, to choose the smallest that are good enough.

    Items are split into training items, a database, and two kinds of queries, all disjoint. Codes
    are chosen by the first kind; what is said of the chosen ones was measured on the second. If
    there are many items, a first round on few of them puts off the worse half of the methods. The
    others are learned at all lengths, or at those that a target needs, and what may be chosen is
    repeated on other folds. The rest follows if time is left and no target is reached.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_items, n_features)
        The items, at least 50; a memory-mapped array is read in parts.
    y : array-like of shape (n_items,) or (n_items, n_labels), default=None
        One label per item, or a 0/1 indicator of several; -1, None and NaN mean no label. Without
        labels and pairs, codes should find the nearest vectors.
    affinity : Affinity, sparse matrix or array of shape (n_items, n_items), default=None
        Instead of labels: +1 similar, -1 dissimilar, 0 or missing not known.
    n_bits : "auto", int or sequence of int, default="auto"
        The lengths to try; "auto" is 16 to 128 with labels and 32 to 512 without, or 1,024 if a
        target needs it.
    methods : "auto", "all", str or sequence of str, default="auto"
        Names of methods; "auto" is a short list with a reason for each.
    target : str, default=None
        What codes must reach, such as ``"recall@10=0.95"``; much longer ones are then not tried.
    k : int, default=None
        The number of nearest items that count; by default that of the target, or 10.
    metric : {"cosine", "inner_product", "euclidean"}, default="cosine"
        What makes vectors near.
    max_time : float, default=100
        Seconds of measuring; None: no limit. A fit that has begun is not interrupted.
    max_memory : int or str, default="2GB"
        Of the program; libraries take 0.6GB of it. Of more items than fit, a random sample is
        compared on, and in less memory, fewer are learned from.
    folder : str or path-like, default=None
        Where finished measurements are kept: the same call goes on after a stop.
    random_state : int, default=0
        Seeds splits and methods.
    n_jobs : int, default=-1
        Threads.
    verbose : int, default=0
        Above 0, show what is measured.
    on_task : callable, default=None
        Called with the seconds of measuring so far and the next measurement in words.

    Returns
    -------
    comparison : Comparison

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> import hashlearn
    >>> X, y = load_digits(return_X_y=True)
    >>> comparison = hashlearn.compare(X, y, n_bits=(8, 16), methods=["itq", "itq-cca"])
    >>> hasher = comparison.best(target="precision@10", at_least=0.7).fit(X, y)
    >>> hasher.encode(X).shape[0]
    1797
    """
    request = read_request(
        n_bits=n_bits,
        methods=methods,
        target=target,
        k=k,
        metric=metric,
        max_time=max_time,
        max_memory=max_memory,
        random_state=random_state,
    )
    X, y, affinity, n_given, n_left_out = _sampled(X, y, affinity, request)
    truth = make_truth(X.shape[0], y, affinity, request.k)
    most_training = request.most_training if truth.supervised else MOST_TRAINING
    data = Data(X, truth, metric, request.k, request.random_state, most_training)
    lengths = _lengths(request, truth, X.shape[1])
    reasons = choose_methods(request.methods, truth, lengths, X.shape[1])
    if request.target is not None:
        request.target.check(data.measures)
    _check_differences(X)
    _ = data.facts  # raises, before long work, if there is nothing to find
    runner = TaskRunner(
        data,
        request.max_time,
        store=Memory() if folder is None else RecordStore(Path(folder) / "records"),
        describe=describe_fit(make_hasher("lsh"), X=X, y=y, affinity=affinity),
        n_jobs=n_jobs,
        on_task=on_task or (lambda seconds, text: say(f"{seconds:5.0f} s  {text}", verbose)),
    )
    contest = Contest(runner, list(reasons), lengths, request.target)
    contest.run()
    settings = _settings(request, contest, reasons, n_given, n_left_out)
    return Comparison(contest.options, settings)


def _settings(
    request: Request, contest: Contest, reasons: dict[str, str], n_items: int, n_left_out: int
) -> Settings:
    """Return what was compared, after it was."""
    data, runner = contest.data, contest.runner
    n, n_features = data.X.shape
    return Settings(
        **data.facts,
        n_items=n_items,
        n_sampled=n,
        n_features=n_features,
        vector_bytes=data.vector_bytes,
        n_missing=data.truth.n_missing + n_left_out,
        supervision=data.truth.name,
        measures=data.measures,
        measure=contest.measure,
        new_measure=contest.new_measure,
        k=request.k,
        metric=request.metric,
        lengths=contest.lengths,
        methods=reasons,
        target=request.target,
        max_time=request.max_time,
        seconds=runner.seconds,
        random_state=request.random_state,
        untried=runner.untried,
        sizes=data.sizes,
        has_first_round=data.has_screening,
    )


def _lengths(request: Request, truth: Truth, n_features: int) -> tuple[int, ...]:
    """Return the numbers of bits, increasing."""
    if request.lengths:
        return request.lengths
    lengths = LENGTHS_WITHOUT + (MORE_LENGTHS if request.target else ())
    lengths = LENGTHS_WITH_LABELS if truth.supervised else lengths
    shorter = tuple(n for n in lengths if n < 32 * n_features)  # than the vectors
    return shorter or lengths[:1]


def _sampled(
    X: Any, y: Any, affinity: Any, request: Request
) -> tuple[Any, Any, Affinity | None, int, int]:
    """Return checked items, labels and affinity: all, or a sample that fits into memory.

    The numbers behind them are those of all items, and of those left out that have no label or
    known pair.
    """
    if not hasattr(X, "shape") or (hasattr(X, "columns") and not sp.issparse(X)):
        X = np.asarray(X)
    if len(X.shape) != 2:
        check_array(X, input_name="X")  # says what is wrong
    n = X.shape[0]
    y = _as_array(y)
    if y is not None and y.shape[:1] != (n,):
        raise ValueError(f"y must have a label for each of {n:,} items; got shape {y.shape}.")
    made = None if affinity is None else as_affinity(affinity, None, X)
    most = request.rows_that_fit(_row_bytes(X) + _pair_bytes(made))
    n_left_out = 0
    if n > most:
        order = np.random.RandomState(request.random_state).permutation(n)
        missing = _without_label_or_pair(n, y, made)
        order = order[np.argsort(missing[order], kind="stable")]  # these come last
        n_left_out = int(missing[order[most:]].sum())
        kept = np.sort(order[:most])
        X = (X.tocsr() if sp.issparse(X) else X)[kept]
        y = y.tocsr()[kept] if sp.issparse(y) else None if y is None else y[kept]
        made = None if made is None else made[kept]
    dtypes = (np.float32, np.float64)
    X = check_array(X, accept_sparse="csr", dtype=dtypes, input_name="X")
    return X, y, made, n, n_left_out


def _without_label_or_pair(n: int, y: Any, affinity: Affinity | None) -> np.ndarray:
    """Tell which items have no label or known pair, where such are given."""
    if affinity is not None:
        return ~affinity.has_pairs()
    is_given = y is not None and not sp.issparse(y)  # a sparse indicator has all labels
    return is_missing(y) if is_given else np.zeros(n, dtype=bool)


def _check_differences(X: Any) -> None:
    """Raise if all items are the same."""
    least, most = (getattr(X, name)(axis=0) for name in ("min", "max"))
    if np.array_equal(*(each.toarray() if sp.issparse(each) else each for each in (least, most))):
        raise ValueError("X has the same values in all items, of which no codes can be learned.")


def _as_array(y: Any) -> Any:
    """Return labels as an array; a sparse indicator and None as they are."""
    if y is None or sp.issparse(y):
        return y
    try:
        return np.asarray(y)
    except ValueError:
        raise ValueError(
            "y must have one label per item, or be a 0/1 indicator of several, such as "
            "scikit-learn's MultiLabelBinarizer makes; got lists of different lengths."
        ) from None


def _pair_bytes(affinity: Affinity | None) -> int:
    """Return the bytes of the stored pairs of an item."""
    stored = None if affinity is None else affinity.stored_pairs
    return 0 if stored is None else 12 * stored.nnz // max(stored.shape[0], 1)


def _row_bytes(X: Any) -> int:
    """Return the bytes of an item as a comparison holds it."""
    if sp.issparse(X):
        return 12 * (1 + X.nnz // max(X.shape[0], 1))  # a value and its column
    return X[:1].size * (8 if X.dtype == np.float64 else 4)
