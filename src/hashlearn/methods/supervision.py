"""What methods that learn from pairs ask of an affinity."""

from __future__ import annotations

from hashlearn.affinity import Affinity


def check_dissimilar(affinity: Affinity) -> None:
    """Raise, before any work, if nothing is dissimilar.

    Examples
    --------
    >>> from hashlearn.affinity import LabelAffinity
    >>> check_dissimilar(LabelAffinity([0, 0, 1]))
    """
    if affinity.n_dissimilar == 0:
        raise ValueError(
            f"{affinity!r} has no dissimilar pair (one class only, or no entry -1; 0 means not "
            "known): all-equal codes would be its optimum."
        )
