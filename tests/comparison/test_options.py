"""Laws of measured options: means, errors, and when two of them are level."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashlearn.comparison._measuring import Task
from hashlearn.comparison._options import MARGIN, Option, best_of, gather, of_codes
from tests.comparison.records import MEASURE, made_option, made_record

seeds = st.integers(0, 1000)


@given(seed=seeds)
def test_an_error_is_the_standard_error_of_the_mean(seed):
    values = np.random.default_rng(seed).random(20)
    mean, error, n_queries = made_option("a", 8, values).estimate(MEASURE)
    assert n_queries == 20
    assert mean == pytest.approx(values.mean())
    assert error == pytest.approx(values.std(ddof=1) / np.sqrt(20))


@given(seed=seeds)
def test_an_error_is_no_less_than_that_over_folds(seed):
    folds = np.random.default_rng(seed).random((3, 20)) + np.arange(3)[:, None]
    mean, error, n_queries = made_option("a", 8, *folds).estimate(MEASURE)
    assert n_queries == 60
    assert mean == pytest.approx(folds.mean())
    assert error == pytest.approx(folds.mean(axis=1).std(ddof=1) / np.sqrt(3))


def test_queries_that_are_the_same_in_all_folds_are_counted_once():
    values = np.random.default_rng(0).random(20)
    one = made_option("a", 8, values).estimate(MEASURE, "reporting")
    three = made_option("a", 8, values, values, values).estimate(MEASURE, "reporting")
    assert three == pytest.approx(one)


def test_queries_with_nothing_to_find_are_left_out():
    values = [0.5, None, 0.7, None, 0.9]
    assert made_option("a", 8, values).estimate(MEASURE) == pytest.approx(
        made_option("a", 8, [0.5, 0.7, 0.9]).estimate(MEASURE)
    )
    assert made_option("a", 8, [None, None]).estimate(MEASURE) is None
    assert made_option("a", 8, [0.5]).estimate("another") is None


def of_folds(*reporting, measure=MEASURE):
    """Return an option with other values on the reporting queries in each fold."""
    records = [
        made_record(Task("a", 8, fold), {measure: [0.5]}, {measure: values})
        for fold, values in enumerate(reporting)
    ]
    return Option(records, "hamming", 1)


def test_a_query_counts_in_the_folds_in_which_it_has_something_to_find():
    found = of_folds([0.5, None, None], [None, 0.7, None]).estimate(MEASURE, "reporting")
    assert found.mean == pytest.approx(0.6)
    assert found.error == pytest.approx(np.hypot(0.1, 0.1))


def test_queries_of_classes_kept_out_are_others_in_each_fold():
    values = np.random.default_rng(0).random((3, 20))
    name = f"new-{MEASURE}"
    found = of_folds(*values.tolist(), measure=name).estimate(name, "reporting")
    assert found == pytest.approx(
        made_option("a", 8, *values).estimate(MEASURE)  # choosing queries are others, too
    )


def test_the_time_of_a_fit_is_that_to_all_classes():
    records = [
        made_record(Task("a", 8, new=new), [0.5], seconds=seconds)
        for new, seconds in ((False, 3.0), (True, 1.0))
    ]
    assert Option(records, "hamming", 1).fit_seconds == 3


@given(seed=seeds, at_least=st.floats(0, 1))
def test_a_number_is_reached_by_the_mean_less_its_error(seed, at_least):
    option = made_option("a", 8, np.random.default_rng(seed).random(20))
    mean, error, _ = option.estimate(MEASURE)
    assert option.reaches(MEASURE, at_least) == (mean - error >= at_least)
    assert not option.reaches("another", 0)


@given(seed=seeds, shift=st.floats(-0.2, 0.2))
def test_options_are_level_within_two_errors_of_their_paired_difference(seed, shift):
    rng = np.random.default_rng(seed)
    ours = rng.random(30)
    theirs = ours + shift + rng.normal(scale=0.1, size=30)
    differences = ours - theirs
    bound = 2 * differences.std(ddof=1) / np.sqrt(30)
    one, other = made_option("a", 8, ours), made_option("b", 8, theirs)
    assert one.is_level(other, MEASURE) == (abs(differences.mean()) <= bound)
    assert one.is_level(other, MEASURE) == other.is_level(one, MEASURE)
    assert one.is_as_good_as(other, MEASURE) == (
        differences.mean() - bound / 2 >= -MARGIN * theirs.mean()
    )


def test_a_small_difference_on_every_query_is_not_level():
    values = np.random.default_rng(0).random(30)
    one, other = made_option("a", 8, values), made_option("b", 8, values - 0.01)
    assert one.estimate(MEASURE).error > 0.01
    assert not one.is_level(other, MEASURE)


def test_a_difference_between_folds_counts_in_the_error_of_a_difference():
    """Which classes are kept out decides more than which queries are asked."""
    values = np.random.default_rng(0).random(30)
    one = made_option("a", 8, values, values, values)
    other = made_option("b", 8, values - 0.1, values + 0.06, values - 0.05)
    assert one.is_level(other, MEASURE)


def test_equal_values_have_the_error_that_one_more_query_could_make():
    assert made_option("a", 8, [1.0] * 9).estimate(MEASURE).error == pytest.approx(0.1)
    assert not made_option("a", 8, [1.0] * 9).reaches(MEASURE, 0.95)


def test_differences_are_of_the_folds_that_both_have():
    rng = np.random.default_rng(0)
    first, second = rng.random((2, 30))
    assert made_option("a", 8, first, second).is_level(made_option("b", 8, first), MEASURE)
    other = Option([made_record(Task("b", 8, fold=2), first)], "hamming", 1)
    assert not made_option("a", 8, first).is_level(other, MEASURE)


@given(seed=seeds)
def test_the_best_has_the_highest_mean(seed):
    rng = np.random.default_rng(seed)
    options = [made_option(name, 8, rng.random(5)) for name in "abcd"]
    best = best_of(options, MEASURE)
    assert best.estimate(MEASURE).mean == max(one.estimate(MEASURE).mean for one in options)
    assert best_of(options, "another") is None


def test_options_are_gathered_from_whole_folds_in_one_order():
    tasks = [
        *(Task("b", 8), Task("a", 16), Task("a", 8), Task("vectors", 0)),
        *(Task("c", 8, screening=True), Task("d", 8, new=True), Task("a", 8, 1)),
    ]
    records = [made_record(task, [0.5, 0.6]) for task in tasks]
    records.append({"task": records[0]["task"], "failed": "reason", "seconds": 0})
    expected = [("vectors", 0), ("a", 8), ("b", 8), ("a", 16)]
    for order in (records, records[::-1]):
        options = gather(order)
        assert [option.key for option in options] == expected
        assert [option.n_folds for option in options] == [1, 2, 1, 1]
    assert [option.key for option in of_codes(options)] == expected[1:]


def test_options_that_need_vectors_are_left_out_unless_asked_for():
    options = [made_option("a", 8, [0.5], candidates=n) for n in (1, 2)]
    assert [one.candidates for one in of_codes(options)] == [1]
    assert [one.candidates for one in of_codes(options, rescored=True)] == [1, 2]


def test_bytes_beside_the_codes_count_for_asymmetric_search_alone():
    record = made_record(Task("a", 12), [0.5]) | {"bytes_beside": 1}
    assert Option([record], "hamming", 1).n_bytes == 2
    asymmetric = made_record(Task("a", 12), [0.5], search="asymmetric") | {"bytes_beside": 1}
    assert Option([asymmetric], "asymmetric", 1).n_bytes == 3


def test_a_row_has_the_mean_the_error_and_the_fresh_mean():
    row = made_option("a", 12, [0.2, 0.4], reporting=[0.5, 0.7]).as_row()
    assert row[MEASURE] == pytest.approx(0.3)
    assert row[f"{MEASURE} error"] == pytest.approx(0.1)
    assert row[f"{MEASURE} fresh"] == pytest.approx(0.6)
    assert (row["method"], row["bits"], row["bytes"], row["folds"]) == ("a", 12, 2, 1)


def test_the_best_is_that_of_the_folds_that_all_have():
    """On a second, easier fold a worse option must not look better."""
    worse, better = made_option("a", 8, [0.5] * 4, [0.9] * 4), made_option("b", 8, [0.6] * 4)
    assert worse.estimate(MEASURE).mean > better.estimate(MEASURE).mean
    assert best_of([worse, better], MEASURE) is better


def test_the_best_is_that_of_most_folds_if_none_is_common():
    worse, better = (made_option(name, 8, [mean] * 4) for name, mean in (("a", 0.5), ("b", 0.6)))
    other = Option([made_record(Task("c", 8, fold=1), [0.9] * 4)], "hamming", 1)
    assert best_of([other, worse, better], MEASURE) is better
