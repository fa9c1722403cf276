"""A recommendation: which codes, what they keep, and how to make them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hashlearn.base import BaseHasher

ARRAYS = {".npy", ".npz"}  # have no columns of labels beside the features


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
    rescored_command : str
        How to make the codes that the sentence names for vectors at hand; empty if it names none.
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
    rescored_command: str
    runner_up: tuple[str, int] | None

    def __str__(self) -> str:
        return self.sentence


@dataclass(frozen=True)
class Source:
    """The items in words of commands: a file, and how it is read.

    Attributes
    ----------
    path : str
        The file of the items.
    labels, unlabelled : str or None
        As the options of the same names.
    columns : sequence of str
        Columns or arrays of the file that the labels are; none if they are a file of their own.
    array, delimiter : str or None
        As the options of the same names.
    features, ignore : sequence of str
        As the options of the same names.
    is_standard_input : bool
        Whether the items were not read from the file, which they are to be saved in.
    """

    path: str = "items.npy"
    labels: str | None = None
    unlabelled: str | None = None
    columns: Sequence[str] = ()
    array: str | None = None
    delimiter: str | None = None
    features: Sequence[str] = ()
    ignore: Sequence[str] = ()
    is_standard_input: bool = False

    def place(self) -> list[str]:
        """Return the options that find items of a known model."""
        return _words({"--array": self.array, "--delimiter": self.delimiter})

    def options(self, *, labelled: bool = True) -> list[str]:
        """Return the options that read items to learn from.

        Parameters
        ----------
        labelled : bool, default=True
            Whether labels are read; else their columns are left out.

        Returns
        -------
        words : list of str
        """
        words = _words({"--features": self.features, "--ignore": self.ignore})
        if labelled:
            words += _words({"--labels": self.labels, "--unlabelled": self.unlabelled})
        elif Path(self.path).suffix.lower() not in ARRAYS:
            words += _words({"--ignore": self.columns})
        return [*words, *self.place()]


def _words(options: dict[str, str | Sequence[str] | None]) -> list[str]:
    """Return the words of the options that are given; a sequence repeats one."""
    words: list[str] = []
    for name, value in options.items():
        for one in [value] if isinstance(value, str) else value or ():
            words += [name, one]
    return words
