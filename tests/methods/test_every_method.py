"""Laws of every registered method: one interface, one behaviour, the same errors."""

import inspect
import re
import warnings
from functools import cache, partial

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.manifold import TSNE

from hashlearn import FloatQueries, HammingIndex, make_hasher
from hashlearn.affinity import LabelAffinity
from hashlearn.base import METHODS
from hashlearn.two_step import TwoStepHasher
from tests.methods.quick import quick
from tests.sklearn_checks import scikit_learn_checks

# c classes have c - 1 bits that carry similarity: `sths` and its kin have more here
pytestmark = [
    pytest.mark.filterwarnings("ignore:.* bits carry no similarity"),
    pytest.mark.filterwarnings("ignore:The objective rose"),
    pytest.mark.filterwarnings("ignore:n_anchors=.* exceeds"),
]
NAMES = METHODS.names()
SUPERVISED = [name for name in NAMES if METHODS.get(name).supervised]
FROM_AFFINITIES = [name for name in SUPERVISED if not METHODS.get(name).needs_labels]
TWO_STEP = [name for name in NAMES if issubclass(METHODS.get(name), TwoStepHasher)]


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X[:200] / 16, y[:200]


@cache
def fitted(name):
    """Return a fitted hasher of 11 bits that several tests share and none changes."""
    X, y = load_digits(return_X_y=True)
    return quick(name, n_bits=11).fit(X[:200] / 16, y[:200])


VARIANTS = [
    quick("lsh", n_bits=5).set_params(center=True),
    quick("agh", n_bits=2).set_params(n_layers=1),
    quick("sph", n_bits=5),
]
FURTHER = [  # kin of others that are checked in every run
    quick("imh", n_bits=2).set_params(embedding="tsne", n_anchors=8),
    quick("sths-rbf", n_bits=2),
]
CHECKED = [name for name in NAMES if name not in ("sths-rbf", "tsh")]  # tests/test_sklearn.py: tsh


@scikit_learn_checks([*(quick(name, n_bits=2) for name in CHECKED), *VARIANTS])
@pytest.mark.filterwarnings("ignore")
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.fixture
def few_steps(monkeypatch):
    """Let t-SNE end early: its steps take most of the time, and no check needs quality."""
    monkeypatch.setattr("hashlearn.methods.imh.TSNE", partial(TSNE, max_iter=250))


@pytest.mark.slow
@scikit_learn_checks(FURTHER)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.usefixtures("few_steps")
def test_scikit_learn_checks_of_their_kin(estimator, check):
    check(estimator)


@pytest.mark.parametrize("name", NAMES)
def test_a_method_says_what_it_is(name):
    cls = METHODS.get(name)
    text = inspect.getdoc(cls)
    assert text.partition("\n")[0].endswith("[1]_.")
    for section in ("Parameters", "Attributes", "References", "Examples"):
        assert f"\n{section}\n---" in text
    assert cls.card.title
    assert cls.card.hash_function
    assert cls.card.cost
    assert cls.card.use


@pytest.mark.parametrize("name", NAMES)
def test_constructors_have_the_same_last_words(name):
    parameters = inspect.signature(METHODS.get(name).__init__).parameters
    assert list(parameters)[1] == "n_bits"
    assert list(parameters)[-3:] == ["random_state", "n_jobs", "verbose"]


@pytest.mark.parametrize("name", NAMES)
def test_codes_have_their_shape_and_pack_as_numpy_packs(name, digits):
    X, _ = digits
    hasher = fitted(name)
    bits = hasher.transform(X)
    assert bits.shape == hasher.codes_.shape == (200, 11)
    assert bits.dtype == hasher.codes_.dtype == np.uint8
    np.testing.assert_array_equal(hasher.encode(X), np.packbits(bits, axis=1))
    np.testing.assert_array_equal(hasher.decision_function(X) > 0, bits)
    if name not in TWO_STEP:
        np.testing.assert_array_equal(bits, hasher.codes_)


@pytest.mark.parametrize("name", NAMES)
def test_float_queries_find_what_their_distances_to_all_codes_give(name, digits):
    X, _ = digits
    hasher = fitted(name)
    codes, queries = hasher.encode(X), hasher.encode_queries(X[:20])
    index = HammingIndex(11, ties="insertion")
    index.add(codes)
    distances = queries.distances(codes)
    order = np.argsort(distances, axis=1, kind="stable")
    for k in (1, 10, 200):
        found = index.search(queries, k)
        np.testing.assert_array_equal(found.ids, order[:, :k])
        wanted = np.take_along_axis(distances, order[:, :k], axis=1)
        np.testing.assert_array_equal(found.distances, wanted)


@pytest.mark.parametrize("name", NAMES)
def test_a_lone_query_is_the_same_as_among_others(name, digits):
    X, _ = digits
    hasher = fitted(name)
    queries = hasher.encode_queries(X[:20])
    lone = FloatQueries.joined([hasher.encode_queries(X[i : i + 1]) for i in range(20)])
    for part in ("codes", "weights", "constants", "shifts"):
        np.testing.assert_array_equal(getattr(lone, part), getattr(queries, part))


@pytest.mark.parametrize("name", NAMES)
def test_codes_are_better_than_chance(name, digits):
    X, y = digits
    assert fitted(name).score(X, y) > 0.2  # 0.1 is chance


@pytest.mark.parametrize("name", NAMES)
def test_bits_depend_on_the_seed_alone(name, digits):
    X, y = digits
    many = np.tile(X, (13, 1))  # enough rows for threads
    first = fitted(name)
    again = quick(name, n_bits=11).set_params(n_jobs=2).fit(X.copy(), y.copy())
    np.testing.assert_array_equal(first.codes_, again.codes_)
    np.testing.assert_array_equal(first.decision_function(many), again.decision_function(many))


@pytest.mark.parametrize("name", NAMES)
def test_a_row_has_its_bits_whatever_comes_with_it(name, digits):
    X, _ = digits
    hasher = fitted(name)
    together = hasher.transform(X[:20])
    np.testing.assert_array_equal(
        np.concatenate([hasher.transform(X[i : i + 1]) for i in range(20)]), together
    )


@pytest.mark.parametrize("name", NAMES)
def test_float32_items_get_about_the_bits_of_float64_ones(name, digits):
    X, y = digits
    double = fitted(name).score(X, y)
    single = quick(name, n_bits=11).fit(X.astype(np.float32), y).score(X.astype(np.float32), y)
    assert abs(double - single) < 0.1


@pytest.mark.parametrize("name", NAMES)
def test_sparse_items_are_taken_or_refused_in_one_sentence(name, digits):
    X, y = digits
    hasher = quick(name, n_bits=8)
    if hasher.__sklearn_tags__().input_tags.sparse:
        sparse = sp.csr_array(X)
        assert hasher.fit(sparse, y).transform(sparse).shape == (200, 8)
    else:
        with pytest.raises(TypeError, match=r"[Ss]parse"):
            hasher.fit(sp.csr_array(X), y)


@pytest.mark.parametrize("name", NAMES)
def test_fitting_leaves_items_and_parameters_as_they_were(name, digits):
    X, y = digits
    before, hasher = X.copy(), quick(name, n_bits=4)
    parameters = clone(hasher).get_params()
    hasher.fit(X, y).transform(X)
    np.testing.assert_array_equal(X, before)
    assert str(hasher.get_params()) == str(parameters)


@pytest.mark.parametrize("name", NAMES)
def test_wrong_numbers_of_bits_and_threads_are_refused(name, digits):
    X, y = digits
    with pytest.raises(ValueError, match="n_bits"):
        quick(name, n_bits=0).fit(X, y)
    with pytest.raises(ValueError, match="n_jobs"):
        quick(name, n_bits=2).set_params(n_jobs=0).fit(X, y)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_items_that_are_no_numbers_are_refused(name, value, digits):
    X, y = digits
    broken = X.copy()
    broken[3, 5] = value
    with pytest.raises(ValueError, match=r"NaN|infinity"):
        quick(name, n_bits=2).fit(broken, y)


def small_problems():
    rng = np.random.default_rng(0)
    y = np.arange(12) % 2
    yield "equal rows", np.ones((12, 4)), y
    yield "a constant feature", np.c_[rng.normal(size=(12, 3)), np.ones(12)], y
    yield (
        "few distinct rows",
        np.repeat(rng.normal(size=(3, 4)), 4, axis=0),
        np.repeat([0, 1, 1], 4),
    )
    yield "two items", rng.normal(size=(2, 4)), np.array([0, 1])
    yield "more features than items", rng.normal(size=(6, 20)), np.arange(6) % 2


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("title", "X", "y"),
    list(small_problems()),
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_small_problems_give_codes_or_one_clear_sentence(name, title, X, y):
    hasher = quick(name, n_bits=2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        warnings.simplefilter("error", RuntimeWarning)  # numpy's own are nobody's message
        try:
            margins = hasher.fit(X, y).decision_function(X)
        except ValueError as refusal:
            sentence = str(refusal)
        else:
            assert margins.shape == (X.shape[0], 2)
            assert np.isfinite(margins).all()
            return
    assert sentence.endswith(".")


def supervisions(y):
    indicator = np.c_[np.eye(10, dtype=int)[y], y % 2]
    pairs = sp.csr_array(
        LabelAffinity(y).block(slice(None)) * (np.random.default_rng(0).random((200, 200)) < 0.3)
    )
    stored = sp.csr_array(sp.triu(pairs, 1) + sp.triu(pairs, 1).T)
    same = LabelAffinity(y)
    yield "labels", {"y": y}
    yield "words", {"y": np.array(list("abcdefghij"))[y]}
    yield "several labels", {"y": indicator}
    yield "an affinity", {"affinity": same}
    yield "a matrix", {"affinity": same.block(slice(None)).astype(float)}
    yield "pairs", {"affinity": stored}
    yield "neighbours", {}


@pytest.mark.parametrize("kind", range(7))
@pytest.mark.parametrize("name", SUPERVISED)
def test_every_kind_of_supervision_is_taken_or_refused_in_one_sentence(name, kind, digits):
    X, y = digits
    title, given = list(supervisions(y))[kind]
    hasher = quick(name, n_bits=6)
    if name not in FROM_AFFINITIES and "y" not in given:
        with pytest.raises((TypeError, ValueError), match=r"y|affinity"):
            hasher.fit(X, **given)
        return
    hasher.fit(X, **given)
    least = {"several labels": 0.1, "neighbours": 0.2}.get(title, 0.25)
    assert hasher.score(X, y) > least


@pytest.mark.parametrize(
    "form",
    [
        pytest.param(sp.csr_array, id="sparse"),
        pytest.param(sp.csr_array.toarray, id="dense", marks=pytest.mark.slow),
    ],
)
@pytest.mark.parametrize("name", FROM_AFFINITIES)
def test_items_without_pairs_do_not_spoil_what_pairs_say(name, form, digits):
    X, y = digits
    known, rest = slice(0, 80), slice(80, 200)
    Y = np.zeros((200, 200))
    Y[known, known] = LabelAffinity(y[known]).block(slice(None))
    affinity = form(sp.csr_array(Y))
    all_items = quick(name, n_bits=12).fit(X, affinity=affinity)
    few_items = quick(name, n_bits=12).fit(X[known], affinity=LabelAffinity(y[known]))
    score, fair = (hasher.score(X[rest], y[rest]) for hasher in (all_items, few_items))
    assert score > 0.8 * fair
    assert all_items.codes_.shape == (200, 12)


@pytest.mark.parametrize("scale", [1e25, 1e-25])
@pytest.mark.parametrize("name", NAMES)
def test_items_out_of_scale_are_refused_or_coded_alike(name, scale, digits):
    X, y = digits
    scaled = (X * scale).astype(np.float32)
    try:
        bits = quick(name, n_bits=6).fit(scaled, y).transform(scaled)
    except ValueError as refusal:
        sentence = str(refusal)
    else:
        assert len(np.unique(bits, axis=0)) > 2
        return
    assert re.search("X (has values up to|varies by)", sentence)


@pytest.mark.parametrize("name", SUPERVISED)
def test_supervision_of_other_items_is_refused(name, digits):
    X, y = digits
    with pytest.raises(ValueError, match=r"items|samples"):
        quick(name, n_bits=2).fit(X, y[:-1])


@pytest.mark.parametrize("name", SUPERVISED)
def test_minus_one_is_a_class_with_a_warning_except_for_mixed(name, digits):
    """Unlabelled items were once one more class, without a word."""
    X, y = digits[0], np.where(np.arange(200) % 10 < 5, digits[1], -1)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        quick(name, n_bits=2).fit(X, y)
    told = [str(warning.message) for warning in caught if "MixedHasher" in str(warning.message)]
    assert len(told) == (name != "mixed")
    assert all("-1, the label of 100 of 200 items" in message for message in told)


@pytest.mark.parametrize("name", [name for name in SUPERVISED if name != "mixed"])
def test_missing_labels_are_refused_by_name(name, digits):
    X, y = digits[0], digits[1].astype(object)
    y[:7] = None
    with pytest.raises(ValueError, match=r"Labels of 7 of 200 items are missing.*MixedHasher"):
        quick(name, n_bits=2).fit(X, y)


@pytest.mark.parametrize("name", [name for name in SUPERVISED if name not in FROM_AFFINITIES])
def test_missing_labels_are_told_with_a_method_that_needs_none(name, digits):
    sentence = "requires y to be passed, but the target y is None: .* without labels use 'itq'"
    with pytest.raises(ValueError, match=sentence):
        quick(name, n_bits=2).fit(digits[0])


@pytest.mark.parametrize("label", [0, "a"])
@pytest.mark.parametrize("name", SUPERVISED)
def test_one_class_only_is_refused_in_the_words_of_labels(name, label, digits):
    with pytest.raises(ValueError, match="y must have at least two classes"):
        quick(name, n_bits=2).fit(digits[0], np.full(200, label))


@pytest.mark.parametrize("name", SUPERVISED)
def test_labels_that_are_all_different_are_told_in_one_sentence(name, digits):
    X, refused = digits[0][:40], ""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            quick(name, n_bits=2).fit(X, [f"id {i}" for i in range(40)])
        except ValueError as refusal:
            refused = str(refusal)
    assert not refused or refused.endswith("all 40 labels are different.")
    sentences = {str(warning.message) for warning in caught}
    assert any("40 items have 40 different labels, so hardly" in text for text in sentences)
    assert not any("regression" in text for text in sentences)


@pytest.mark.parametrize("name", [name for name in NAMES if name not in SUPERVISED])
def test_unsupervised_methods_do_not_look_at_labels(name, digits):
    X, _ = digits
    np.testing.assert_array_equal(fitted(name).codes_, quick(name, n_bits=11).fit(X).codes_)


@pytest.mark.parametrize("name", SUPERVISED)
def test_supervised_methods_learn_other_codes_from_other_labels(name, digits):
    X, y = digits[0][:60], digits[1][:60] % 3
    hasher = quick(name, n_bits=4)
    codes = hasher.fit(X, y).transform(X)
    assert np.any(codes != hasher.fit(X, np.roll(y, 1)).transform(X))


@pytest.mark.parametrize("name", [name for name in NAMES if METHODS.get(name).card.distance])
def test_a_method_with_its_own_distance_has_one_that_fits_its_codes(name, digits):
    X, _ = digits
    hasher = fitted(name)
    hasher.distance_.check(11)
    packed = hasher.encode(X)
    distances = hasher.distance_.between(packed[:5], packed)
    assert distances.shape == (5, 200)
    assert (distances >= 0).all()
    np.testing.assert_allclose(distances[np.arange(5), np.arange(5)], 0, atol=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_progress_goes_to_standard_error_only(name, digits, capsys):
    X, y = digits
    quick(name, n_bits=3).set_params(verbose=1).fit(X, y)
    assert capsys.readouterr().out == ""


def test_names_make_hashers_of_their_class():
    for name in NAMES:
        assert type(make_hasher(name, n_bits=3)) is METHODS.get(name)
