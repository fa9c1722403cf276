"""The collection that opens by itself."""

import pytest

pytest.importorskip("PIL")

from hashlearn.datasets import load_dataset
from hashlearn.experiments.digits import split_digits
from hashlearn.explorer.answers.overview import overview


def test_all_digits_are_there_under_their_places_in_the_set(all_digits):
    assert all_digits.ids.tolist() == list(range(1797))
    truth = load_dataset("digits").y
    assert [all_digits.labels_of(i) for i in range(1797)] == [(str(label),) for label in truth]


def test_held_out_digits_are_the_queries_of_the_experiment(all_digits):
    assert set(all_digits.curve_queries.tolist()) == set(split_digits(0).queries.ids.tolist())


def test_learned_codes_retrieve_better_than_random_ones(all_digits):
    areas = [overview(all_digits, method).pr_area for method in ("tsh-ksh", "itq", "lsh")]
    assert areas == sorted(areas, reverse=True)
    assert areas[0] > 0.9


def test_a_picture_of_a_digit_gets_the_digits_code(all_digits):
    for coded in all_digits.methods.values():
        for position in (0, 17, 1796):
            vector = all_digits.reader.read(all_digits.display.image(position))
            assert (coded.encode(vector) == coded.packed[position]).all()


def test_pictures_and_codes_are_those_of_the_items(all_digits):
    items = load_dataset("digits")
    assert all_digits.display.kind == "image"
    assert (all_digits.display.images == items.images).all()
    for coded in all_digits.methods.values():
        assert (coded.encode(items.X[::100]) == coded.packed[::100]).all()
