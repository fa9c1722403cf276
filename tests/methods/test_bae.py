"""Laws of binary autoencoders: errors fall, codes are local optima, queries estimate distances."""

from copy import copy
from itertools import product

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.datasets import load_digits

from hashlearn import HammingIndex, load, make_hasher, unpack_codes
from hashlearn.methods import BinaryAutoencoderHasher, ITQHasher
from hashlearn.methods._parts.decoder import SignEncoder
from hashlearn.methods._parts.sign_search import search_signs

X, Y = load_digits(return_X_y=True)
X = X[:600]


def _fitted(n_bits=24, **params):
    return BinaryAutoencoderHasher(n_bits, random_state=0, n_iter=4, **params).fit(X)


def _errors(hasher, bits, items):
    items = items / np.linalg.norm(items, axis=1)[:, None]
    return np.square(items - hasher.inverse_transform(bits)).sum(axis=1)


def test_no_flip_of_a_bit_lowers_the_error():
    hasher = _fitted()
    bits = hasher.transform(X[:50])
    errors = _errors(hasher, bits, X[:50])
    for k in range(24):
        flipped = bits.copy()
        flipped[:, k] ^= 1
        assert (_errors(hasher, flipped, X[:50]) >= errors - 1e-5).all()


def test_the_search_finds_the_best_of_all_signs_of_few_bits_nearly_always():
    random = np.random.RandomState(0)
    W, items = random.normal(size=(6, 8)), random.normal(size=(40, 6)) * 3
    encoder = SignEncoder.of(W)
    fields, signs = (items @ W).astype(np.float32), np.ones((40, 8), np.float32)
    search_signs(fields, signs, encoder.couplings, 80)
    every = np.array(list(product([-1, 1], repeat=8)))
    best = np.square(items[:, None] - every @ W.T).sum(axis=2).min(axis=1)
    found = np.square(items - signs @ W.T).sum(axis=1)
    assert np.mean(found < best * (1 + 1e-5)) > 0.9


def test_the_search_is_the_same_at_any_scale():
    """Rounding of large costs once counted as progress, and a search went on for seconds."""
    random = np.random.RandomState(0)
    W, items = random.normal(size=(6, 24)) / 10, random.normal(size=(100, 6))
    couplings, found = SignEncoder.of(W).couplings, []
    for scale in (np.float32(1), np.float32(2**20)):
        fields, signs = (items @ W).astype(np.float32), np.ones((100, 24), np.float32)
        search_signs(scale * fields, signs, scale * couplings, 20)
        found.append(signs)
    np.testing.assert_array_equal(*found)


def test_more_patience_and_more_bits_lower_the_error():
    few, many = _fitted(patience=0), _fitted(patience=80)
    assert _errors(many, many.transform(X), X).mean() < _errors(few, few.transform(X), X).mean()
    longer = _fitted(n_bits=150)  # more than the 64 features
    assert _errors(longer, longer.transform(X), X).mean() < 0.02


def test_the_error_falls_and_beats_the_signs_of_itq():
    hasher = _fitted()
    assert np.all(np.diff(hasher.reconstruction_error_) < 0)
    unit = X / np.linalg.norm(X, axis=1)[:, None]
    itq = ITQHasher(24, random_state=0).fit(unit)
    signs = np.hstack([2.0 * itq.codes_ - 1, np.ones((len(X), 1))])
    W = np.linalg.lstsq(signs, unit, rcond=None)[0]
    best_for_itq = np.square(unit - signs @ W).sum(axis=1).mean()
    assert _errors(hasher, hasher.codes_, X).mean() < best_for_itq


@pytest.mark.parametrize("metric", ["cosine", "inner_product", "euclidean"])
def test_queries_estimate_the_metric(metric):
    hasher = _fitted(n_bits=128, metric=metric)
    queries, items = X[500:], X[:500]
    found = hasher.encode_queries(queries).distances(hasher.encode(items))
    if metric == "cosine":
        restored = hasher.inverse_transform(hasher.transform(items))
        unit = restored / np.linalg.norm(restored, axis=1)[:, None]
        expected = 1 - queries @ unit.T / np.linalg.norm(queries, axis=1)[:, None]
        tolerance = 0.002
    else:
        restored = hasher.inverse_transform(hasher.transform(items))
        expected = -queries @ restored.T
        if metric == "euclidean":
            expected = np.linalg.norm(queries[:, None] - restored, axis=2)
        tolerance = 0.01 * np.abs(expected).max()
    np.testing.assert_allclose(found, expected, atol=tolerance)


def test_float_queries_find_more_neighbours_than_bits_of_itq():
    queries, items = X[500:], X[:500]
    unit = items / np.linalg.norm(items, axis=1)[:, None]
    nearest = np.argsort(-queries @ unit.T, axis=1)[:, :10]

    def recall(found):
        return np.mean([len(set(a) & set(b)) / 10 for a, b in zip(found, nearest, strict=True)])

    hasher = BinaryAutoencoderHasher(40, random_state=0).fit(items)  # and a byte of length
    by_floats = np.argsort(hasher.encode_queries(queries).distances(hasher.encode(items)))
    itq = ITQHasher(48, random_state=0).fit(unit)
    index = HammingIndex(48)
    index.add(itq.encode(unit))
    by_bits = index.search(itq.encode(queries / np.linalg.norm(queries, axis=1)[:, None]), k=10)
    assert recall(by_floats[:, :10]) > recall(by_bits.ids) + 0.1


@pytest.mark.parametrize("dtype", [np.float16, np.uint8])
def test_items_of_any_type_give_the_codes_of_their_float32_copies(dtype):
    items = X.astype(dtype)
    hasher = _fitted()
    np.testing.assert_array_equal(hasher.encode(items), hasher.encode(items.astype(np.float32)))


def test_scale_and_offset_do_not_matter_by_euclidean_distance():
    plain = _fitted(metric="euclidean")
    moved = BinaryAutoencoderHasher(24, metric="euclidean", random_state=0, n_iter=4)
    moved.fit(X * 2.0**40 + 2.0**44)
    np.testing.assert_array_equal(plain.codes_, moved.codes_)


def test_a_saved_hasher_makes_the_same_codes_and_queries(tmp_path):
    hasher = _fitted()
    hasher.save(tmp_path / "model")
    loaded = load(tmp_path / "model")
    assert loaded.fingerprint() == hasher.fingerprint()
    np.testing.assert_array_equal(loaded.encode(X), hasher.encode(X))
    queries = [h.encode_queries(X[:5]).distances(hasher.encode(X)) for h in (hasher, loaded)]
    np.testing.assert_array_equal(*queries)


def test_an_interrupted_fit_resumes_to_the_same_bits(tmp_path, monkeypatch):
    whole = _fitted()
    from hashlearn.methods._parts import decoder

    calls = []

    def fails(*arguments):
        calls.append(arguments)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return improve(*arguments)

    improve = decoder._improve
    monkeypatch.setattr(decoder, "_improve", fails)
    hasher = BinaryAutoencoderHasher(24, random_state=0, n_iter=4)
    with pytest.raises(KeyboardInterrupt):
        hasher.fit(X, checkpoint=tmp_path / "fit")
    hasher.fit(X, checkpoint=tmp_path / "fit")
    assert len(calls) == 5  # two of four rounds were done before, one failed
    np.testing.assert_array_equal(hasher.codes_, whole.codes_)
    np.testing.assert_array_equal(hasher.decoder_, whole.decoder_)


def test_a_sample_is_enough_and_named_by_the_random_state():
    first, again, other = (
        BinaryAutoencoderHasher(16, max_samples=200, random_state=seed).fit(X) for seed in (0, 0, 1)
    )
    np.testing.assert_array_equal(first.decoder_, again.decoder_)
    assert not np.array_equal(first.decoder_, other.decoder_)
    assert len(first.codes_) == len(X)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"metric": "manhattan"}, "metric must be one of"),
        ({"n_iter": 0}, "n_iter"),
        ({"patience": -1}, "patience"),
        ({"max_samples": 1}, "max_samples"),
    ],
)
def test_wrong_parameters_are_refused(params, message):
    with pytest.raises(ValueError, match=message):
        BinaryAutoencoderHasher(8, **params).fit(X)


def test_only_bits_can_be_restored():
    hasher = _fitted()
    with pytest.raises(ValueError, match="bits must be 0 or 1, in 24 columns"):
        hasher.inverse_transform(hasher.encode(X[:3]))
    restored = hasher.inverse_transform(unpack_codes(hasher.encode(X[:3]), 24))
    assert restored.shape == (3, 64)


def test_it_is_made_for_float_queries():
    assert make_hasher("bae").asymmetric
    assert not make_hasher("itq").asymmetric


def _recall(hasher, items, queries, true):
    """Return the share of the 10 nearest items that are among the first 10 found."""
    index = HammingIndex(hasher.n_bits)
    index.add(hasher.encode(items))
    found = index.search(hasher.encode_queries(queries), 10).ids
    return np.mean([np.isin(*pair).mean() for pair in zip(true, found, strict=True)])


@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
def test_items_far_from_the_origin_are_told_apart(metric):
    random = np.random.default_rng(0)
    items, queries = random.normal(size=(1000, 20)), random.normal(size=(50, 20))
    for shift in (0, 100):
        hasher = BinaryAutoencoderHasher(64, metric=metric, random_state=0).fit(items + shift)
        true = np.argsort(cdist(queries + shift, items + shift, metric), axis=1)[:, :10]
        assert _recall(hasher, items + shift, queries + shift, true) > 0.7


def test_the_order_of_the_items_does_not_matter():
    items = X[np.argsort(np.linalg.norm(X, axis=1))]
    true = np.argsort(cdist(X[:50], items), axis=1)[:, :10]
    hasher = BinaryAutoencoderHasher(64, metric="euclidean", max_samples=100, random_state=0)
    assert _recall(hasher.fit(items), items, X[:50], true) > 0.6


def test_cosines_do_not_depend_on_the_scale():
    hasher = _fitted()
    codes, wanted = hasher.encode(X), hasher.encode_queries(X[:9]).distances(hasher.encode(X))
    for scale in (1e-170, 1e160):
        found = hasher.encode_queries(X[:9] * scale).distances(codes)
        np.testing.assert_allclose(found, wanted, atol=1e-6)
        assert np.mean(hasher.transform(X * scale) != hasher.transform(X)) < 1e-3
    narrow = X.astype(np.float32)
    for scale in (1e-30, 1e30):
        bits = hasher.transform(narrow * np.float32(scale))
        assert np.mean(bits != hasher.transform(narrow)) < 1e-2


@pytest.mark.parametrize("metric", ["inner_product", "euclidean"])
def test_values_beyond_float32_are_refused(metric):
    for scale, message in ((1e25, "overflow float32; scale X"), (1e-25, "vanish in float32")):
        with pytest.raises(ValueError, match=message):
            BinaryAutoencoderHasher(8, metric=metric).fit(X * scale)
    for scale in (1e160, 1e306):
        with pytest.raises(ValueError, match="X has values that are too large to square"):
            _fitted(metric=metric).encode_queries(X[:2] * scale)


def test_items_of_one_direction_are_refused():
    with pytest.raises(ValueError, match="X has one direction in all items"):
        BinaryAutoencoderHasher(8).fit(np.outer(np.arange(1, 51), X[0]))


def test_what_follows_from_the_model_is_forgotten_with_it():
    hasher = _fitted()
    hasher.encode_queries(X[:3])
    hasher.set_params(metric="euclidean")
    assert hasher.encode_queries(X[:3]).terms.use == "bias"
    assert "_kept" in vars(hasher)
    assert "_kept" not in vars(copy(hasher))
