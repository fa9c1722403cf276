r"""Linear decoders of codes: the fit of :math:`x \approx \mu + W s`, and the signs s of items.

Codes and decoder are improved in turn: W and mu by ridge least squares for the codes, the codes by
a search for the signs that W turns into the items. All of it works on items near the origin, of
length about 1.
"""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np

from hashlearn._numerics.threads import map_blocks
from hashlearn._progress import track
from hashlearn.files import remember
from hashlearn.methods._parts.centred import fit_rotation, principal_directions
from hashlearn.methods._parts.sign_search import search_signs

RIDGE = 1e-3  # of the number of items
RELAXATION = 0.3  # of the mean squared column of W, in the start of a search
START_ROUNDS = 10  # of a rotation: the search improves on it anyway
FIT_PATIENCE = 20  # of the searches in a fit
BLOCK_ROWS = 1024
N_SHARDS = 8  # of sums over items, whatever the number of threads


class SignEncoder(NamedTuple):
    """What a search for signs needs of a decoder W."""

    directions: np.ndarray  # W, (n_features, n_bits) float32
    couplings: np.ndarray  # 2 W^T W without its diagonal
    relaxed: np.ndarray  # from W^T x to the real s of least error and small size

    @classmethod
    def of(cls, W: np.ndarray) -> Self:
        """Return what follows from a decoder."""
        gram = W.T.astype(np.float64) @ W
        ridge = RELAXATION * max(np.trace(gram) / len(gram), np.finfo(np.float32).tiny)
        relaxed = np.linalg.inv(gram + ridge * np.eye(len(gram)))
        np.fill_diagonal(gram, 0.0)
        return cls(*(np.ascontiguousarray(M, np.float32) for M in (W, 2 * gram, relaxed)))


def fit_decoder(
    X: np.ndarray, n_bits: int, n_iter: int, random_state: np.random.RandomState, verbose: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return mu, W and the mean squared errors after each round, for float32 items.

    The caller allows the matrix library one thread.
    """
    start = remember("signs", lambda: np.packbits(_start(X, n_bits, random_state) > 0, axis=1))
    signs = _as_signs(start, n_bits)
    errors = []

    def one_round() -> tuple[np.ndarray, ...]:
        mean, W = _least_squares(X, signs)
        error = _improve(X - mean, signs, SignEncoder.of(W))
        return np.packbits(signs > 0, axis=1), np.array(error)

    for _ in track(range(n_iter), "decoder", total=n_iter, verbose=verbose):
        packed, error = remember("round", one_round)
        signs = _as_signs(packed, n_bits)
        errors.append(float(error))
    return *_least_squares(X, signs), np.array(errors)


def _as_signs(packed: np.ndarray, n_bits: int) -> np.ndarray:
    return 2 * np.unpackbits(packed, axis=1, count=n_bits).astype(np.float32) - 1


def _start(X: np.ndarray, n_bits: int, random_state: np.random.RandomState) -> np.ndarray:
    """Return signs by ITQ: of the items, and for more bits than features of what is left over."""
    n, d = X.shape
    left = X - X.mean(axis=0)
    signs = np.empty((n, 0), dtype=np.float32)
    while signs.shape[1] < n_bits:
        k = min(n_bits - signs.shape[1], d)
        directions = principal_directions(left, np.zeros(d), k).astype(np.float32)
        rotation, _ = fit_rotation(left @ directions, k, START_ROUNDS, random_state)
        margins = left @ (directions @ rotation).astype(np.float32)
        signs = np.hstack([signs, np.where(margins > 0, np.float32(1), np.float32(-1))])
        if signs.shape[1] < n_bits:
            mean, W = _least_squares(left, signs[:, -k:])
            left = left - mean - signs[:, -k:] @ W.T
    return signs


def _least_squares(X: np.ndarray, signs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return mu and W of least squared error for given signs, with a small ridge on W."""
    n, m = signs.shape

    def sums(start: int, stop: int) -> tuple[np.ndarray, ...]:
        s, x = signs[start:stop], X[start:stop]
        parts = s.T @ s, s.T @ x, s.sum(axis=0), x.sum(axis=0)
        return tuple(part.astype(np.float64) for part in parts)

    bounds = [n * i // N_SHARDS for i in range(N_SHARDS + 1)]
    shards = map_blocks(sums, bounds)
    gram, cross, of_signs, of_items = (sum(parts) for parts in zip(*shards, strict=True))
    mean_sign, mean_item = of_signs / n, of_items / n
    gram = gram / n - np.outer(mean_sign, mean_sign) + RIDGE * np.eye(m)
    W = np.linalg.solve(gram, cross / n - np.outer(mean_sign, mean_item)).T
    return (mean_item - W @ mean_sign).astype(np.float32), W.astype(np.float32)


def _improve(X: np.ndarray, signs: np.ndarray, encoder: SignEncoder) -> float:
    """Improve the signs of centred items in place; return the mean squared error."""

    def work(start: int, stop: int) -> float:
        fields = X[start:stop] @ encoder.directions
        search_signs(fields, signs[start:stop], encoder.couplings, FIT_PATIENCE)
        left = X[start:stop] - signs[start:stop] @ encoder.directions.T
        return float(np.square(left).sum(dtype=np.float64))

    n = len(X)
    return sum(map_blocks(work, [*range(0, n, BLOCK_ROWS), n])) / n
