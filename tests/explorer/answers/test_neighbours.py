"""What a query finds is what a slow ranking finds."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashlearn import HammingIndex
from hashlearn.explorer.answers.neighbours import query_curve, search, within_radius
from hashlearn.explorer.answers.ranking import Asked, Query
from hashlearn.explorer.errors import NoAnswerError, NotThereError
from hashlearn.metrics import average_precision, precision_at_k
from tests.explorer.small import collection_of, random_collection, slow_ranking

collections = st.builds(
    random_collection,
    seed=st.integers(0, 99),
    n_items=st.integers(1, 30),
    n_bits=st.integers(1, 20),
    several=st.booleans(),
    with_labels=st.booleans(),
)


@st.composite
def questions(draw):
    """Return a collection, the position of a query and a number of bits."""
    collection = draw(collections)
    position = draw(st.integers(0, collection.n_items - 1))
    return collection, position, draw(st.integers(1, collection.methods["codes"].n_bits))


def is_relevant(collection, position, order):
    """Return what shares a label with an item; None if nothing tells."""
    own = set(collection.labels_of(position) or ())
    return [bool(own & set(collection.labels.of(i))) for i in order] if own else None


@given(questions(), st.integers(1, 40))
def test_neighbours_are_those_of_a_slow_ranking(question, k):
    collection, position, bits = question
    found = search(collection, "codes", Query(position=position), bits, k)
    order, distances = slow_ranking(collection, position, bits)
    relevant = is_relevant(collection, position, order) or [None] * len(order)
    coded = collection.methods["codes"]
    expected = zip(order, distances, coded.codes(order, bits), relevant, strict=True)
    rows = [(h.item.position, h.distance, h.code, h.relevant) for h in found.hits]
    assert rows == list(expected)[:k]
    assert position not in [hit.item.position for hit in found.hits]
    assert found.query.code == coded.code(position)[:bits]


@given(questions(), st.integers(1, 40))
def test_ties_tell_how_many_items_are_equally_far(question, k):
    collection, position, bits = question
    found = search(collection, "codes", Query(position=position), bits, k)
    _, distances = slow_ranking(collection, position, bits)
    shown = [hit.distance for hit in found.hits]
    ties = [(d, shown.count(d), distances.count(d)) for d in sorted(set(shown))]
    assert [(tie.distance, tie.shown, tie.total) for tie in found.ties] == ties


@pytest.mark.parametrize("several", [False, True])
def test_precision_is_that_of_the_list_and_of_the_measures(several):
    collection = random_collection(seed=1, n_items=25, n_bits=11, several=several)
    for position, k in product(range(0, 25, 2), (1, 2, 7, 23, 24, 99)):
        found = search(collection, "codes", Query(position=position), 9, k)
        if found.query.labels is None:
            assert found.precision is None
            continue
        shown = [hit.relevant for hit in found.hits]
        assert found.precision.shown == sum(shown) / len(shown)
        parts = measured_parts(collection, position, 9)
        ids = np.delete(collection.ids, position)
        by_index = precision_at_k(*parts, min(k, 24), ties="neutral", n_bits=9, ids=ids)
        assert found.precision.shown == by_index[0]
        expected = precision_at_k(*parts, min(k, 24), n_bits=9)
        np.testing.assert_allclose(found.precision.expected, expected[0], rtol=1e-12)


def measured_parts(collection, position, bits):
    """Return what the measures take: one query, all other items, and which of them are relevant."""
    packed = collection.methods["codes"].first_bits(np.arange(collection.n_items), bits)
    others = np.delete(np.arange(collection.n_items), position)
    relevance = np.array([is_relevant(collection, position, others)])
    return packed[[position]], packed[others], relevance


@given(questions(), st.integers(0, 25), st.integers(0, 10))
def test_a_radius_holds_all_that_is_near_enough(question, radius, limit):
    collection, position, bits = question
    within = within_radius(collection, "codes", Query(position=position), bits, radius, limit)
    order, distances = slow_ranking(collection, position, bits)
    near = [i for i, d in zip(order, distances, strict=True) if d <= radius]
    assert within.count == len(near)
    assert [hit.item.position for hit in within.hits] == near[:limit]
    relevant = is_relevant(collection, position, near)
    if relevant is None:
        assert within.precision is within.recall is None
        return
    n_relevant = sum(is_relevant(collection, position, order))
    assert within.precision == (sum(relevant) / len(near) if near else None)
    assert within.recall == (sum(relevant) / n_relevant if n_relevant else None)


def test_radius_0_holds_equal_codes_and_the_largest_one_all():
    collection = collection_of([[0, 0], [0, 0], [1, 1], [0, 1]])
    query = Query(position=0)
    assert [h.item.position for h in within_radius(collection, "codes", query, radius=0).hits] == [
        1
    ]
    assert within_radius(collection, "codes", query, radius=2).count == 3


@given(questions())
def test_a_curve_ends_where_everything_is_found(question):
    collection, position, bits = question
    order, distances = slow_ranking(collection, position, bits)
    relevant = is_relevant(collection, position, order)
    if not relevant or not any(relevant):
        with pytest.raises(NoAnswerError):
            query_curve(collection, "codes", Query(position=position), bits)
        return
    curve = query_curve(collection, "codes", Query(position=position), bits)
    assert curve.radii == tuple(range(bits + 1))
    assert curve.counts == tuple(sum(d <= r for d in distances) for r in curve.radii)
    assert curve.recall[-1] == 1
    hits = [sum(y for y, d in zip(relevant, distances, strict=True) if d <= r) for r in curve.radii]
    shares = [h / n if n else None for h, n in zip(hits, curve.counts, strict=True)]
    assert list(curve.precision) == shares
    np.testing.assert_allclose(curve.recall, np.array(hits) / sum(relevant))
    expected = average_precision(*measured_parts(collection, position, bits), n_bits=bits)
    np.testing.assert_allclose(curve.average_precision, expected[0], rtol=1e-12)


def test_where_nothing_is_near_precision_is_not_told():
    collection = collection_of([[0, 0], [1, 0], [1, 1]], labels=["a", "b", "a"])
    curve = query_curve(collection, "codes", Query(position=0))
    assert curve.counts == (0, 1, 2)
    assert curve.precision == (None, 0, 0.5)
    assert curve.recall == (0, 0, 1)
    assert within_radius(collection, "codes", Query(position=0), radius=0).precision is None


def test_an_index_finds_the_same(collection):
    coded = collection.methods["lsh"]
    for bits in (3, 8, 21):
        index = HammingIndex(bits)
        index.add(coded.first_bits(np.arange(200), bits), ids=collection.ids)
        for position in range(0, 200, 17):
            found = search(collection, "lsh", Query(position=position), bits, k=30)
            others = np.arange(200) != position
            query = coded.first_bits([position], bits)
            distances, ids = index.search(query, k=30, among=others)
            assert [hit.item.id for hit in found.hits] == list(map(str, ids[0].tolist()))
            assert [hit.distance for hit in found.hits] == distances[0].tolist()


@given(collections, st.data())
def test_a_code_that_no_item_has_finds_all_items(collection, data):
    coded = collection.methods["codes"]
    bit = st.integers(0, 1)
    code = data.draw(st.lists(bit, min_size=coded.n_bits, max_size=coded.n_bits))
    bits = data.draw(st.integers(1, coded.n_bits))
    text = "".join(map(str, code))
    found = search(collection, "codes", Query(code=coded.parse(text)), bits, k=100)
    order, distances = slow_ranking(collection, None, bits, code)
    assert [(hit.item.position, hit.distance) for hit in found.hits] == list(
        zip(order, distances, strict=True)
    )
    assert found.query == Asked(item=None, code=text[:bits], labels=None)


def test_a_label_judges_a_query_that_has_none():
    collection = collection_of([[0], [0], [1]], labels=["a", "", "b"])
    code = collection.methods["codes"].parse("0")
    found = search(collection, "codes", Query(code=code, labels=("a",)))
    assert {hit.item.position: hit.relevant for hit in found.hits} == {0: True, 1: False, 2: False}
    unlabelled = search(collection, "codes", Query(position=1, labels=("b",)))
    assert {hit.item.position: hit.relevant for hit in unlabelled.hits} == {0: False, 2: True}
    own = search(collection, "codes", Query(position=0, labels=("b",)))
    assert own.query.labels == ("a",)


def test_a_label_says_nothing_where_there_are_no_labels():
    collection = collection_of([[0], [1]])
    found = search(collection, "codes", Query(position=0, labels=("a",)))
    assert found.query.labels is found.hits[0].relevant is found.precision is None


def test_the_only_item_finds_nothing():
    collection = collection_of([[0, 1, 1]], labels=["a"])
    query = Query(position=0)
    found = search(collection, "codes", query)
    assert found.hits == found.ties == ()
    assert found.precision is None
    within = within_radius(collection, "codes", query, radius=3)
    assert (within.count, within.precision, within.recall, within.hits) == (0, None, None, ())
    with pytest.raises(NoAnswerError, match="No other item"):
        query_curve(collection, "codes", query)


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda c: search(c, "codes", Query(position=0), k=0), "k must be at least 1; got 0"),
        (lambda c: search(c, "codes", Query(position=0), bits=3), "bits must be 1 to 2"),
        (lambda c: search(c, "codes", Query(position=2)), "no item 2"),
        (lambda c: search(c, "codes", Query(position=-1)), "no item -1"),
        (lambda c: search(c, "itq", Query(position=0)), "method='itq' is not loaded"),
        (lambda c: search(c, "codes", Query(position=1, labels=("x",))), "Unknown label 'x'"),
        (lambda c: within_radius(c, "codes", Query(position=0), radius=-1), "radius must be"),
        (
            lambda c: within_radius(c, "codes", Query(position=0), limit=-1),
            "limit must be at",
        ),
        (lambda c: query_curve(c, "codes", Query(position=1)), "The query has no label"),
        (lambda c: Query(), "an item or a code"),
        (lambda c: Query(position=0, code=np.zeros((1, 1), np.uint8)), "an item or a code"),
        (lambda c: search(c, "codes", Query(code=np.zeros((2, 1), np.uint8))), "got 2 codes"),
        (lambda c: search(c, "codes", Query(code=np.zeros((1, 2), np.uint8))), "2 bytes wide"),
    ],
)
def test_questions_that_make_no_sense_are_refused(ask, said):
    collection = collection_of([[0, 1], [1, 1]], labels=["a", ""])
    with pytest.raises((ValueError, NotThereError), match=said):
        ask(collection)
