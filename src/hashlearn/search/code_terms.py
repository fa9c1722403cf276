"""What an item adds to its score beside its bits: a byte that follows from its code."""

from __future__ import annotations

import hashlib
import warnings
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from hashlearn._numerics.checks import check_option
from hashlearn._numerics.padded_blocks import linear_margins
from hashlearn._numerics.threads import map_blocks
from hashlearn.search.packing import check_packed

N_LEVELS = 256
BLOCK_ROWS = 1 << 12  # codes unpacked at once, on each thread
MOST_BEYOND = 0.05  # of codes, outside of the lengths, without a warning

LengthUse = Literal["scale", "bias"]


class CodeTerms:
    r"""The length of each code's reconstruction :math:`\mu + W s`, in one of 256 levels.

    A cosine divides by it, a Euclidean distance adds its square. It follows from the code, so an
    index computes it once and keeps one byte per item.

    Parameters
    ----------
    decoder : array-like of shape (n_features, n_bits)
        The columns of :math:`W`.
    mean : array-like of shape (n_features,)
        The vector :math:`\mu`.
    lengths : tuple of two floats
        The shortest and the longest length that the levels tell apart; others count as these.
    use : {"scale", "bias"}
        Whether costs are divided by the length, or its square is added to them.

    Attributes
    ----------
    n_bits, use : int and str
        Columns of the decoder, and the parameter.
    scale, scale_step, bias_step : float
        At level l, a cost is multiplied by ``scale + scale_step * l``, and ``bias_step * l`` is
        added.
    base : float
        What is added at level 0.
    digest : str
        Identifies the terms: equal for equal parameters.

    Examples
    --------
    >>> import numpy as np
    >>> from hashlearn.search import CodeTerms
    >>> terms = CodeTerms(np.eye(2), np.zeros(2) + 0.5, lengths=(0.5, 2.5), use="bias")
    >>> codes = np.packbits([[0, 0], [1, 0], [1, 1]], axis=1)
    >>> terms.levels(codes)
    array([ 11,  96, 181], dtype=uint8)
    """

    def __init__(
        self,
        decoder: ArrayLike,
        mean: ArrayLike,
        *,
        lengths: tuple[float, float],
        use: LengthUse,
    ) -> None:
        W, mu = np.asarray(decoder, dtype=np.float64), np.asarray(mean, dtype=np.float64)
        check_option("use", use, LengthUse)
        if not 0 <= lengths[0] <= lengths[1] < np.inf:
            raise ValueError(f"lengths must be finite, increasing and not negative; got {lengths}.")
        self.n_bits, self.use = W.shape[1], use
        # |mu + W s|^2 = |mu|^2 + s . (2 W^T mu + W^T W s)
        self._gram = (W.T @ W).astype(np.float32)
        self._linear = (2 * W.T @ mu).astype(np.float32)
        self._square = float(mu @ mu)
        low, high = self._levels_at(np.square(np.asarray(lengths, dtype=np.float64)))
        step = (high - low) / (N_LEVELS - 1)
        self._low, self._step = float(low), float(step)
        self.scale, self.scale_step = (self._low, self._step) if use == "scale" else (1.0, 0.0)
        self.base, self.bias_step = (self._low, self._step) if use == "bias" else (0.0, 0.0)
        self.digest = self._digest()

    def levels(self, packed: ArrayLike) -> np.ndarray:
        """Return the level of each code, which does not depend on the codes beside it.

        Parameters
        ----------
        packed : array-like of shape (n, ceil(n_bits / 8)), uint8
            Packed codes.

        Returns
        -------
        levels : ndarray of shape (n,), uint8
        """
        codes = check_packed(packed, self.n_bits)
        levels = np.empty(len(codes), dtype=np.uint8)
        zero = np.zeros(self.n_bits)

        def work(start: int, stop: int) -> int:
            bits = np.unpackbits(codes[start:stop], axis=1, count=self.n_bits)
            signs = 2 * bits.astype(np.float32) - 1
            fields = linear_margins(signs, self._gram, zero, self._linear, dtype=np.float32)
            squares = self._square + np.einsum("ij,ij->i", signs, fields, dtype=np.float64)
            found = (self._levels_at(np.maximum(squares, 0)) - self._low) / (self._step or 1.0)
            levels[start:stop] = np.clip(np.rint(found), 0, N_LEVELS - 1)
            return int(np.count_nonzero((found < -1) | (found > N_LEVELS)))

        n_beyond = sum(map_blocks(work, [*range(0, max(1, len(codes)), BLOCK_ROWS), len(codes)]))
        if n_beyond > MOST_BEYOND * len(codes):
            warnings.warn(
                f"{n_beyond} of {len(codes)} codes have reconstructions shorter or longer than "
                "those of nearly all items that the model was fitted to; their distances are less "
                "exact. Fit the model to items like these.",
                stacklevel=2,
            )
        return levels

    def finish(self, keys: np.ndarray) -> np.ndarray:
        """Return the distances of keys, in the same order.

        Parameters
        ----------
        keys : ndarray of float64
            Squared distances where the square of the length was added.

        Returns
        -------
        distances : ndarray of float64
        """
        return np.sqrt(np.maximum(keys, 0.0)) if self.use == "bias" else keys

    def _levels_at(self, squares: np.ndarray) -> np.ndarray:
        """Return what levels are equal steps of: the square of a length, or its inverse."""
        if self.use == "bias":
            return squares
        return 1.0 / np.sqrt(np.maximum(squares, np.finfo(np.float32).tiny))

    def _digest(self) -> str:
        """Return 16 hexadecimal digits of what determines the levels."""
        digest = hashlib.sha256(self.use.encode())
        for part in (self._gram, self._linear, [self._square, self._low, self._step]):
            digest.update(np.ascontiguousarray(part).tobytes())
        return digest.hexdigest()[:16]
