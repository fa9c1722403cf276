"""Means are over seeds and nothing else."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashlearn.experiments.summaries import Spread, spread_of, summarise
from tests.experiments.fake_records import a_record, whole_run

numbers = st.floats(0, 1)


@given(st.lists(numbers, min_size=2, max_size=6))
def test_spread_is_the_mean_and_the_population_deviation(values):
    spread = spread_of(values)
    assert spread.mean == pytest.approx(np.mean(values))
    assert spread.std == pytest.approx(np.std(values, ddof=0))
    assert spread.n == len(values)


@given(st.lists(st.one_of(numbers, st.sampled_from([None, float("nan"), float("inf")]))))
def test_what_is_no_number_does_not_count(values):
    kept = [value for value in values if value is not None and np.isfinite(value)]
    assert spread_of(values) == spread_of(kept)


def test_one_seed_has_no_spread():
    assert spread_of([0.5]) == Spread(0.5, None, 1)


@pytest.mark.parametrize(
    "change",
    [
        {"dataset": "cifar10"},
        {"protocol": "unseen"},
        {"method": "tsh-ksh"},
        {"hash_function": "kernel-features"},
        {"n_bits": 16},
        {"n_queries": 500},
        {"n_training": 500},
        {"n_database": 500},
        {"n_anchors": 100},
        {"fingerprint": "other"},
    ],
    ids=lambda change: next(iter(change)),
)
def test_runs_that_differ_in_more_than_the_seed_are_kept_apart(change):
    results = summarise([a_record(seed=0), a_record(**({"seed": 1} | change))])
    assert sorted(map(len, (result.seeds for result in results))) == [1, 1]


def test_seeds_are_averaged_although_each_draws_its_own_sizes():
    records = [
        a_record(seed=seed, protocol="unseen", drawn={"n_database": 18000 + seed})
        for seed in range(3)
    ]
    (result,) = summarise(records)
    assert result.size("n_database") == (18000, 18002)


@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_records_does_not_matter(seed):
    records = whole_run()
    shuffled = random.Random(seed).sample(records, len(records))
    assert [(r.setting, r.seeds) for r in summarise(records)] == [
        (r.setting, r.seeds) for r in summarise(shuffled)
    ]


def test_the_same_record_twice_counts_once():
    (result,) = summarise([a_record(), a_record()])
    assert result.seeds == [0]


def test_two_runs_of_one_seed_are_refused():
    with pytest.raises(ValueError, match="several runs of one seed for 'tsh-bre' on 'mnist'"):
        summarise([a_record(), a_record() | {"key": "another"}])


def test_measures_that_a_record_lacks_are_missing():
    (result,) = summarise([a_record() | {"training": None, "selection": None}])
    assert result.spread("training", "pr_area") == Spread(None, None, 0)
    assert result.spread("selection", "seconds").n == 0


def test_encoding_time_is_per_item():
    record = a_record() | {"seconds": {"encode": 0.7, "fit": 1.0}, "n_encoded": 70000}
    record |= {"selection": {"seconds": 2.0}}
    (result,) = summarise([record])
    assert result.encode_microseconds.mean == pytest.approx(10)
    assert result.total_seconds.mean == pytest.approx(3.7)
    (without_choice,) = summarise([record | {"selection": None}])
    assert without_choice.total_seconds.mean == pytest.approx(1.7)


def test_curves_are_means_at_the_points_that_all_seeds_have():
    first = a_record(seed=0) | {"curves": {"k": [1, 10, 50], "precision_at_k": [1.0, 0.5, 0.2]}}
    second = a_record(seed=1) | {"curves": {"k": [1, 10], "precision_at_k": [0.0, 0.5]}}
    (result,) = summarise([first, second])
    x, y, std = result.precision_at_k()
    np.testing.assert_array_equal([x, y, std], [[1, 10], [0.5, 0.5], [0.5, 0]])
    assert result.precision_recall() is None


def test_a_seed_without_a_curve_does_not_hide_the_others():
    alone, (result,) = (
        summarise(records)
        for records in ([a_record()], [a_record(), a_record(seed=1) | {"curves": None}])
    )
    for name in ("precision_at_k", "precision_recall"):
        np.testing.assert_array_equal(getattr(result, name)(), getattr(alone[0], name)())
