"""Choice of a hash function by name, instance or classifier, and the rule for `"auto"`."""

from __future__ import annotations

from typing import Any

from hashlearn._numerics.checks import as_bytes
from hashlearn.hash_functions.any_classifier import ClassifierHash
from hashlearn.hash_functions.base import HASH_FUNCTIONS, HashFunction

_MAX_RBF_SVM_ITEMS = 5_000
_MAX_KERNEL_RIDGE_ITEMS = 16_000


def as_hash_function(
    hash_function: Any, n_samples: int, max_memory: int | str | None = None
) -> HashFunction:
    """Return a hash function from a registered name, an instance or a classifier.

    Parameters
    ----------
    hash_function : str, HashFunction or classifier
        'auto' decides by the number of items.
    n_samples : int
        Number of training items.
    max_memory : int or str, default=None
        Bytes, or a string such as "2GB", that 'auto' may use.

    Returns
    -------
    hash_function : HashFunction

    Examples
    --------
    >>> from hashlearn.hash_functions import as_hash_function
    >>> as_hash_function("auto", n_samples=1_000_000)
    AnchorRidgeHash()
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
        hash_function = _automatic(n_samples, max_memory)
    if hash_function not in HASH_FUNCTIONS.names():
        raise ValueError(f"hash_function must be {_known()}; got {hash_function!r}.")
    return HASH_FUNCTIONS.create(hash_function)


def trait(
    hash_function: Any,
    name: str,
    *,
    n_samples: int = 0,
    max_memory: int | str | None = None,
    otherwise: bool = False,
) -> bool:
    """Return a boolean attribute of a hash function, before it is fitted.

    Parameters
    ----------
    hash_function : str, HashFunction or classifier
        As in `as_hash_function`.
    name : str
        The attribute, such as "accepts_sparse".
    n_samples : int, default=0
        Number of training items; "auto" depends on it.
    max_memory : int or str, default=None
        Memory that "auto" may use.
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
        return bool(getattr(as_hash_function(hash_function, n_samples, max_memory), name))
    except (TypeError, ValueError):
        return otherwise


def _automatic(n_samples: int, max_memory: int | str | None) -> str:
    """Return the name that "auto" stands for."""
    # SVMs with the Gaussian kernel are as accurate as any, and their training grows with n^2 m
    if n_samples <= _MAX_RBF_SVM_ITEMS:
        return "rbf-svm"
    # one factorisation for all bits is faster, and as accurate, but needs an n x n matrix in memory
    fits = max_memory is None or 4 * n_samples**2 <= as_bytes(max_memory)
    if n_samples <= _MAX_KERNEL_RIDGE_ITEMS and fits:
        return "kernel-ridge"
    # linear in n: as many anchors as time and memory allow stand for all items. Measured
    # (benchmarks/anchor_ridge.py), it is better and faster than SVMs on the same anchors
    return "anchor-ridge"


def _known() -> str:
    return "one of " + ", ".join(map(repr, ["auto", *HASH_FUNCTIONS.names()]))
