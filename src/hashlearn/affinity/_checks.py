"""Checks of what an affinity teaches."""

from __future__ import annotations

import warnings

from hashlearn.affinity.base import Affinity


def check_dissimilar(affinity: Affinity) -> None:
    """Raise if no pair is dissimilar: all-equal codes would be optimal; warn if none is similar.

    Parameters
    ----------
    affinity : Affinity
        The affinity to check.

    Examples
    --------
    >>> from hashlearn.affinity import LabelAffinity, check_dissimilar
    >>> check_dissimilar(LabelAffinity([0, 0, 1]))
    """
    if not affinity.has_dissimilar:
        n = affinity.n_items
        if affinity.classes is not None:
            raise ValueError(
                f"y must have at least two classes; got one class only among {n} items."
            )
        if affinity.label_sets is not None:
            raise ValueError(f"y must have items without a common label; any two of {n} share one.")
        raise ValueError(
            f"{affinity!r} has no dissimilar pair (no entry -1; 0 means undefined): all-equal "
            "codes would be its optimum."
        )
    if not affinity.has_similar and affinity.classes is None:  # labels were told of it before
        warnings.warn(
            f"{affinity!r} has no similar pair (do items share labels, or have any?): codes are "
            "only spread apart.",
            UserWarning,
            stacklevel=4,
        )


def check_similar(affinity: Affinity) -> None:
    """Raise if no pair is similar: there is nothing to bring together.

    Parameters
    ----------
    affinity : Affinity
        The affinity to check.

    Examples
    --------
    >>> from hashlearn.affinity import LabelAffinity, check_similar
    >>> check_similar(LabelAffinity([0, 1, 2]))
    Traceback (most recent call last):
    ValueError: y must have items of the same class; all 3 labels are different.
    """
    if not affinity.has_similar:
        if affinity.classes is not None:
            raise ValueError(
                f"y must have items of the same class; all {affinity.n_items} labels are different."
            )
        raise ValueError(f"{affinity!r} has no similar pair: there is nothing to bring together.")
