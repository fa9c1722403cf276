"""Any scikit-learn classifier as a hash function, one clone per bit."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import has_fit_parameter

from hashlearn._numerics.arrays import aligned
from hashlearn._numerics.blas import one_blas_thread
from hashlearn._progress import track
from hashlearn.hash_functions.base import HashFunction

_SEEDS = np.iinfo(np.int32).max  # scikit-learn's own bound for seeds that it draws


class ClassifierHash(HashFunction):
    """One clone of a classifier per bit, fitted on the labels 0 and 1.

    A bit's margin is :math:`f(x)` for a classifier with a `decision_function`,
    :math:`P(1 | x) - 1/2` for one with `predict_proba`, and the predicted bit as -1 or +1 for
    one that can only `predict`. Whether X may be sparse depends on the classifier. If X is a data
    frame, so is what the clones get: they may select columns by name, as a pipeline that begins
    with a `ColumnTransformer` does.

    Parameters
    ----------
    classifier : estimator
        A scikit-learn classifier. It is cloned, never fitted itself.
    n_jobs : int, default=None
        Clones fitted at the same time. None is 1, -1 all cores.
    random_state : int, RandomState instance or None, default=None
        Seeds the clones, each with its own seed, where the classifier or a part of it has a
        `random_state` of None. Other values are kept.

    Attributes
    ----------
    classifiers_ : list of estimators
        The fitted clones, one per machine.

    References
    ----------
    .. [1] Lin, Shen, Suter and van den Hengel, "A General Two-Step Approach to Learning-Based
       Hashing", ICCV 2013: "we are able to use any form of classifier".

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from hashlearn.hash_functions import ClassifierHash
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> codes = np.array([[0, 0], [0, 1], [1, 1], [1, 0]])
    >>> hash_function = ClassifierHash(KNeighborsClassifier(n_neighbors=1)).fit(X, codes)
    >>> hash_function.decision_function([[0.2], [1.9]])
    array([[-0.5, -0.5],
           [ 0.5,  0.5]])
    """

    takes_frames = True
    encodes_in_parallel = False  # a user's own `predict` need not be thread-safe

    def __init__(
        self, classifier: Any, n_jobs: int | None = None, random_state: Any = None
    ) -> None:
        self.classifier = classifier
        self.n_jobs = n_jobs
        self.random_state = random_state

    @property
    def accepts_sparse(self) -> bool:  # type: ignore[override]
        """Whether the classifier's tags allow sparse X; True if it has no tags."""
        tagged = hasattr(self.classifier, "__sklearn_tags__")
        return bool(get_tags(self.classifier).input_tags.sparse) if tagged else True

    @property
    def weighs_items(self) -> bool:  # type: ignore[override]
        """Whether the classifier's `fit` has a parameter `sample_weight`."""
        return has_fit_parameter(self.classifier, "sample_weight")

    def check(self, n_samples: int) -> None:
        """Raise if `classifier` is not a classifier."""
        _check_classifier(self.classifier)

    def _fit_machines(self, X: Any, Z: np.ndarray, verbose: int) -> None:
        self._train(X, Z, [None] * Z.shape[1], verbose)

    def _fit_weighted_machines(self, X: Any, Z: np.ndarray, W: np.ndarray, verbose: int) -> None:
        self._train(X, Z, list(W.T), verbose)

    def _train(self, X: Any, Z: np.ndarray, weights: list[Any], verbose: int) -> None:
        clones = self._clones(Z.shape[1])
        running = Parallel(n_jobs=self.n_jobs, return_as="generator")(
            delayed(_fit)(machine, X, bit, weight)
            for machine, bit, weight in zip(clones, (Z > 0).T, weights, strict=True)
        )
        self.classifiers_ = list(track(running, "Step 2: machines", Z.shape[1], verbose))

    def _machine_margins(self, X: Any) -> np.ndarray:
        with warnings.catch_warnings():  # an array after a frame has its columns in their order
            warnings.filterwarnings("ignore", "X does not have valid feature names")
            margins = Parallel(n_jobs=self.n_jobs, prefer="threads")(
                delayed(_margin)(machine, X) for machine in self.classifiers_
            )
        return np.column_stack(margins)

    def _clones(self, n_machines: int) -> list[Any]:
        """Return unfitted clones, with seeds where they have none."""
        clones = [clone(self.classifier) for _ in range(n_machines)]
        if self.random_state is not None:
            random = check_random_state(self.random_state)
            for machine in clones:
                _seed(machine, random)
        return clones


def _check_classifier(classifier: Any) -> None:
    """Raise if an object cannot predict bits."""
    if isinstance(classifier, type):
        raise TypeError(
            f"classifier must be an instance, such as {classifier.__name__}(); got the class "
            f"{classifier.__name__}."
        )
    # Objects from outside scikit-learn have no tags: a `predict` is enough.
    tagged = hasattr(classifier, "__sklearn_tags__")
    kind = get_tags(classifier).estimator_type if tagged else None
    decides = kind == "classifier" or (kind is None and hasattr(classifier, "predict"))
    if not (decides and hasattr(classifier, "fit")):
        raise TypeError(f"classifier must be a classifier; got {classifier!r}.")


def _seed(machine: Any, random: np.random.RandomState) -> None:
    """Seed every `random_state` of None in a clone and its parts."""
    params = machine.get_params(deep=True)
    unset = sorted(name for name, value in params.items() if value is None and _is_seed(name))
    machine.set_params(**{name: random.randint(_SEEDS) for name in unset})


def _is_seed(name: str) -> bool:
    return name == "random_state" or name.endswith("__random_state")


def _fit(machine: Any, X: Any, bit: np.ndarray, weight: np.ndarray | None) -> Any:
    weights = {} if weight is None else {"sample_weight": np.ascontiguousarray(weight)}
    with one_blas_thread():  # the same rounding wherever a clone is fitted
        return machine.fit(aligned(X), bit.astype(np.int64), **weights)


def _margin(machine: Any, X: Any) -> np.ndarray:
    """Return the margins of one fitted classifier."""
    if hasattr(machine, "decision_function"):
        return np.asarray(machine.decision_function(X), dtype=np.float64).reshape(-1)
    if hasattr(machine, "predict_proba"):
        return np.asarray(machine.predict_proba(X), dtype=np.float64)[:, 1] - 0.5
    return np.where(np.asarray(machine.predict(X)) > 0, 1.0, -1.0)
