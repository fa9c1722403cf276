"""Codes of two models do not meet in an index, a search or a measure."""

import copy
import pickle

import numpy as np
import pytest

from hashlearn import (
    FloatQueries,
    HammingIndex,
    MarginRescoring,
    make_hasher,
    nearest_codes,
)
from hashlearn.metrics import evaluate, ndcg, precision_at_k
from hashlearn.search import PackedCodes

X = np.random.default_rng(0).normal(size=(60, 5))


@pytest.fixture(scope="module")
def hashers():
    """Return two models of one method that differ by their seed."""
    return [make_hasher("lsh", n_bits=16, random_state=seed).fit(X) for seed in (0, 1)]


@pytest.fixture
def index(hashers):
    index = HammingIndex(16)
    index.add(hashers[0].encode(X))
    return index


def test_an_index_knows_the_model_of_its_codes(hashers, index, tmp_path):
    own = hashers[0].fingerprint()
    assert HammingIndex(16).model is None
    index.save(tmp_path / "index")
    index.remove([3])
    for one in (
        index,
        copy.deepcopy(index),
        pickle.loads(pickle.dumps(index)),
        HammingIndex.load(tmp_path / "index"),
        index.reconstruct([5]),
    ):
        assert one.model == own


def test_codes_of_another_model_are_refused_by_name(hashers, index, tmp_path):
    one, other = (hasher.fingerprint() for hasher in hashers)
    codes, floats = hashers[1].encode(X), hashers[1].encode_queries(X)
    index.save(tmp_path / "index")
    for opened in (index, HammingIndex.load(tmp_path / "index")):
        for act in (
            lambda opened=opened: opened.search(codes, 1),
            lambda opened=opened: opened.search(floats, 1),
            lambda opened=opened: opened.radius_search(codes, 1),
            lambda opened=opened: opened.add(codes),
        ):
            with pytest.raises(ValueError, match=f"model {other} and index of model {one}: enc"):
                act()
    assert len(index) == 60


def test_margins_of_another_model_are_refused(hashers, index):
    own, other = (hasher.encode_queries(X) for hasher in hashers)
    with pytest.raises(ValueError, match=r"rescore are codes of model .* and index of model"):
        index.search(own, 1, rescore=MarginRescoring(other))
    with pytest.raises(ValueError, match=r"queries are codes of model .* and packed of model"):
        other.distances(hashers[0].encode(X))
    with pytest.raises(ValueError, match="must be of one model"):
        FloatQueries.joined([own, other])


def test_who_knows_better_may_mix_models(hashers, index, tmp_path):
    codes = hashers[1].encode(X)
    index.search(np.asarray(codes), 1)
    index.save(tmp_path / "index")
    opened = HammingIndex.load(tmp_path / "index", check_model=False)
    opened.add(codes)
    opened.search(codes, 1)
    assert opened.model == index.model
    assert len(opened) == 120


def test_an_index_of_unknown_codes_takes_the_first_known_model(hashers):
    index = HammingIndex(16)
    index.add(np.asarray(hashers[0].encode(X)))
    index.search(hashers[1].encode(X), 1)
    assert index.model is None
    index.add(hashers[0].encode(X))
    assert index.model == hashers[0].fingerprint()
    with pytest.raises(ValueError, match="encode both with one model"):
        index.search(hashers[1].encode(X), 1)


def test_comparisons_refuse_codes_of_two_models(hashers):
    one, other = (hasher.encode(X) for hasher in hashers)
    relevance = np.eye(60)
    for compare in (
        lambda a, b: nearest_codes(a, b, 1),
        lambda a, b: precision_at_k(a, b, relevance, 1),
        lambda a, b: ndcg(a, b, relevance),
        lambda a, b: evaluate(a, b, relevance),
    ):
        with pytest.raises(ValueError, match="encode both with one model"):
            compare(one, other)
        compare(one, np.asarray(other))
        compare(one, one)


def test_a_model_may_be_any_text_in_a_file(tmp_path):
    index = HammingIndex(8)
    index.add(PackedCodes(np.zeros((1, 1), dtype=np.uint8), model="mine"))
    index.save(tmp_path / "index")
    assert HammingIndex.load(tmp_path / "index", verify=True).model == "mine"
