"""Codes of all items of a collection by one method, and their first bits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hashlearn._numerics.checks import check_n_bits
from hashlearn._numerics.words import as_words, by_word, hamming_distances
from hashlearn.base import METHODS, BaseHasher
from hashlearn.explorer.errors import WrongValueError
from hashlearn.losses import LOSSES
from hashlearn.methods import list_methods
from hashlearn.search.packing import check_packed, pack_codes, unpack_codes

WORD = 64  # bits


@dataclass(frozen=True, eq=False)
class Prefix:
    """The first bits of all codes, as the kernels read them, (n_words, n_items) of uint64.

    `whole` are the words that are used completely, a view of the codes; `last` has the used bits of
    the next word, if any: a copy, 8 bytes per item.
    """

    n_bits: int
    whole: np.ndarray
    last: np.ndarray | None

    @property
    def words(self) -> np.ndarray:
        """All words, (n_words, n_items): a copy if there are complete words and a last one."""
        if self.last is None:
            return self.whole
        return np.concatenate([self.whole, self.last]) if len(self.whole) else self.last

    def distances_to(self, packed: np.ndarray) -> np.ndarray:
        """Return the Hamming distances, uint16, of all items to a packed prefix of shape (1, w)."""
        query, n_whole = by_word(packed), len(self.whole)
        distances = hamming_distances(query[:n_whole], self.whole)[0]
        if self.last is not None:
            distances += hamming_distances(query[n_whole:], self.last)[0]
        return distances


class CodedItems:
    """Codes of all items of a collection by one method.

    Parameters
    ----------
    name : str
        The method's name in tables, such as 'tsh-ksh'.
    title : str
        The method in words.
    packed : ndarray of shape (n_items, ceil(n_bits / 8)), uint8
        Packed codes.
    n_bits : int
        Bits per code.
    hasher : hasher, optional
        Encodes new items.

    Examples
    --------
    >>> import numpy as np
    >>> from hashlearn.explorer import CodedItems
    >>> packed = np.array([[0b10100000], [0b01100000]], dtype=np.uint8)
    >>> coded = CodedItems("lsh", "Random projections", packed, n_bits=3)
    >>> coded.code(0), coded.codes([0, 1], bits=2)
    ('101', ['10', '01'])
    >>> coded.prefix(2).distances_to(coded.first_bits([0], bits=2))
    array([0, 2], dtype=uint16)
    """

    def __init__(
        self,
        name: str,
        title: str,
        packed: np.ndarray,
        n_bits: int,
        hasher: BaseHasher | None = None,
    ) -> None:
        check_n_bits(n_bits)
        if hasher is not None and hasher.n_bits != n_bits:
            raise ValueError(
                f"The hasher of {name!r} must give {n_bits} bits, as its codes have; "
                f"it gives {hasher.n_bits}."
            )
        model, own = getattr(packed, "model", None), hasher and hasher.fingerprint()
        if None not in (model, own) and model != own:
            raise ValueError(
                f"The codes of {name!r} are of model {model}, but its hasher is model {own}: give "
                "the model that made the codes."
            )
        self.name, self.title, self.n_bits, self.hasher = name, title, int(n_bits), hasher
        self.packed = check_packed(packed, self.n_bits, f"the codes of {name!r}")
        self._words = by_word(self.packed)

    def __len__(self) -> int:
        return len(self.packed)

    def check_bits(self, bits: int | None) -> int:
        """Return the number of bits to use: all by default."""
        if bits is None:
            return self.n_bits
        if not 1 <= bits <= self.n_bits:
            raise WrongValueError(f"bits must be 1 to {self.n_bits} for {self.name!r}; got {bits}.")
        return int(bits)

    def prefix(self, bits: int | None = None) -> Prefix:
        """Return the first bits of all codes, arranged for distances; mostly a view."""
        bits = self.check_bits(bits)
        n_whole, n_more = (-(-bits // WORD), 0) if bits == self.n_bits else divmod(bits, WORD)
        last = self._words[n_whole : n_whole + 1] & _mask(n_more) if n_more else None
        return Prefix(bits, self._words[:n_whole], last)

    def first_bits(self, positions: Any, bits: int | None = None) -> np.ndarray:
        """Return the packed first bits of the codes at some positions."""
        return first_bits(self.packed[positions], self.check_bits(bits))

    def codes(self, positions: Any, bits: int | None = None) -> list[str]:
        """Return the first bits of the codes at some positions, as '0' and '1'."""
        bits = self.check_bits(bits)
        return as_texts(self.first_bits(positions, bits), bits)

    def code(self, position: int, bits: int | None = None) -> str:
        """Return the first bits of one item's code, as '0' and '1'."""
        return self.codes([position], bits)[0]

    def parse(self, code: str) -> np.ndarray:
        """Return a code of all bits, given as '0' and '1', as packed codes of one item."""
        if len(code) != self.n_bits or code.strip("01"):
            raise WrongValueError(
                f"code must be {self.n_bits} characters 0 or 1 for {self.name!r}; "
                f"got {code[:80]!r} of {len(code)}."
            )
        return pack_codes([[int(bit) for bit in code]])

    def encode(self, X: Any) -> np.ndarray:
        """Return the packed codes of new items."""
        if self.hasher is None:
            raise WrongValueError(f"{self.name!r} has codes but no model to encode new items.")
        try:
            return self.hasher.encode(X)
        except ValueError as error:  # a wrong number of features, or values that are not finite
            raise WrongValueError(str(error)) from error


def first_bits(packed: np.ndarray, bits: int) -> np.ndarray:
    """Return packed codes of the first bits only."""
    kept = packed[:, : -(-bits // 8)].copy()
    kept[:, -1] &= 0xFF << (-bits % 8) & 0xFF
    return kept


def as_texts(packed: np.ndarray, n_bits: int) -> list[str]:
    """Return packed codes as texts of '0' and '1'."""
    text = (unpack_codes(packed, n_bits) + ord("0")).tobytes().decode("ascii")
    return [text[start : start + n_bits] for start in range(0, len(text), n_bits)]


def _mask(n_bits: int) -> np.uint64:
    """Return the word whose first bits are 1, in the machine's order of bytes."""
    ones = np.full((1, WORD // 8), 0xFF, dtype=np.uint8)
    return as_words(first_bits(ones, n_bits))[0, 0]


def method_name(hasher: BaseHasher) -> str:
    """Return the name of a hasher's method, with the loss of two-step hashing: 'tsh-ksh'."""
    name = METHODS.name_of(hasher) or type(hasher).__name__
    return f"{name}-{_loss_name(hasher)}" if name == "tsh" else name


def method_title(hasher: BaseHasher) -> str:
    """Return a hasher's method in words: 'Two-step hashing, KSH loss'."""
    name = METHODS.name_of(hasher) or type(hasher).__name__
    if name == "tsh":
        return f"Two-step hashing, {_loss_name(hasher).upper()} loss"
    idea, colon, _ = list_methods().get(name, "").partition(":")
    return idea if colon else hasher.card.title or name


def _loss_name(hasher: BaseHasher) -> str:
    loss = hasher.get_params(deep=False)["loss"]
    return loss if isinstance(loss, str) else LOSSES.name_of(loss) or "own"
