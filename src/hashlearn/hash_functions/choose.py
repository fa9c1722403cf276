"""Choice of a hash function by name, instance or classifier, and the rule for `"auto"`."""

from __future__ import annotations

from typing import Any

from hashlearn.hash_functions.any_classifier import ClassifierHash
from hashlearn.hash_functions.base import HASH_FUNCTIONS, HashFunction

_MAX_RBF_SVM_ITEMS = 5_000


def as_hash_function(hash_function: Any, n_samples: int) -> HashFunction:
    """Return a hash function from a registered name, an instance or a classifier.

    Parameters
    ----------
    hash_function : str, HashFunction or classifier
        'auto' decides by the number of items.
    n_samples : int
        Number of training items.

    Returns
    -------
    hash_function : HashFunction

    Examples
    --------
    >>> from hashlearn.hash_functions import as_hash_function
    >>> as_hash_function("auto", n_samples=1_000_000)
    KernelFeaturesHash()
    """
    if isinstance(hash_function, HashFunction):
        return hash_function
    if not isinstance(hash_function, str):
        if not hasattr(hash_function, "fit"):
            raise TypeError(
                f"hash_function must be {_known()}, a HashFunction or a classifier; "
                f"got {hash_function!r}."
            )
        return ClassifierHash(hash_function)
    if hash_function == "auto":
        # the RBF SVM is the most accurate, and its training grows with the square of n
        small = n_samples <= _MAX_RBF_SVM_ITEMS
        hash_function = "rbf-svm" if small else "kernel-features"
    if hash_function not in HASH_FUNCTIONS.names():
        raise ValueError(f"hash_function must be {_known()}; got {hash_function!r}.")
    return HASH_FUNCTIONS.create(hash_function)


def trait(hash_function: Any, name: str, *, n_samples: int = 0, otherwise: bool = False) -> bool:
    """Return a boolean attribute of a hash function, before it is fitted.

    Parameters
    ----------
    hash_function : str, HashFunction or classifier
        As in `as_hash_function`.
    name : str
        The attribute, such as "accepts_sparse".
    n_samples : int, default=0
        Number of training items; "auto" depends on it.
    otherwise : bool, default=False
        The answer for anything that is not a hash function; `fit` raises for it.

    Returns
    -------
    value : bool

    Examples
    --------
    >>> from hashlearn.hash_functions import trait
    >>> trait("linear-svm", "accepts_sparse"), trait("no such thing", "accepts_sparse")
    (True, False)
    """
    try:
        return bool(getattr(as_hash_function(hash_function, n_samples), name))
    except (TypeError, ValueError):
        return otherwise


def _known() -> str:
    return "one of " + ", ".join(map(repr, ["auto", *HASH_FUNCTIONS.names()]))
