"""Text ids do in an index what integers do."""

import contextlib
import pathlib
import uuid

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hashlearn import HammingIndex, VectorRescoring
from hashlearn._numerics.ids import Ids, TextLookup, as_ids
from hashlearn._numerics.texts import Texts
from hashlearn.files import IndexFileError, save_index
from hashlearn.metrics import precision_at_k, relevance_from_labels
from tests.search.brute_force import nearest, random_codes, within

words = st.lists(st.text(max_size=9).filter(lambda t: t.isprintable()), max_size=40, unique=True)


def texts(values):
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    ids=words.filter(len),
    layout=st.sampled_from(["plain", "bucketed", "multi-index"]),
    ties=st.sampled_from(["neutral", "insertion"]),
    seed=st.integers(0, 2**32 - 1),
)
def test_an_index_with_text_ids_equals_brute_force(tmp_path, ids, layout, ties, seed):
    random, ids = np.random.default_rng(seed), texts(ids)
    n = len(ids)
    codes, queries = random_codes(random, n, 20, 9), random_codes(random, 3, 20)
    index = HammingIndex(20, layout=layout, ties=ties)
    for part in np.array_split(np.arange(n), 3):
        index.add(codes[part], ids[part])
    kept = random.random(n) < 0.8
    kept[0] = True
    index.remove(set(ids[~kept]))
    codes, ids = codes[kept], ids[kept]
    index.save(tmp_path / "index")
    loaded = HammingIndex.load(tmp_path / "index", verify=bool(seed % 2))
    k = len(ids)
    for one in (index, loaded):
        np.testing.assert_array_equal(one.ids, ids)
        np.testing.assert_array_equal(one.reconstruct(ids[::-1]), codes[::-1])
        found = one.search(queries, k)
        assert found.ids.dtype == object
        assert all(type(id_) is str for id_ in found.ids.flat)
        expected = nearest(queries, codes, ids, k, ties)
        np.testing.assert_array_equal(found.ids, expected[1])
        hits = one.radius_search(queries, 9)
        for ours, theirs in zip(hits, within(queries, codes, ids, 9, ties), strict=True):
            np.testing.assert_array_equal(ours, theirs)
        allowed = one.search(queries, k, among={ids[0], "not there"})
        assert allowed.ids[:, 0].tolist() == [ids[0]] * 3
        assert all(id_ is None for id_ in allowed.ids[:, 1:].flat)
        np.testing.assert_array_equal(one.search(queries, k, among=ids == ids[0]).ids, allowed.ids)
    loaded.add(codes[:1], ["one more, and another"])
    assert loaded.ids.tolist() == [*ids, "one more, and another"]


def test_neutral_order_of_texts_is_what_measures_say():
    random = np.random.default_rng(0)
    codes, labels = random_codes(random, 300, 16, 20), np.repeat(np.arange(10), 30)
    ids = texts([f"item {i}" for i in range(300)])
    index = HammingIndex(16)
    index.add(codes, ids)
    right = labels[[int(i.split()[1]) for i in index.search(codes, 1).ids[:, 0]]] == labels
    relevance = relevance_from_labels(labels, labels)
    measured = precision_at_k(codes, codes, relevance, 1, ties="neutral", ids=ids)
    np.testing.assert_array_equal(right, measured)


def test_what_texts_can_be():
    identity, path = uuid.UUID(int=7), pathlib.PurePosixPath("a/b")
    for given_ids in (
        ["x", "y"],
        np.array(["x", "y"]),
        texts(["x", "y"]),
        ("x", np.str_("y")),
        [identity, path],
    ):
        found = as_ids(given_ids)
        assert found.dtype == object
        assert found.tolist() == list(map(str, given_ids))
        assert {type(id_) for id_ in found} == {str}


CODES = np.zeros((2, 1), dtype=np.uint8)


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (lambda i: i.add(CODES, ["c", "c"]), "ids holds 'c' twice"),
        (lambda i: i.add(CODES, ["c", "b"]), "ids holds 'b', which is in the index"),
        (lambda i: i.add(CODES, [1, 2]), "ids must be text, as those in the index; got "),
        (lambda i: i.add(CODES), "ids must be given: those in the index are text"),
        (lambda i: i.remove(["c"]), "ids holds 'c', which is not in the index"),
        (lambda i: i.reconstruct([3]), "ids must be text, as those in the index"),
        (lambda i: i.search(CODES, 1, among=[3]), "among must be text, as those in the index"),
        (lambda i: i.add(CODES, [b"c", b"d"]), "1-D integers or text"),
    ],
)
def test_wrong_ids_are_refused_and_change_nothing(act, message):
    index = HammingIndex(8)
    index.add(CODES, ["a", "b"])
    with pytest.raises(ValueError, match=message):
        act(index)
    assert index.ids.tolist() == ["a", "b"]


def test_faiss_takes_no_texts():
    pytest.importorskip("faiss")
    index = HammingIndex(8)
    index.add(CODES, ["a", "b"])
    with pytest.raises(ValueError, match="faiss has integer ids only"):
        index.to_faiss()


def test_an_empty_index_takes_ids_of_either_kind():
    index = HammingIndex(8)
    index.add(CODES, ["a", "b"])
    index.remove(["a", "b"])
    index.add(CODES)
    assert index.ids.tolist() == [0, 1]


def test_vectors_are_found_by_text_or_integer_ids():
    random = np.random.default_rng(0)
    vectors, queries = random.normal(size=(50, 4)), random.normal(size=(3, 4))
    order = random.permutation(50)
    codes = random_codes(random, 50, 8)
    exact = np.linalg.norm(queries[:, None] - vectors[None], axis=2)
    for ids in (texts([f"v{i}" for i in range(50)]), 3 * np.arange(50) + 100):
        index = HammingIndex(8)
        index.add(codes, ids)
        by_id = VectorRescoring(queries, vectors[order], ids=ids[order])
        found = index.search(codes[:3], 5, rescore=by_id, oversample=10)
        np.testing.assert_array_equal(found.ids, ids[np.argsort(exact, axis=1)[:, :5]])
        with pytest.raises(ValueError, match="none for id"):
            index.search(codes[:3], 5, rescore=VectorRescoring(queries, vectors[:3], ids=ids[:3]))
    with pytest.raises(ValueError, match="ids must have 50 entries"):
        VectorRescoring(queries, vectors, ids=["a"])
    with pytest.raises(ValueError, match="ids go with an array"):
        VectorRescoring(queries, lambda ids: vectors[ids], ids=["a"])


@given(parts=st.lists(words, max_size=6))
def test_texts_are_found_at_their_positions(parts):
    ids, expected = Ids(), []
    for part in parts:
        new = [i for i in part if i not in expected]
        ids = ids.appended(len(new), texts(new))
        expected += new
    asked = texts([*expected, "none of them, for sure"])
    assert ids.find(asked).tolist() == [*range(len(expected)), -1]


def test_many_small_parts_make_few_dictionaries():
    lookup = TextLookup()
    ids = texts([str(i) for i in range(2000)])
    for part in np.split(ids, 400):
        lookup = lookup.extended(part)
    assert len(lookup._runs) <= 11
    np.testing.assert_array_equal(lookup.find(ids), np.arange(2000))


@given(values=words)
def test_texts_come_back_from_bytes(values):
    stored = Texts.of(values)
    stored.check()
    assert len(stored) == len(values)
    assert stored[:].tolist() == values
    assert np.asarray(stored).tolist() == values


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    offsets=st.lists(
        st.integers(-(2**63), 2**63 - 1) | st.integers(-3, 30), min_size=5, max_size=5
    ),
    data=st.binary(min_size=20, max_size=20),
)
def test_damaged_texts_of_a_file_are_noticed_or_harmless(tmp_path, offsets, data):
    arrays = {
        "words": np.zeros((1, 6), dtype=np.uint64),
        "id_bytes": np.frombuffer(data, dtype=np.uint8),
        "id_offsets": np.array([0, *offsets, 20]),
    }
    document = {"n_bits": 8, "next_id": 0, "layout": "plain"}
    save_index(tmp_path / "index", document, arrays)
    index = HammingIndex.load(tmp_path / "index")
    assert index.search(CODES, 6).ids.shape == (2, 6)
    with contextlib.suppress(ValueError):
        index.remove(["a"])
    with contextlib.suppress(IndexFileError):
        known = HammingIndex.load(tmp_path / "index", verify=True).ids
        assert len(set(known)) == 6
