"""Labels make short codes of embeddings better than the embeddings: BANKING77 and CLINC150."""

import numpy as np
import pytest

import embeddings_labels
import embeddings_peers
from hashlearn import TwoStepHasher
from hashlearn.hash_functions import KernelRidgeHash, choose

pytestmark = pytest.mark.data

# mean average precision of the whole ranking, precision at 10; 32 bits learned on "auto"
TARGETS = {"banking77": (0.85, 0.88), "clinc150": (0.89, 0.91)}


def found(way, X, y, queries, labels):
    way.fit(X, y)
    measures, _ = embeddings_labels.quality(way, X, y, np.full(y.size, True), queries, labels)
    return measures["map"], measures["p10"]


def test_codes_of_a_sample_are_better_than_floats(data_folder, monkeypatch):
    monkeypatch.setattr(choose, "_MAX_RBF_SVM_ITEMS", 0)  # what "auto" is for the whole set
    X, y, queries, labels = embeddings_labels.load("banking77", 0)
    database, asked = np.arange(0, y.size, 6), np.arange(0, labels.size, 10)
    data = X[database], y[database], queries[asked], labels[asked]
    hasher = TwoStepHasher(n_bits=32, random_state=0)
    codes, floats = found(hasher, *data), found(embeddings_peers.Cosine(), *data)
    assert isinstance(hasher.hash_function_, KernelRidgeHash)
    assert codes[0] > floats[0] + 0.25
    assert codes[1] > floats[1] + 0.02


@pytest.mark.slow
@pytest.mark.parametrize("name", TARGETS)
def test_codes_are_better_than_floats_for_every_seed(name, data_folder):
    data = embeddings_labels.load(name, 0)
    floats = found(embeddings_peers.Cosine(), *data)
    for seed in range(3):
        codes = found(TwoStepHasher(n_bits=32, random_state=seed), *data)
        assert all(code >= target for code, target in zip(codes, TARGETS[name], strict=True))
        assert all(code > value for code, value in zip(codes, floats, strict=True))
