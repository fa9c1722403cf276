"""Laws of the choice: the smallest codes that are good enough, else the nearest."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashlearn.comparison._choice import Target, choose
from hashlearn.comparison._measuring import Task
from hashlearn.comparison._options import Option, of_codes
from hashlearn.comparison._truths import IN_USE
from tests.comparison.records import MEASURE, made_option, made_record

P = "precision@1"


def random_options(seed):
    rng = np.random.default_rng(seed)
    return [
        made_option(
            *(method, n_bits, rng.random() + rng.normal(scale=0.1, size=20)),
            search="asymmetric",
            candidates=n,
            beside=method == "a",  # a byte per item beside the code
        )
        for method in "abc"
        for n_bits in (8, 16, 32)
        for n in (1, 4)
    ]


@given(seed=st.integers(0, 1000), at_least=st.floats(0, 1), rescored=st.booleans())
def test_nothing_that_is_smaller_reaches_the_target(seed, at_least, rescored):
    options = random_options(seed)
    target = Target(MEASURE, at_least)
    choice = choose(options, MEASURE, target, rescored=rescored)
    allowed = of_codes(options, rescored=rescored)
    reaching = [one for one in allowed if one.reaches(*target)]
    assert choice.reached == bool(reaching)
    assert choice.option in allowed
    if reaching:
        assert choice.option in reaching
        assert choice.option.n_bytes == min(one.n_bytes for one in reaching)
    else:  # it comes nearest
        means = [one.estimate(MEASURE).mean for one in allowed]
        assert choice.option.estimate(MEASURE).mean == max(means)


@given(seed=st.integers(0, 1000))
def test_what_is_said_to_be_level_is_level_and_of_other_codes(seed):
    choice = choose(random_options(seed), MEASURE, Target(MEASURE, 0.3))
    for other in choice.level:
        assert other.key != choice.option.key
        assert other.is_level(choice.option, MEASURE)


def test_a_mean_above_the_target_by_less_than_its_error_does_not_reach_it():
    options = [made_option("a", 8, [0.8, 1.0] * 10), made_option("a", 16, [0.95, 0.97] * 10)]
    assert choose(options, MEASURE, Target(MEASURE, 0.89)).option.n_bits == 16
    assert choose(options, MEASURE, Target(MEASURE, 0.87)).option.n_bits == 8


def test_of_the_smallest_the_best_is_chosen():
    options = [made_option("a", 8, [0.7] * 5), made_option("b", 8, [0.8] * 5)]
    assert choose(options, MEASURE, Target(MEASURE, 0.5)).option.method == "b"


def test_without_a_target_recall_must_be_9_of_10():
    options = [made_option("a", 8, [0.85] * 5), made_option("a", 16, [0.92] * 5)]
    choice = choose([made_option("vectors", 0, [1.0] * 5, search="exact"), *options], MEASURE)
    assert (choice.option.n_bits, choice.reached) == (16, True)


def of_labels(method, n_bits, values):
    values = {P: list(values)}
    return made_option(method, n_bits, values, reporting=values)


def test_without_a_target_labels_must_be_found_as_well_as_by_the_vectors():
    base = 0.6 + np.tile([-0.1, 0.1], 20)
    noise = np.random.default_rng(0).normal(scale=0.05, size=40)
    vectors, worse = of_labels("vectors", 0, base), of_labels("a", 8, base - 0.1 + noise)
    level = of_labels("a", 16, base + noise - noise.mean() - 0.001)
    better = of_labels("a", 32, base + 0.2)
    choice = choose([vectors, worse, level, better], P)
    assert (choice.option.n_bits, choice.reached) == (16, True)


def test_without_a_target_codes_must_be_as_good_where_training_items_are_found_too():
    """More items to be found make the vectors better, but not what was learned from these."""

    def made(method, n_bits, alone, in_use):
        values = {P: [alone] * 40, IN_USE + P: [in_use] * 40}
        return Option([made_record(Task(method, n_bits), values)], "hamming", 1)

    vectors, short = made("vectors", 0, 0.7, 0.9), made("a", 8, 0.8, 0.85)
    choice = choose([vectors, short, made("a", 16, 0.8, 0.9)], P)
    assert (choice.option.n_bits, choice.reached) == (16, True)
    assert not choose([vectors, short], P).reached


def test_without_a_target_and_nothing_good_enough_it_is_the_smallest_that_is_level_with_the_best():
    noise = np.random.default_rng(0).normal(scale=0.05, size=40)
    noise -= noise.mean()
    options = [
        of_labels("vectors", 0, [0.9] * 40),
        of_labels("a", 8, [0.3] * 40),
        of_labels("a", 16, 0.499 + noise),
        of_labels("a", 32, [0.5] * 40),
    ]
    choice = choose(options, P)
    assert (choice.option.n_bits, choice.reached) == (16, False)


def test_nothing_measured_is_refused():
    with pytest.raises(ValueError, match=f"no codes were measured by {MEASURE}"):
        choose([made_option("vectors", 0, [1.0])], MEASURE)


@pytest.mark.parametrize(
    ("text", "target", "cutoff"),
    [
        ("recall@10=0.95", ("recall@10", 0.95), 10),
        (" map = 1 ", ("map", 1.0), None),
        ("new-precision@5=0", ("new-precision@5", 0.0), 5),
    ],
)
def test_a_target_is_a_measure_and_a_number(text, target, cutoff):
    found = Target.parse(text)
    assert found == target
    assert found.cutoff == cutoff
    assert f"{found.at_least:g}" in str(found)


@pytest.mark.parametrize(
    "text", ["", "recall@10", "recall@10=", "recall@10=x", "map=1.1", "map=-0.1", "map=nan"]
)
def test_another_target_is_refused_with_an_example(text):
    sentence = f"such as recall@10=0.95; got {text!r}."
    with pytest.raises(ValueError, match=re.escape(sentence)):
        Target.parse(text)
