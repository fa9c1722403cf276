"""Laws of mixed codes whose bits are signs of sums of margins."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import hashlearn
from hashlearn import TwoStepHasher, make_hasher
from hashlearn.affinity import SparseAffinity
from hashlearn.methods import ITQHasher
from hashlearn.methods._mixed.mix import MANY_CLASSES
from hashlearn.methods._mixed.scores import SumScores
from hashlearn.methods._mixed.share import SUM_SHARES
from hashlearn.methods._mixed.sums import LABEL_SIZE, SHRINKAGE, WithinClassMetric
from tests.methods.mixed.small import LINEAR, digits, half_known, mixed

X, y = digits(300)
KNOWN = half_known(y)


def summed(n_bits=16, *args, **params):
    return mixed(n_bits, *args, **{"combine": "sum", "unlabelled": "ignore", **params})


@pytest.fixture(scope="module")
def fitted():
    return summed(share=0.4).fit(X, KNOWN)


def test_a_margin_is_the_weighted_sum_of_those_of_both_parts(fitted):
    metric = fitted.sum_.metric_
    of_labels = fitted.label_hasher_.decision_function(X)
    of_geometry = fitted.geometry_hasher_.decision_function(metric.apply(X))
    label_sizes = np.abs(of_labels[KNOWN >= 0]).mean(axis=0)
    expected = 0.4 * LABEL_SIZE * of_labels / label_sizes
    expected += 0.6 * of_geometry / np.abs(of_geometry).mean(axis=0)
    np.testing.assert_allclose(fitted.decision_function(X), expected, rtol=1e-6)
    np.testing.assert_array_equal(fitted.transform(X), expected > 0)
    np.testing.assert_array_equal(fitted.codes_, fitted.transform(X))
    assert fitted.n_label_bits_ == fitted.n_bits_ == 16


def test_codes_do_not_depend_on_the_batch(fitted):
    alone = np.concatenate([fitted.encode(X[i : i + 1]) for i in range(40)])
    np.testing.assert_array_equal(alone, fitted.encode(X)[:40])


@pytest.mark.parametrize("share", [0, 1])
def test_the_ends_are_the_parts_alone(share):
    part, other = TwoStepHasher(6, random_state=3), ITQHasher(6, random_state=3)
    pure = summed(6, part, other, share=share).fit(X, y)
    alone = part.fit(X, y) if share else other.fit(X)
    np.testing.assert_array_equal(pure.decision_function(X), alone.decision_function(X))
    assert pure.sum_ is None


def test_within_classes_directions_vary_nearly_alike_in_the_metric():
    left = X - np.stack([X[y == c].mean(axis=0) for c in range(10)])[y]
    metric = WithinClassMetric.of(X, sp.csr_array(np.eye(10)[y]))
    variances = np.linalg.eigvalsh(np.cov(left.T, bias=True))
    scaled = variances / variances.mean()
    mapped = np.linalg.eigvalsh(np.cov((left @ metric.map_).T, bias=True)) / variances.mean()
    np.testing.assert_allclose(mapped, scaled / (scaled + SHRINKAGE), atol=1e-5)


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_items_that_do_not_vary_within_classes_have_a_metric():
    equal = np.eye(4)[np.arange(40) % 4]
    metric = WithinClassMetric.of(equal, sp.csr_array(equal))
    assert np.isfinite(metric.apply(equal)).all()


def test_float32_stays_float32():
    single = X.astype(np.float32)
    hasher = summed(share=0.4).fit(single, KNOWN)
    assert hasher.sum_.metric_.map_.dtype == np.float32
    assert hasher.geometry_hasher_.decision_function(single).dtype == np.float32


def test_a_model_file_has_the_same_bits(fitted, tmp_path):
    fitted.save(tmp_path / "sum.hashlearn")
    loaded = hashlearn.load(tmp_path / "sum.hashlearn")
    np.testing.assert_array_equal(loaded.encode(X), fitted.encode(X))
    assert loaded.fingerprint() == fitted.fingerprint()


def test_bits_do_not_depend_on_threads(fitted):
    again = summed(share=0.4, n_jobs=2).fit(X, KNOWN)
    np.testing.assert_array_equal(again.codes_, fitted.codes_)


def test_the_weight_of_labels_is_chosen_on_held_out_classes():
    hasher = summed().fit(X, y)
    results = hasher.share_results_
    np.testing.assert_array_equal(results["share"], SUM_SHARES)
    assert hasher.share_ in SUM_SHARES
    assert results["seen"][0] < results["seen"].max()
    assert results["unseen"][-1] < results["unseen"].max()
    assert f"share {hasher.share_:g} of all bits" in str(hasher.summary())


@given(table=arrays(float, (2, 15), elements=st.floats(0.01, 1)))
def test_the_rule_of_weights(table):
    scores = SumScores(SUM_SHARES, *table)
    best = scores.best(0.5)
    means = np.sqrt(scores.seen * scores.unseen)
    assert means[best] == pytest.approx(means.max())
    assert scores.seen[scores.best(1)] == scores.seen.max()
    assert scores.unseen[scores.best(0)] == scores.unseen.max()


def test_with_more_bits_than_features_bits_are_concatenated():
    hasher = summed(8, geometry_hasher="lsh", share=0.5).fit(X[:, 20:24], y)
    assert hasher.sum_ is None
    assert hasher.n_label_bits_ == 4


def test_pairs_and_label_sets_and_sparse_items_are_summed():
    i, j = np.random.default_rng(0).choice(300, size=(2, 3000))
    i, j = i[i != j], j[i != j]
    similar = np.where(y[i] == y[j], 1, -1)
    pairs = SparseAffinity.from_pairs(np.column_stack([i, j, similar]), n_items=300)
    indicator = np.column_stack([y % 2 == 0, y < 5]).astype(int)
    of_pairs = summed(share=0.5).fit(X, affinity=pairs)
    of_sets = summed(share=0.5).fit(X, indicator)
    of_sparse = summed(share=0.5).fit(sp.csr_array(X), y)
    assert of_sparse.sum_.metric_ is None
    assert of_sets.sum_.metric_ is not None
    assert of_pairs.sum_ is not None


def test_a_new_class_comes_nearer_by_partial_fit():
    old, new = np.flatnonzero(y != 9), np.flatnonzero(y == 9)
    hasher = summed(share=0.5).fit(X[old], y[old])
    before = hasher.score(X, y == 9)
    hasher.partial_fit(X[new], y[new])
    assert hasher.score(X, y == 9) > before


def test_sums_serve_new_classes_better_than_labels_and_known_ones_than_geometry():
    X, y = digits(900)
    seen = y < 7
    train, tested = np.flatnonzero(seen[:600]), slice(600, None)
    hashers = {
        "labels": TwoStepHasher(32, hash_function=LINEAR.hash_function, random_state=0),
        "geometry": make_hasher("itq", n_bits=32, random_state=0),
        "sum": summed(32, share=0.5),
    }
    scores = {}
    for name, hasher in hashers.items():
        hasher.fit(X[train], y[train])
        of_side = (
            hasher.score(X[tested][side], y[tested][side]) for side in (seen[600:], ~seen[600:])
        )
        scores[name] = tuple(of_side)
    assert scores["sum"][0] > scores["geometry"][0]
    assert scores["sum"][1] > scores["labels"][1]


def test_bits_are_sums_by_default_with_many_classes_and_features_for_all():
    random = np.random.default_rng(0)
    classes = np.repeat(np.arange(MANY_CLASSES + 1), 8)
    items = random.normal(size=(MANY_CLASSES + 1, 20))[classes] + random.normal(
        scale=0.3, size=(classes.size, 20)
    )
    few = classes < MANY_CLASSES
    several = np.eye(MANY_CLASSES + 1, dtype=int)[classes]

    def is_sum(items, labels, n_bits=16):
        hasher = mixed(n_bits, share=0.5, unlabelled="ignore").fit(items, labels)
        return hasher.sum_ is not None

    assert is_sum(items, classes)
    assert not is_sum(items[few], classes[few])
    assert not is_sum(items, several)
    assert not is_sum(items, classes, n_bits=24)
