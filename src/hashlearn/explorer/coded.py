"""One method's codes of all items of a collection, and the first bits of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hashlearn.base import BaseHasher
from hashlearn.bits import check_n_bits
from hashlearn.explorer.once import Once
from hashlearn.search.kernels import hamming_distances
from hashlearn.search.packing import as_words, check_packed, pack_codes, unpack_codes

N_PREFIXES = 8  # kept per method, each 8 bytes per item and 64 bits


@dataclass(frozen=True, eq=False)
class Prefix:
    """The first bits of all codes, as the kernels read them.

    Attributes
    ----------
    n_bits : int
        How many bits.
    words : ndarray of shape (n_words, n_items), uint64
    """

    n_bits: int
    words: np.ndarray

    def distances_to(self, packed: np.ndarray) -> np.ndarray:
        """Return the Hamming distances, uint16, of all items to a packed prefix of shape (1, w)."""
        return hamming_distances(words_of(packed), self.words)[0]


class CodedItems:
    """One method's codes of all items of a collection.

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
        What gives codes to new items.

    Examples
    --------
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
                f"the hasher of {name!r} gives {hasher.n_bits} bits and its codes have {n_bits}: "
                "both take the same number."
            )
        self.name, self.title, self.n_bits, self.hasher = name, title, int(n_bits), hasher
        self.packed = check_packed(packed, self.n_bits, f"the codes of {name!r}")
        self._prefixes = Once(N_PREFIXES)

    def __len__(self) -> int:
        return len(self.packed)

    def check_bits(self, bits: int | None) -> int:
        """Return how many bits to use: all unless given."""
        if bits is None:
            return self.n_bits
        if not 1 <= bits <= self.n_bits:
            raise ValueError(
                f"bits={bits} is out of range: {self.name!r} takes 1 to {self.n_bits}."
            )
        return int(bits)

    def prefix(self, bits: int | None = None) -> Prefix:
        """Return the first bits of all codes, arranged for distances; they are kept."""
        bits = self.check_bits(bits)
        return self._prefixes.get(
            bits, lambda: Prefix(bits, words_of(first_bits(self.packed, bits)))
        )

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
        """Return a code given as '0' and '1', all bits of it, as packed codes of one item."""
        if len(code) != self.n_bits or code.strip("01"):
            raise ValueError(
                f"code={code[:80]!r} has {len(code)} characters: {self.name!r} takes "
                f"{self.n_bits}, each 0 or 1."
            )
        return pack_codes([[int(bit) for bit in code]])

    def encode(self, X: Any) -> np.ndarray:
        """Return the packed codes of new items."""
        if self.hasher is None:
            raise ValueError(f"{self.name!r} has codes only: without a model it encodes nothing.")
        return self.hasher.encode(X)


def first_bits(packed: np.ndarray, bits: int) -> np.ndarray:
    """Return packed codes of the first bits only.

    Examples
    --------
    >>> first_bits(np.array([[0b11111111, 0b11111111]], np.uint8), bits=3)
    array([[224]], dtype=uint8)
    """
    kept = packed[:, : -(-bits // 8)].copy()
    kept[:, -1] &= 0xFF << (-bits % 8) & 0xFF
    return kept


def as_texts(packed: np.ndarray, n_bits: int) -> list[str]:
    """Return packed codes as texts of '0' and '1'.

    Examples
    --------
    >>> as_texts(np.array([[0b10100000]], np.uint8), n_bits=3)
    ['101']
    """
    text = (unpack_codes(packed, n_bits) + ord("0")).tobytes().decode("ascii")
    return [text[start : start + n_bits] for start in range(0, len(text), n_bits)]


def words_of(packed: np.ndarray) -> np.ndarray:
    """Return packed codes as the kernels read them, (n_words, n)."""
    return np.ascontiguousarray(as_words(packed).T)
