"""Laws of mixed codes: two parts, one code, one Hamming distance."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashlearn import HammingIndex, MixedHasher, TwoStepHasher, make_hasher
from hashlearn.hash_functions import LinearSVMHash
from hashlearn.methods import ITQHasher
from tests.methods.mixed.small import LINEAR, digits, half_known, mixed

X, y = digits()
SEEDED = TwoStepHasher(hash_function=LinearSVMHash(C=1.0), random_state=3)


def distances(bits, other):
    return (bits[:, None] != other).sum(axis=2)


@pytest.fixture(scope="module")
def fitted():
    return mixed(11, share=0.4).fit(X, half_known(y))


def test_a_code_is_its_label_bits_and_then_its_geometry_bits(fitted):
    assert fitted.n_label_bits_ == fitted.label_hasher_.n_bits == 4
    assert fitted.geometry_hasher_.n_bits == 7
    parts = (fitted.label_hasher_, fitted.geometry_hasher_)
    np.testing.assert_array_equal(
        fitted.transform(X), np.hstack([part.transform(X) for part in parts])
    )
    np.testing.assert_array_equal(
        fitted.decision_function(X), np.hstack([part.decision_function(X) for part in parts])
    )
    np.testing.assert_array_equal(fitted.codes_, fitted.transform(X))
    np.testing.assert_array_equal(fitted.encode(X), np.packbits(fitted.codes_, axis=1))


def test_bits_of_both_parts_weigh_alike_in_float_queries():
    hasher = mixed(11, share=0.4).fit(100 * X, half_known(y))
    sizes = np.abs(hasher.decision_function(100 * X)).mean(axis=0)
    assert sizes[4:].mean() > 10 * sizes[:4].mean()
    weights = hasher.encode_queries(100 * X).weights.mean(axis=0)
    assert weights.max() < 1.5 * weights.min()


def test_the_hamming_distance_is_the_sum_of_the_parts_distances(fitted):
    parts = (fitted.label_hasher_, fitted.geometry_hasher_)
    expected = sum(distances(part.transform(X[:9]), part.transform(X)) for part in parts)
    index = HammingIndex(11)
    index.add(fitted.encode(X))
    found, ids = index.search(fitted.encode(X[:9]), k=len(X))
    np.testing.assert_array_equal(found, np.take_along_axis(expected, ids, axis=1))


@pytest.mark.parametrize("name", ["tsh", "linear", "itq-cca"])
def test_all_bits_from_labels_are_the_label_hasher_alone(name):
    part = SEEDED if name == "linear" else make_hasher(name, random_state=3)
    alone = make_hasher(name, n_bits=6, random_state=3) if name != "linear" else SEEDED
    pure = mixed(6, part, share=1).fit(X, y)
    np.testing.assert_array_equal(
        pure.decision_function(X), alone.set_params(n_bits=6).fit(X, y).decision_function(X)
    )
    assert pure.geometry_hasher_ is None


@pytest.mark.parametrize("known", [y, half_known(y), None], ids=["all", "half", "none"])
def test_all_bits_from_geometry_are_the_geometry_hasher_alone(known):
    pure = mixed(6, geometry_hasher=ITQHasher(random_state=3), share=0).fit(X, known)
    alone = ITQHasher(6, random_state=3).fit(X)
    np.testing.assert_array_equal(pure.decision_function(X), alone.decision_function(X))
    assert pure.label_hasher_ is None
    assert pure.n_label_bits_ == 0


def test_ignored_items_teach_geometry_alone():
    known = half_known(y)
    hasher = mixed(8, SEEDED, ITQHasher(random_state=5), share=0.5, unlabelled="ignore")
    bits = hasher.fit(X, known).transform(X)
    labelled = TwoStepHasher(4, hash_function=LinearSVMHash(C=1.0), random_state=3)
    labelled.fit(X[known >= 0], y[known >= 0])
    np.testing.assert_array_equal(bits[:, :4], labelled.transform(X))
    np.testing.assert_array_equal(bits[:, 4:], ITQHasher(4, random_state=5).fit(X).transform(X))


@given(n_bits=st.integers(1, 40), share=st.floats(0, 1))
def test_label_bits_are_the_share_of_all_bits(n_bits, share):
    hasher = MixedHasher(n_bits, "itq-cca", "lsh", share=share, random_state=0).fit(X[:40], y[:40])
    assert hasher.n_label_bits_ == round(share * n_bits)
    assert hasher.transform(X[:3]).shape == (3, n_bits)


def test_given_parts_stay_unfitted_and_as_they_were():
    part, other = TwoStepHasher(3, hash_function="linear-svm"), ITQHasher(2)
    mixed(8, part, other, share=0.5).fit(X, y)
    for given_part, n_bits in ((part, 3), (other, 2)):
        assert given_part.n_bits == n_bits
        assert given_part.random_state is None
        assert not hasattr(given_part, "codes_")


def test_seeds_and_threads_of_parts_count_where_they_have_some():
    hasher = mixed(8, SEEDED, ITQHasher(n_jobs=1), share=0.5, n_jobs=2).fit(X, y)
    assert hasher.label_hasher_.random_state == 3
    assert hasher.label_hasher_.n_jobs == 2
    assert hasher.geometry_hasher_.n_jobs == 1
    assert isinstance(hasher.geometry_hasher_.random_state, int)


def test_bits_depend_on_the_seed_alone():
    known = half_known(y)
    hashers = [
        MixedHasher(8, LINEAR, random_state=seed, n_jobs=n_jobs).fit(X, known)
        for seed, n_jobs in ((4, None), (np.random.RandomState(4), 2))
    ]
    first, again = hashers
    assert again.decisions_ == first.decisions_
    np.testing.assert_array_equal(again.decision_function(X), first.decision_function(X))


def test_fitting_again_forgets_what_was_decided_before():
    hasher = mixed().fit(X, half_known(y))
    assert hasher.share_results_ is not None
    hasher.fit(X)
    assert hasher.n_label_bits_ == 0
    assert hasher.label_hasher_ is hasher.share_results_ is hasher.spread_results_ is None
    assert len(hasher.decisions_) == 1


def test_scoring_leaves_unlabelled_items_out(fitted):
    known = half_known(y)
    labelled = known >= 0
    assert fitted.score(X, known) == fitted.score(X[labelled], y[labelled])
    assert fitted.score(X, y) != fitted.score(X, known)
    indicator = np.eye(10, dtype=int)[y]
    indicator[~labelled] = -1
    assert fitted.score(X, indicator) == pytest.approx(fitted.score(X, known))
    assert 0 < fitted.score(X) < 1
    with pytest.raises(ValueError, match="y must have labels; got -1 only"):
        fitted.score(X, np.full(y.size, -1))


def test_the_summary_tells_what_was_decided():
    hasher = mixed(share=0.5).fit(X, half_known(y))
    assert len(hasher.decisions_) == 2
    assert str(hasher.summary()).endswith("\n".join(hasher.decisions_))


def test_mixed_codes_serve_unseen_classes_better_than_labels_and_seen_ones_than_geometry():
    X, y = digits(900)
    seen = y < 7
    old, new = X[600:][seen[600:]], X[600:][~seen[600:]]
    scores = {}
    for name, share in {"labels": 1.0, "mixed": 0.5, "geometry": 0.0}.items():
        hasher = mixed(32, share=share).fit(X[:600][seen[:600]], y[:600][seen[:600]])
        scores[name] = (
            hasher.score(old, y[600:][seen[600:]]),
            hasher.score(new, y[600:][~seen[600:]]),
        )
    assert scores["mixed"][0] > scores["geometry"][0]
    assert scores["mixed"][1] > scores["labels"][1]
