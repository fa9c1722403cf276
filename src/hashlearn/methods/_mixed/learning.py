"""Learning of both parts of mixed codes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hashlearn._progress import say
from hashlearn.base import BaseHasher
from hashlearn.methods._mixed.mix import Mix
from hashlearn.methods._mixed.parts import Training, learn
from hashlearn.methods._mixed.sums import MarginSum, learn_sum
from hashlearn.methods._mixed.unlabelled import Teaching


class Learned(NamedTuple):
    """The fitted parts, None for one without bits, and how margins are summed if they are."""

    label_hasher: BaseHasher | None
    geometry_hasher: BaseHasher | None
    sum: MarginSum | None


def learn_parts(training: Training, teaching: Teaching, mix: Mix) -> Learned:
    """Learn bits from labels, and bits from the geometry of all items."""
    label_hasher = _learn_labels(training, teaching, mix.n_label_bits)
    if mix.summed and label_hasher is not None:
        say(f"{mix.n_label_bits} bits from geometry", training.verbose)
        summed, geometry_hasher = learn_sum(training, teaching.evidence, label_hasher, mix.share)
        return Learned(label_hasher, geometry_hasher, summed)
    return Learned(label_hasher, _learn_geometry(training, mix.n_label_bits), None)


def _learn_geometry(training: Training, n_label_bits: int) -> BaseHasher | None:
    X, parts, verbose = training.X, training.parts, training.verbose
    n_bits = parts.n_bits - n_label_bits
    if n_bits == 0:
        return None
    say(f"{n_bits} bits from geometry", verbose)
    return learn(parts.geometry_hasher, n_bits, verbose, X)


def _learn_labels(training: Training, teaching: Teaching, n_bits: int) -> BaseHasher | None:
    if n_bits == 0:
        return None
    X, evidence, verbose = training.X, teaching.evidence, training.verbose
    say(f"{n_bits} bits from labels", verbose)
    are_all = np.array_equal(evidence.items, np.arange(X.shape[0]))
    items = X if are_all else X[evidence.items]
    return learn(teaching.parts.label_hasher, n_bits, verbose, items, **evidence.given)
