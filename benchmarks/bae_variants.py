"""What lifts `bae`, and what does not: its parameters, and other ways to encode.

    python benchmarks/bae_variants.py [--bits 120]

WordNet's embeddings (MiniLM, 384 numbers of length 1): 1,000 are queries, drawn with another seed
than those on which embeddings.py reports; the others are learned from and searched. "error" is the
mean squared error of the reconstructions as a share of the variance, recall that of the 10 nearest
by cosine among the first 10 found; means over three seeds of the fit. Seconds are processor time.

The first rows change a parameter or a constant of `bae`. The others encode with its decoder:

- "one of 4 starts": each item by the best of four searches, three from random signs.
- "linear encoder": signs of the linear map that predicts the codes best, one pass without search.
- "direction weighed": plain descent of an error in which what is parallel to the item counts two
  and four times (score-aware quantisation); to compare with patience=0.
"""

import argparse
import time
from functools import partial
from unittest.mock import patch

import numpy as np
from threadpoolctl import threadpool_limits

from data import text_embeddings
from embeddings_peers import unit
from embeddings_recall import N_QUERIES, K, true_nearest
from hashlearn import HammingIndex
from hashlearn.methods import BinaryAutoencoderHasher
from hashlearn.methods._parts import decoder

SEED, N_FITS = 100, 3
PARAMETERS = (
    {},
    {"patience": 0},
    {"patience": 20},
    {"patience": 320},
    {"n_iter": 6},
    {"n_iter": 25},
    {"max_samples": 10_000},
    {"max_samples": 100_000},
)
CONSTANTS = (("START_ROUNDS", 50), ("FIT_PATIENCE", 80))


def errors_of(hasher, X, bits):
    """Return the squared errors of the reconstructions."""
    return np.square(X - hasher.inverse_transform(bits)).sum(axis=1)


def by_starts(hasher, X):
    """Return bits by the best of four searches."""
    random = np.random.RandomState(0)
    encoder = decoder.SignEncoder.of(hasher.decoder_)
    best = hasher.transform(X)
    lowest = errors_of(hasher, X, best)
    for _ in range(3):
        signs = random.choice(np.float32([-1, 1]), best.shape)
        fields = (X - hasher.mean_).astype(np.float32) @ encoder.directions
        decoder.search_signs(fields, signs, encoder.couplings, hasher.patience)
        bits = (signs > 0).astype(np.uint8)
        errors = errors_of(hasher, X, bits)
        best[errors < lowest] = bits[errors < lowest]
        lowest = np.minimum(errors, lowest)
    return best


def by_linear_map(hasher, X):
    """Return bits by the linear map from items to the signs of their codes, of least squares."""
    signs = 2.0 * hasher.codes_ - 1
    centred = np.column_stack([X, np.ones(len(X))])
    coef = np.linalg.solve(centred.T @ centred + 1e-3 * np.eye(X.shape[1] + 1), centred.T @ signs)
    return (centred @ coef > 0).astype(np.uint8)


def by_direction(hasher, X, weight, block=4096):
    """Return bits by flips that lower an error in which the direction of the item weighs more."""
    gram = hasher.decoder_.T @ hasher.decoder_
    start = hasher.set_params(patience=0).transform(X)
    found = []
    for i in range(0, len(X), block):
        signs = 2 * start[i : i + block].astype(np.float32) - 1
        left = X[i : i + block] - hasher.inverse_transform(start[i : i + block])
        of_bits = left @ hasher.decoder_  # what is left, along each column
        along = X[i : i + block] @ hasher.decoder_  # items have length 1
        parallel = (left * X[i : i + block]).sum(axis=1)
        rows = np.arange(len(signs))
        while rows.size:
            s, a, p = signs[rows], along[rows], parallel[rows, None]
            change = 4 * s * of_bits[rows] + 4 * np.diag(gram)
            change += (weight - 1) * (np.square(p + 2 * s * a) - np.square(p))
            best = change.argmin(axis=1)
            lower = change[np.arange(rows.size), best] < -1e-6
            rows, best = rows[lower], best[lower]
            step = 2 * signs[rows, best]
            of_bits[rows] += step[:, None] * gram[best]
            parallel[rows] += step * along[rows, best]
            signs[rows, best] *= -1
        found.append(signs > 0)
    return np.concatenate(found).astype(np.uint8)


def measure(hasher, encode, X, queries, nearest):
    """Return error, recall, and seconds to fit and to encode."""
    begin = time.process_time()
    hasher.fit(X)
    fitted = time.process_time()
    bits = encode(hasher, X)
    encoded = time.process_time()
    index = HammingIndex(hasher.n_bits)
    index.add(np.packbits(bits, axis=1))
    found = index.search(hasher.encode_queries(queries), K).ids
    recall = np.mean([np.isin(a, b).mean() for a, b in zip(nearest, found, strict=True)])
    error = errors_of(hasher, X, bits).mean() / X.var(axis=0).sum()
    return error, recall, fitted - begin, encoded - fitted


@threadpool_limits.wrap(limits=1)
def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bits", type=int, default=120)
    n_bits = parser.parse_args().bits
    X = unit(text_embeddings("wordnet")[0])
    order = np.random.RandomState(SEED).permutation(len(X))
    X, queries = X[order[N_QUERIES:]], X[order[:N_QUERIES]]
    data = X, queries, true_nearest(X, queries)

    def row(name, encode=BinaryAutoencoderHasher.transform, **parameters):
        found = [
            measure(BinaryAutoencoderHasher(n_bits, random_state=i, **parameters), encode, *data)
            for i in range(N_FITS)
        ]
        error, recall, fit, encoding = np.mean(found, axis=0)
        print(f"{name:28}{error:8.4f}{recall:9.4f}{fit:8.1f}{encoding:11.1f}", flush=True)

    print(f"{n_bits} bits{'':18}   error   recall   fit s   encode s")
    for parameters in PARAMETERS:
        name = " ".join(f"{key}={value}" for key, value in parameters.items()) or "default"
        row(name, **parameters)
    for name, value in CONSTANTS:
        with patch.object(decoder, name, value):
            row(f"{name}={value}")
    row("one of 4 starts", by_starts)
    row("linear encoder", by_linear_map)
    for weight in (1, 2, 4):
        row(f"direction weighed {weight} times", partial(by_direction, weight=weight))


if __name__ == "__main__":
    main()
