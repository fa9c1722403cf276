"""Methods by name."""

from __future__ import annotations

from typing import Any

from hashlearn.base import METHODS, BaseHasher


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
    >>> print(list_methods()["lsh"])
    Locality-sensitive hashing: signs of random projections [1]_.
    """
    names = sorted(METHODS.names(), key=lambda name: (name != "tsh", name))
    return {name: (METHODS.get(name).__doc__ or "").strip().partition("\n")[0] for name in names}


def learns_from(cls: type[BaseHasher]) -> str:
    """Return what a method learns from, in words.

    Examples
    --------
    >>> [learns_from(METHODS.get(name)) for name in ("lsh", "sdh", "tsh")]
    ['items alone', 'labels', 'labels, pairs, affinity']
    """
    if not cls.supervised:
        return "items alone"
    return "labels" if cls.needs_labels else "labels, pairs, affinity"
