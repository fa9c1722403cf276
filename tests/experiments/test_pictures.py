"""Pictures say what they show."""

import numpy as np
import pytest
from matplotlib.colors import to_hex

from hashlearn._report.pictures import COLOURS
from hashlearn.experiments.pictures import WRONG, plot_neighbours, plot_precision_recall

CURVES = {"tsh": ([0.5, 1.0], [1.0, 0.8]), "lsh": (np.array([0.1, 1.0]), np.array([0.4, 0.1]))}


def boxed(axes):
    return to_hex(axes.spines["left"].get_edgecolor()) == WRONG.lower()


def test_precision_recall_names_axes_and_methods():
    (axes,) = plot_precision_recall(CURVES, title="digits").axes
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("recall", "precision")
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["tsh", "lsh"]
    assert axes.get_title() == "digits"


def test_curve_starts_at_recall_0_with_its_first_precision():
    line = plot_precision_recall(CURVES).axes[0].get_lines()[0]
    np.testing.assert_array_equal(line.get_xydata(), [[0, 1], [0.5, 1], [1, 0.8]])


def test_methods_beyond_the_palette_still_look_different():
    names = [f"method {i}" for i in range(3 * len(COLOURS))]
    figure = plot_precision_recall(dict.fromkeys(names, ([0, 1], [1, 0])))
    looks = {(line.get_color(), line.get_linestyle()) for line in figure.axes[0].get_lines()}
    assert len(looks) == len(names)


@pytest.mark.parametrize("channels", [(), (3,)], ids=["grey", "colour"])
def test_exactly_the_wrong_neighbours_are_boxed(channels):
    random = np.random.default_rng(0)
    wrong = random.random((3, 4)) < 0.5
    queries = random.random((3, 8, 6, *channels))
    neighbours = random.random((3, 4, 8, 6, *channels))
    axes = np.array(plot_neighbours(queries, neighbours, wrong).axes).reshape(3, 5)
    np.testing.assert_array_equal([[boxed(a) for a in row] for row in axes[:, 1:]], wrong)
    assert not any(boxed(a) for a in axes[:, 0])
    np.testing.assert_array_equal(axes[2, 0].get_images()[0].get_array(), queries[2])
    np.testing.assert_array_equal(axes[1, 3].get_images()[0].get_array(), neighbours[1, 2])


def test_shapes_that_do_not_fit_are_named():
    with pytest.raises(ValueError, match=r"shapes \(2, 8, 8\), \(2, 3, 8, 8\) and \(2, 4\)"):
        plot_neighbours(np.zeros((2, 8, 8)), np.zeros((2, 3, 8, 8)), np.zeros((2, 4)))


@pytest.mark.parametrize("n_columns", [1, 3, 4, 7])
def test_neighbours_go_on_in_further_lines_without_losing_any(n_columns):
    values = np.arange(2 * 5).reshape(2, 5, 1, 1) * np.ones((4, 4))
    figure = plot_neighbours(values[:, 0], values, np.zeros((2, 5)), n_columns=n_columns)
    axes = np.array(figure.axes).reshape(2, 6)
    shown = [[a.get_images()[0].get_array()[0, 0] for a in row] for row in axes[:, 1:]]
    np.testing.assert_array_equal(shown, values[:, :, 0, 0])
    tops = [round(a.get_position().y0, 6) for a in axes[0, 1:]]
    assert tops.count(tops[0]) == min(n_columns, 5)
