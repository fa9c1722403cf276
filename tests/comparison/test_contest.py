"""Laws of the rounds: what is measured, what is left out and why, and what is not done again."""

import random
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hashlearn.comparison import _splits
from hashlearn.comparison._choice import Target, choose
from hashlearn.comparison._measuring import VECTORS, Task
from hashlearn.comparison._options import gather
from hashlearn.comparison._running import LATE, Memory
from hashlearn.comparison._truths import NEW
from tests.comparison.records import MEASURE, grows, run_contest

METHODS = ("itq", "lsh", "mdsh", "klsh", "spher", "sph")
LENGTHS = (8, 16, 32, 64)


def good_methods(task):
    """The first methods are the best ones, and longer codes are better."""
    if task.method == VECTORS:
        return 1.0
    return 0.9 - 0.1 * METHODS.index(task.method) - 1 / task.n_bits


@pytest.fixture
def first_round(monkeypatch):
    monkeypatch.setattr(_splits, "SCREENING_TRAINING", 5)


def codes_of(tasks, fold=0):
    return {(t.method, t.n_bits) for t in tasks if t.fold == fold and not t.screening} - {
        (VECTORS, 0)
    }


def said_of_time(runner):
    """Return what there was no time for, as method and length, of the first fold."""
    said = runner.untried.get("no time was left", [])
    of_fold = [line.removeprefix("fold 1: ") for line in said if line.startswith("fold 1: ")]
    return {
        (words.split()[0], int(bits))
        for line in of_fold
        for words in line.split(", ")
        for bits in words.split()[1].split("/")
    }


def test_without_a_limit_every_method_has_every_length(monkeypatch):
    runner, tasks = run_contest(monkeypatch, METHODS, LENGTHS, good_methods)
    assert codes_of(tasks) == {(method, n) for method in METHODS for n in LENGTHS}
    assert runner.untried == {}


def test_the_best_of_every_length_is_repeated_on_all_folds(monkeypatch):
    _, tasks = run_contest(monkeypatch, METHODS, LENGTHS, good_methods)
    for fold in (1, 2):
        assert codes_of(tasks, fold) == {("itq", n) for n in LENGTHS}


def test_no_task_is_measured_twice(monkeypatch, first_round):
    _, tasks = run_contest(monkeypatch, METHODS, LENGTHS, good_methods)
    assert len(set(tasks)) == len(tasks)


@settings(max_examples=15)
@given(limit=st.integers(0, 120), seed=st.integers(0, 100))
def test_time_is_kept_and_what_it_did_not_allow_is_said(limit, seed):
    seconds = {method: random.Random(seed).uniform(0.5, 4) for method in (*METHODS, VECTORS)}
    begun = []
    with pytest.MonkeyPatch.context() as patch:
        runner, tasks = run_contest(
            *(patch, METHODS, LENGTHS, good_methods),
            seconds=lambda task: seconds[task.method],
            limit=limit,
            on_task=lambda so_far, text: begun.append(so_far),
        )
    assert len(begun) == len(tasks)
    assert grows(begun)
    assert max(begun, default=0) <= limit
    assert runner.seconds <= limit + max(seconds.values())
    assert codes_of(tasks) | said_of_time(runner) >= {(m, n) for m in METHODS for n in LENGTHS}
    assert not codes_of(tasks) & said_of_time(runner)


def test_a_limited_contest_measures_several_folds_of_few_codes(monkeypatch):
    """Not all codes of one fold: an error over one fold alone says little."""
    _, tasks = run_contest(monkeypatch, METHODS, LENGTHS, good_methods, limit=20)
    assert codes_of(tasks, 2)
    assert len(codes_of(tasks)) < len(METHODS) * len(LENGTHS)


@pytest.mark.parametrize(("target", "order"), [(None, [64, 32, 16, 8]), (0.8, [16, 8])])
def test_lengths_next_to_what_would_be_chosen_are_repeated_first(monkeypatch, target, order):
    """Sorted lengths once stayed as they were, the shortest first."""
    wanted = target and Target(MEASURE, target)
    _, tasks = run_contest(monkeypatch, METHODS, LENGTHS, good_methods, target=wanted)
    found = [task.n_bits for task in tasks if task.fold == 1 and task.n_bits]
    assert found[: len(order)] == order


@pytest.mark.parametrize("limit", [10, 14])
def test_a_first_round_leaves_time_for_the_codes_that_may_be_chosen(
    monkeypatch, first_round, limit
):
    methods = ("itq", "lsh", "mdsh", "klsh", "spher", "sph", "agh", "imh", "bae", "sth")
    runner, _ = run_contest(
        monkeypatch, methods, LENGTHS, lambda task: 0.5, seconds=lambda t: 1.4, limit=limit
    )
    assert any(option.method != VECTORS for option in gather(runner.records))


def test_without_time_for_more_only_the_quickest_method_is_learned(monkeypatch, first_round):
    """A fit that the first round showed to be long does not run beyond the limit."""
    first = {"itq": 0.6, "lsh": 0.1}
    _, tasks = run_contest(
        *(monkeypatch, ("itq", "lsh"), LENGTHS, good_methods),
        seconds=lambda t: first.get(t.method, 0.0) if t.screening else 5.0,
        limit=2,
    )
    assert codes_of(tasks) == {("lsh", 8)}


def test_code_that_is_compiled_once_is_not_expected_again(monkeypatch, first_round):
    """The best method was once left out, because its first fit on a machine took longer."""
    _, tasks = run_contest(
        *(monkeypatch, ("itq", "lsh"), LENGTHS, good_methods),
        seconds=lambda task: 0.1 + 0.1 * (task.method == "itq"),
        compiling=lambda task: 6.0 * (task.method == "itq" and task.screening),
        limit=11,
    )
    assert codes_of(tasks) >= {("itq", n) for n in LENGTHS}


def test_a_first_round_keeps_the_better_half_and_says_what_it_drops(monkeypatch, first_round):
    target = Target(MEASURE, 0.7)
    runner, tasks = run_contest(
        monkeypatch, METHODS[::-1], LENGTHS, good_methods, target=target, limit=200
    )
    screened = [task for task in tasks if task.screening]
    assert {task.method for task in screened} == set(METHODS)
    assert {task.n_bits for task in screened} == {16}
    assert {method for method, _ in codes_of(tasks)} == set(METHODS[:3])
    assert runner.untried["16 bits learned from few items were worse"] == list(METHODS[:2:-1])


@pytest.mark.parametrize("target", [None, 0.99])
def test_what_a_first_round_drops_is_measured_last_if_time_is_left(
    monkeypatch, first_round, target
):
    """Methods that a user named were left out with most of the time to spare."""
    wanted = target and Target(MEASURE, target)
    run = partial(run_contest, monkeypatch, METHODS, LENGTHS, good_methods, target=wanted)
    runner, tasks = run()
    assert {method for method, _ in codes_of(tasks)} == set(METHODS)
    assert not any("were worse" in reason for reason in runner.untried)
    measured = [task.method for task in tasks if task.fold == 0 and not task.screening]
    first = min(i for i, method in enumerate(measured) if method in METHODS[3:])
    assert set(measured[:first]) == {VECTORS, *METHODS[:3]}
    if target is None:
        assert not set(measured[first:]) & {VECTORS, *METHODS[:3]}
    runner, tasks = run(limit=20)
    found = {method for method, _ in codes_of(tasks)}
    assert set(METHODS[:3]) <= found < set(METHODS)
    left_out = runner.untried[f"16 bits learned from few items were worse, and {LATE}"]
    assert left_out == [method for method in METHODS if method not in found]
    late = " ".join(runner.untried.get(LATE, []))
    assert not any(method in late.split() for method in left_out)


@pytest.mark.parametrize("at_least", [0.7, 0.8, 0.86, 0.875])
def test_the_length_for_new_classes_is_searched_too(monkeypatch, at_least):
    """The shortest codes were once repeated on all folds before longer ones were tried."""
    target, y = Target(NEW + "precision@1", at_least), np.arange(1200) % 6
    runner, _ = run_contest(
        monkeypatch, METHODS, LENGTHS, good_methods, y=y, target=target, limit=30
    )
    found = choose(gather(runner.records), target.measure, target)
    shortest = [n for n in LENGTHS if good_methods(Task("itq", n)) >= at_least + 0.005]
    assert (found.option.n_bits, found.reached) == (min(shortest), True)


def test_a_first_round_keeps_two_methods_at_least(monkeypatch, first_round):
    _, tasks = run_contest(monkeypatch, METHODS[:2], LENGTHS, good_methods)
    assert {method for method, _ in codes_of(tasks)} == set(METHODS[:2])


def test_equally_good_methods_go_on_in_the_order_given(monkeypatch, first_round):
    methods = ["lsh", "sph", "itq", "mdsh", "klsh"]
    _, tasks = run_contest(monkeypatch, methods, [8], lambda task: 0.5)
    order = [t.method for t in tasks if not t.screening and t.fold == 0 and t.method != VECTORS]
    assert order == methods


def failing(task):
    if task.method == "lsh":
        raise ValueError(f"{task.n_bits} bits are too many.")
    return good_methods(task)


def test_a_method_that_fails_is_said_with_the_reason_and_others_go_on(monkeypatch):
    runner, tasks = run_contest(monkeypatch, METHODS, LENGTHS, failing)
    for n in LENGTHS:
        assert runner.untried[f"{n} bits are too many."] == [f"lsh, {n} bits, fold 1"]
    assert {option.key for option in gather(runner.records)} == {(VECTORS, 0), *codes_of(tasks)} - {
        ("lsh", n) for n in LENGTHS
    }


def test_a_method_that_fails_on_few_items_may_work_at_another_length(monkeypatch, first_round):
    def quality(task):
        return failing(task) if task.screening else good_methods(task)

    runner, _ = run_contest(monkeypatch, METHODS, LENGTHS, quality)
    assert ("lsh", 8) in {option.key for option in gather(runner.records)}


@pytest.mark.parametrize(("at_least", "tried"), [(0.7, {8, 16}), (0.8, {8, 16, 32})])
def test_much_longer_codes_than_needed_are_not_tried(monkeypatch, at_least, tried):
    target = Target(MEASURE, at_least)
    runner, tasks = run_contest(monkeypatch, METHODS, LENGTHS, good_methods, target=target)
    assert {n for _, n in codes_of(tasks)} == tried
    left = [f"{n} bits" for n in LENGTHS if n not in tried]
    assert runner.untried == {"fewer bits reach the target": left}


@pytest.mark.parametrize("at_least", [0.2, 0.4, 0.6, 0.75, 0.8, 0.9])
def test_the_length_that_reaches_a_target_is_found_in_little_time(monkeypatch, at_least):
    lengths, target = [2**n for n in range(2, 12)], Target(MEASURE, at_least)
    args = monkeypatch, METHODS[:2], lengths, lambda task: 1 - 2 / max(task.n_bits, 1)
    whole, _ = run_contest(*args, target=target)
    few, _ = run_contest(*args, target=target, limit=20)
    chosen = [choose(gather(one.records), MEASURE, target).option.n_bits for one in (whole, few)]
    assert chosen[0] == chosen[1]
    left = {int(said.split()[0]) for said in whole.untried.get("fewer bits reach the target", [])}
    assert left.isdisjoint(option.n_bits for option in gather(whole.records))


def test_records_are_not_measured_again_and_give_the_same(monkeypatch):
    store = Memory()
    whole, _ = run_contest(monkeypatch, METHODS, LENGTHS, failing, store=store)
    again, tasks = run_contest(monkeypatch, METHODS, LENGTHS, failing, store=store)
    assert {task.method for task in tasks} == {"lsh"}  # what failed may work now
    assert again.records == whole.records
    assert again.untried == whole.untried


def test_what_failed_once_is_tried_again(monkeypatch):
    """A number of threads that cannot be once made every method fail for ever."""
    store = Memory()
    run_contest(monkeypatch, METHODS, LENGTHS, failing, store=store)
    again, _ = run_contest(monkeypatch, METHODS, LENGTHS, good_methods, store=store)
    assert ("lsh", 8) in {option.key for option in gather(again.records)}


@pytest.mark.parametrize("limit", [1, 5, 20])
def test_vectors_are_measured_on_every_fold_that_codes_are(monkeypatch, first_round, limit):
    runner, _ = run_contest(monkeypatch, METHODS, LENGTHS, good_methods, limit=limit)
    options = gather(runner.records)
    assert options[0].method == VECTORS
    assert all(one.folds(MEASURE) <= options[0].folds(MEASURE) for one in options)


@pytest.mark.parametrize("stop", [0, 1, 2, 15, 30])
def test_a_stopped_contest_goes_on_to_the_same_records(monkeypatch, stop):
    store, begun = Memory(), []

    def on_task(seconds, text):
        if len(begun) == stop:
            raise KeyboardInterrupt
        begun.append(text)

    args = monkeypatch, METHODS, LENGTHS, good_methods
    with pytest.raises(KeyboardInterrupt):
        run_contest(*args, store=store, on_task=on_task)
    assert len(store) == stop
    resumed, tasks = run_contest(*args, store=store)
    whole, all_tasks = run_contest(*args)
    assert len(tasks) == len(all_tasks) - stop
    assert resumed.records == whole.records


def test_more_time_goes_further_and_less_time_keeps_what_is_there(monkeypatch):
    store = Memory()
    few, tasks = run_contest(monkeypatch, METHODS, LENGTHS, good_methods, store=store, limit=12)
    more, added = run_contest(monkeypatch, METHODS, LENGTHS, good_methods, store=store, limit=24)
    assert added
    assert not set(tasks) & set(added)
    assert len(gather(more.records)) > len(gather(few.records))
    less, none = run_contest(monkeypatch, METHODS, LENGTHS, good_methods, store=store, limit=12)
    assert none == []
    assert len(gather(less.records)) >= len(gather(few.records))
