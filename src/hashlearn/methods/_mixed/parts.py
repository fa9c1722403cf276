"""The two hashers that share the bits of a mixed code."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from hashlearn.base import METHODS, BaseHasher
from hashlearn.hash_functions import as_hash_function
from hashlearn.methods._mixed.supervision import PairSupervision, Supervision


class Parts(NamedTuple):
    """A hasher for labels and one for geometry, unfitted, and how many bits they share.

    Attributes
    ----------
    label_hasher, geometry_hasher : BaseHasher
        With seeds; copies of them are fitted.
    n_bits : int
        Bits of both together.
    n_jobs : int or None
        Threads that try shares.
    """

    label_hasher: BaseHasher
    geometry_hasher: BaseHasher
    n_bits: int
    n_jobs: int | None = None

    def for_labelled(self, n_labelled: int) -> Parts:
        """Return parts whose label hasher has the hash function that so many items get.

        Trials learn from fewer items and spreading from more: what is compared are labels, not
        hash functions.
        """
        if self.label_hasher.get_params(deep=False).get("hash_function") != "auto":
            return self
        fixed = clone(self.label_hasher)
        return self._replace(
            label_hasher=fixed.set_params(hash_function=as_hash_function("auto", n_labelled))
        )

    def check_takes(self, supervision: Supervision) -> None:
        """Raise if there are pairs, and the label hasher cannot do without labels."""
        if isinstance(supervision, PairSupervision) and self.label_hasher.needs_labels:
            raise ValueError(
                f"label_hasher={self.label_hasher!r} learns from labels only; pairs and affinities "
                "need another one, such as 'tsh'."
            )

    def settled(self, fitted: BaseHasher) -> Parts:
        """Return parts that take over what a fitted label hasher chose: bandwidth and C, say.

        Of many trials that differ little, only the first then pays for the choice.
        """
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

    def label_hasher_of(self, n_bits: int) -> BaseHasher:
        """Return an unfitted hasher of so many bits from labels."""
        return clone(self.label_hasher).set_params(n_bits=int(n_bits))

    def geometry_hasher_of(self, n_bits: int) -> BaseHasher:
        """Return an unfitted hasher of so many bits from geometry."""
        return clone(self.geometry_hasher).set_params(n_bits=int(n_bits))


def as_part(
    hasher: Any,
    name: str,
    supervised: bool,
    random_state: np.random.RandomState,
    n_jobs: int | None,
) -> BaseHasher:
    """Return a hasher, given or named, with a seed and threads if it does not set its own.

    Parameters
    ----------
    hasher : str or BaseHasher
        What `make_hasher` takes, or an unfitted hasher.
    name : str
        Of the parameter, for errors.
    supervised : bool
        Whether it is to learn from labels.
    random_state : RandomState
        Draws the seed.
    n_jobs : int or None
        Threads.

    Examples
    --------
    >>> as_part("itq", "geometry_hasher", False, np.random.RandomState(0), n_jobs=2)
    ITQHasher(n_jobs=2, random_state=209652396)
    """
    made = as_hasher(hasher, name)
    if made.supervised != supervised or METHODS.name_of(made) == "mixed":
        kind = "a method that learns from labels" if supervised else "an unsupervised method"
        raise ValueError(f"{name}={hasher!r} is not taken; it takes {kind}, and no mixed one.")
    made = clone(made)
    wanted = {"random_state": random_state.randint(np.iinfo(np.int32).max), "n_jobs": n_jobs}
    given = made.get_params(deep=False)
    return made.set_params(**{key: wanted[key] for key in wanted if given.get(key, 0) is None})


def as_hasher(hasher: Any, name: str = "hasher") -> BaseHasher:
    """Return a hasher, given or named.

    Examples
    --------
    >>> as_hasher("tsh-ksh")
    TwoStepHasher(loss='ksh')
    """
    from hashlearn.methods import make_hasher  # which knows of mixed hashers, too

    made = make_hasher(hasher) if isinstance(hasher, str) else hasher
    if not isinstance(made, BaseHasher):
        raise TypeError(f"{name}={hasher!r} is not taken; it takes a hasher or the name of one.")
    return made


def learn(hasher: BaseHasher, verbose: int, X: Any, **given: Any) -> BaseHasher:
    """Fit a hasher that says what it does; what it is does not depend on that.

    Examples
    --------
    >>> X = np.random.RandomState(0).normal(size=(20, 4))
    >>> learn(as_hasher("lsh"), 0, X).verbose
    0
    """
    own = hasher.get_params(deep=False)["verbose"]
    hasher.set_params(verbose=max(own, verbose)).fit(X, **given)
    return hasher.set_params(verbose=own)


@contextmanager
def quiet() -> Iterator[None]:
    """Leave warnings to the fit that counts: what is tried is thrown away."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


class Training(NamedTuple):
    """What choices are made on.

    Attributes
    ----------
    X : array or CSR matrix of n_items rows
        All items, the unlabelled ones too.
    supervision : Supervision
        What is known of them.
    parts : Parts
        The hashers.
    random_state : RandomState
        Draws what is held out or hidden, and what is learned from.
    verbose : int
        Above 0, a bar over what is tried.
    """

    X: Any
    supervision: Supervision
    parts: Parts
    random_state: np.random.RandomState
    verbose: int


class Choice(NamedTuple):
    """What was decided.

    Attributes
    ----------
    value : object
        A number of bits, or what they are learned from.
    results : dict or None
        What was measured for it.
    why : str
        A line of the summary; "" if there was nothing to decide.
    """

    value: Any
    results: dict[str, Any] | None
    why: str
