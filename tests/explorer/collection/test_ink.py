"""What is drawn is found, and placed as items have it."""

import numpy as np
import pytest

from hashlearn.explorer.collection.ink import ink_side, is_light_on_dark, place_ink
from tests.processes import alone, peak_memory


def test_dark_on_light_items_are_not_inverted():
    assert not is_light_on_dark(np.ones((3, 8, 8)))
    assert ink_side(np.zeros((3, 8, 8))) == 1


def test_light_ink_on_a_dark_ground_is_measured():
    images = np.zeros((3, 10, 10))
    images[:, 2:7, 4] = 1
    assert is_light_on_dark(images)
    assert not is_light_on_dark(1 - images)
    assert ink_side(images) == 0.5


@pytest.mark.parametrize("ground", [0, 255])
def test_a_picture_of_the_right_shape_is_only_inverted(ground):
    levels = np.full((8, 8), ground, dtype=np.uint8)
    levels[3, 4] = 100
    expected = np.zeros((8, 8))
    expected[3, 4] = 100 if ground == 0 else 155
    assert np.array_equal(place_ink(levels, (8, 8), fill=1), expected)


@pytest.mark.parametrize("shape", [(8, 8), (20, 10), (10, 20)])
@pytest.mark.parametrize("fill", [0.5, 1.0])
def test_ink_fills_its_share_and_stands_in_the_middle(shape, fill):
    levels = np.full((200, 300), 255, dtype=np.uint8)
    levels[20:60, 200:280] = 0  # twice as wide as high, in a corner
    placed = place_ink(levels, shape, fill)
    assert placed.shape == shape
    assert placed.max() == 255
    share = max(2 / shape[1], 1 / shape[0]) ** -1 * fill  # of the box of 2 x 1 that fits
    assert placed.sum() / 255 == pytest.approx(2 * share**2, rel=0.3)
    assert np.allclose(placed, placed[::-1, ::-1], atol=60)


def much_ink():
    levels = np.full((1000, 1000), 255, dtype=np.uint8)
    levels[100:900, 100:900] = 0
    return levels


def peak_of_little_ink():
    return peak_memory(place_ink, much_ink(), (28, 28), 0.02)


def test_little_ink_in_a_wide_ground_takes_no_more_room():
    assert alone(peak_of_little_ink) < 10 * 8 * much_ink().size
    assert place_ink(much_ink(), (28, 28), fill=0.02).sum() > 0


def test_ink_smaller_than_its_place_is_drawn_larger():
    levels = np.zeros((3, 3), dtype=np.uint8)
    levels[1, 1] = 200
    expected = np.zeros((8, 8))
    expected[2:6, 2:6] = 255
    assert np.allclose(place_ink(levels, (8, 8), fill=0.5), expected)
