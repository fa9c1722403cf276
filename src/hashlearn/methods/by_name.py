"""Methods by name."""

from __future__ import annotations

from typing import Any

from hashlearn.base import METHODS, BaseHasher

_DEFAULTS = {
    "tsh": "with labels or pairs",
    "itq": "without labels",
    "klsh": "without labels, where bits exceed features",
}


def make_hasher(method: str, **params: Any) -> BaseHasher:
    """Build a hasher by the name of its method.

    Parameters
    ----------
    method : str
        A registered name, or ``tsh-`` and the name of a loss, such as 'tsh-ksh'.
    **params
        The hasher's parameters.

    Examples
    --------
    >>> from hashlearn import make_hasher
    >>> make_hasher("tsh-ksh", n_bits=16)
    TwoStepHasher(loss='ksh', n_bits=16)
    """
    if method.startswith("tsh-"):
        if "loss" in params:
            raise TypeError(f"method={method!r} already names a loss: leave out loss=.")
        return METHODS.create("tsh", loss=method.removeprefix("tsh-"), **params)
    return METHODS.create(method, **params)


def list_methods() -> dict[str, str]:
    """Return the name of every method, two-step hashing first, with one line about it.

    Examples
    --------
    >>> from hashlearn import list_methods
    >>> print(list_methods()["lsh"])
    Locality-sensitive hashing: signs of random projections [1]_.
    """
    names = sorted(METHODS.names(), key=lambda name: (name != "tsh", name))
    return {name: (METHODS.get(name).__doc__ or "").strip().partition("\n")[0] for name in names}


def default_method(*, labelled: bool, n_bits: int = 32, n_features: int | None = None) -> str:
    """Return the name of the method to start with, which `hashlearn fit` uses by default.

    Chosen by measurement on texts and images: without labels 'itq' is among the best at any length
    of codes, and 'klsh' is where ITQ, which has at most one bit per feature, cannot be used.

    Parameters
    ----------
    labelled : bool
        Whether there are labels, pairs or an affinity to learn from.
    n_bits : int, default=32
        Length of the codes.
    n_features : int, default=None
        Number of features; None: at least as many as bits.

    Examples
    --------
    >>> from hashlearn.methods import default_method
    >>> default_method(labelled=True), default_method(labelled=False)
    ('tsh', 'itq')
    >>> default_method(labelled=False, n_bits=64, n_features=10)
    'klsh'
    """
    if labelled:
        return "tsh"
    return "itq" if n_features is None or n_bits <= n_features else "klsh"


def default_for(method: str) -> str:
    """Return in words when a method is the default; "" if it never is.

    Examples
    --------
    >>> from hashlearn.methods import default_for
    >>> default_for("itq"), default_for("lsh")
    ('without labels', '')
    """
    return _DEFAULTS.get(method, "")


def learns_from(cls: type[BaseHasher]) -> str:
    """Return what a method learns from, in words.

    Examples
    --------
    >>> from hashlearn.base import METHODS
    >>> from hashlearn.methods import learns_from
    >>> [learns_from(METHODS.get(name)) for name in ("lsh", "sdh", "tsh")]
    ['items alone', 'labels', 'labels, pairs, affinity']
    """
    if not cls.supervised:
        return "items alone"
    return "labels" if cls.needs_labels else "labels, pairs, affinity"
