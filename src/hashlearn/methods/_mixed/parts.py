"""The two hashers that share the bits of a mixed code."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from hashlearn.base import METHODS, BaseHasher
from hashlearn.hash_functions import as_hash_function
from hashlearn.methods._mixed.supervision import Supervision
from hashlearn.methods.by_name import make_hasher


class Parts(NamedTuple):
    """A hasher for labels and one for geometry, unfitted, and the number of bits they share."""

    label_hasher: BaseHasher  # both with seeds; copies are fitted
    geometry_hasher: BaseHasher
    n_bits: int
    n_jobs: int | None = None  # threads that try shares

    def for_labelled(self, n_labelled: int) -> Parts:
        """Return parts with the hash function that "auto" means for `n_labelled` items."""
        # trials have fewer items and spreading more, but should not compare different functions
        given = self.label_hasher.get_params(deep=False)
        if given.get("hash_function") != "auto":
            return self
        function = as_hash_function("auto", n_labelled, given.get("max_memory"))
        fixed = clone(self.label_hasher).set_params(hash_function=function)
        return self._replace(label_hasher=fixed)

    def check_learns_from(self, supervision: Supervision) -> None:
        """Raise if there are pairs or weights that the label hasher cannot learn from."""
        weighs = has_fit_parameter(self.label_hasher, "sample_weight")
        if supervision.weights is not None and not weighs:
            raise ValueError(
                f"sample_weight is given, and label_hasher={self.label_hasher!r} does not weigh "
                "items; 'tsh' does."
            )
        if supervision.from_pairs and self.label_hasher.needs_labels:
            raise ValueError(
                f"label_hasher={self.label_hasher!r} learns from labels only: for pairs and "
                "affinities use another one, such as 'tsh'."
            )

    def settled(self, fitted: BaseHasher) -> Parts:
        """Return parts with what a fitted label hasher chose, such as C, for further trials."""
        function = getattr(fitted, "hash_function_", None)
        if function is None or "hash_function" not in fitted.get_params(deep=False):
            return self
        chosen = {
            name: getattr(function, f"{name}_")
            for name, value in function.get_params(deep=False).items()
            if isinstance(value, str) and value == "auto" and hasattr(function, f"{name}_")
        }
        settled = clone(self.label_hasher)
        settled.set_params(hash_function=clone(function).set_params(**chosen))
        return self._replace(label_hasher=settled)


def of_length(hasher: BaseHasher, n_bits: int) -> BaseHasher:
    """Return an unfitted copy of a hasher, with `n_bits` bits."""
    return clone(hasher).set_params(n_bits=int(n_bits))


def as_part(
    hasher: Any,
    name: str,
    supervised: bool,
    random_state: np.random.RandomState,
    n_jobs: int | None,
) -> BaseHasher:
    """Return a hasher, given or named by the parameter `name`, with a seed and threads if unset."""
    made = as_hasher(hasher, name)
    if made.supervised != supervised or METHODS.name_of(made) == "mixed":
        kind = "a method that learns from labels" if supervised else "an unsupervised method"
        raise ValueError(f"{name} must be {kind}, but not a mixed one; got {hasher!r}.")
    made = clone(made)
    wanted = {"random_state": random_state.randint(np.iinfo(np.int32).max), "n_jobs": n_jobs}
    given = made.get_params(deep=False)
    return made.set_params(**{key: wanted[key] for key in wanted if given.get(key, 0) is None})


def as_hasher(hasher: Any, name: str = "hasher") -> BaseHasher:
    """Return a hasher, given or named."""
    made = make_hasher(hasher) if isinstance(hasher, str) else hasher
    if not isinstance(made, BaseHasher):
        raise TypeError(f"{name} must be a hasher or the name of a method; got {hasher!r}.")
    return made


def learn(hasher: BaseHasher, n_bits: int, verbose: int, X: Any, **given: Any) -> BaseHasher:
    """Fit a copy of a hasher, at least as verbose as asked, without changing its parameter."""
    own = hasher.get_params(deep=False)["verbose"]
    fitted = of_length(hasher, n_bits).set_params(verbose=max(own, verbose)).fit(X, **given)
    return fitted.set_params(verbose=own)


class Training(NamedTuple):
    """Everything that choices are based on."""

    X: Any  # all items, the unlabelled ones, too
    supervision: Supervision
    parts: Parts
    random_state: np.random.RandomState
    verbose: int


class Choice(NamedTuple):
    """A decision, the measurements behind it, and its line of the summary, "" without a choice."""

    value: Any
    results: dict[str, Any] | None
    why: str
