"""A recommendation: which codes, what they keep, and how to make them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hashlearn.base import BaseHasher


@dataclass(frozen=True)
class Recommendation:
    """Codes that are recommended, or that come nearest to a target.

    Attributes
    ----------
    sentence : str
        What is recommended, what it reaches, and what is lost or won. Its figures are of queries on
        which nothing was chosen.
    reached : bool
        Whether the target is reached, also on the queries that nothing was chosen on.
    method : str
        The name of the method.
    n_bits : int
        Length of the codes.
    search : str
        "hamming", or "asymmetric": queries are not rounded to bits.
    candidates : int
        Candidates per neighbour that vectors must put in order; 1: codes alone will do.
    n_bytes : int
        Bytes per item.
    measure : str
        What decided.
    value, error : float or None
        Its mean on queries that nothing was chosen on, and the standard error; None if these have
        nothing to find.
    hasher : BaseHasher
        A fresh, unfitted hasher.
    python, command : str
        How to make it; no command learns from pairs.
    runner_up : tuple of str and int, or None
        Method and length of other codes to look at beside these.
    """

    sentence: str
    reached: bool
    method: str
    n_bits: int
    search: str
    candidates: int
    n_bytes: int
    measure: str
    value: float | None
    error: float | None
    hasher: BaseHasher
    python: str
    command: str
    runner_up: tuple[str, int] | None

    def __str__(self) -> str:
        return self.sentence


@dataclass(frozen=True)
class Source:
    """The items in words of commands: a file, and further options that read it."""

    path: str = "items.npy"
    options: Sequence[tuple[str, ...]] = ()  # each a name and its value
