"""Figures name their axes and lines, and keep many methods apart."""

import numpy as np
import pytest

from hashlearn.experiments.report.figures import Marks, Panel, RowPanel, plot_panels, plot_rows
from hashlearn.experiments.summaries import Curve, Spread

LINE = Curve(np.array([8.0, 16.0]), np.array([0.5, 0.6]), np.array([0.1, 0.0]))
NAMES = [f"method {i}" for i in range(20)]


def some_panels(n_panels):
    return [Panel("MAP over bits", "bits", "MAP", dict.fromkeys(NAMES, LINE), [8, 16])] * n_panels


@pytest.mark.parametrize("n_panels", [1, 2, 5])
def test_every_panel_names_its_axes_and_one_legend_names_all_lines(n_panels):
    *axes, legend = plot_panels(some_panels(n_panels), NAMES, "MNIST").axes
    assert [(a.get_xlabel(), a.get_ylabel()) for a in axes] == [("bits", "MAP")] * n_panels
    assert [text.get_text() for text in legend.get_legend().get_texts()] == NAMES
    assert all(a.get_legend() is None for a in axes)


def test_lines_look_different_and_the_same_in_every_panel():
    *axes, _ = plot_panels(some_panels(2), NAMES, "MNIST").axes
    looks = [
        [(line.get_color(), line.get_linestyle(), line.get_marker()) for line in a.get_lines()]
        for a in axes
    ]
    assert looks[0] == looks[1]
    assert len(set(looks[0])) == len(NAMES)


def test_a_line_keeps_its_look_where_others_are_missing():
    only = Panel("MAP", "bits", "MAP", {NAMES[3]: LINE})
    few, full = (
        plot_panels([panel], NAMES, "").axes[0].get_lines() for panel in (only, some_panels(1)[0])
    )
    assert few[0].get_color() == full[-1 - 3].get_color()


def test_spread_is_a_band_around_the_line():
    axes = plot_panels([Panel("", "bits", "MAP", {"TSH": LINE})], ["TSH"], "").axes[0]
    heights = axes.collections[0].get_paths()[0].vertices[:, 1]
    assert (heights.min(), heights.max()) == pytest.approx((0.4, 0.6))


@pytest.mark.parametrize("height", [0.0, 0.02, 0.49, 0.99, 1.0])
def test_a_flat_line_is_seen_whole(height):
    flat = Curve(np.array([8.0, 16.0]), np.full(2, height), np.zeros(2))
    axes = plot_panels([Panel("", "bits", "MAP", {"TSH": flat})], ["TSH"], "").axes[0]
    low, high = axes.get_ylim()
    assert low <= height < high


def test_rows_are_named_from_above_and_panels_share_them():
    marks = [Marks("ours", [Spread(0.9, 0.1, 3), None, Spread(None, None, 0)], "dot")]
    figure = plot_rows(["a", "b", "c"], [RowPanel("MAP", marks), RowPanel("P@300", marks)], "")
    first, second = figure.axes
    assert [text.get_text() for text in first.get_yticklabels()] == ["a", "b", "c"]
    assert first.get_ylim()[0] > first.get_ylim()[1]
    assert (first.get_xlabel(), second.get_xlabel()) == ("MAP", "P@300")


def test_a_row_without_a_value_has_no_mark():
    marks = [Marks("ours", [Spread(0.9, 0.1, 3), None, Spread(None, None, 0)], "dot")]
    (line,) = plot_rows(["a", "b", "c"], [RowPanel("MAP", marks)], "").axes[0].get_lines()
    np.testing.assert_array_equal(line.get_xydata(), [[0.9, 0]])


def test_the_legend_names_each_kind_of_mark_once():
    values = [Spread(0.5, None, 1)]
    panel = RowPanel("MAP", [Marks("ours", values, "dot"), Marks("the paper's", values, "hollow")])
    (legend,) = plot_rows(["a"], [panel, panel], "").legends
    assert [text.get_text() for text in legend.get_texts()] == ["ours", "the paper's"]


@pytest.mark.parametrize("values", [[0.004, 300.0], [1.0, 1.0], [10.0, 10.0], [0.0, 5.0]])
def test_a_log_axis_holds_every_positive_mark(values):
    marks = Marks("time", [Spread(value, None, 1) for value in values], "dot")
    low, high = plot_rows(["a", "b"], [RowPanel("s", [marks], is_log=True)], "").axes[0].get_xlim()
    assert all(low < value < high for value in values if value > 0)


def test_both_protocols_are_joined_only_where_both_are_there():
    usual = Marks("usual", [Spread(0.9, None, 1), None], "dot")
    unseen = Marks("unseen", [Spread(0.6, None, 1), Spread(0.5, None, 1)], "diamond")
    panel = RowPanel("MAP", [usual, unseen], is_joined=True)
    joins, *_ = plot_rows(["a", "b"], [panel], "").axes[0].get_lines()
    np.testing.assert_array_equal(joins.get_xdata(), [0.9, 0.6])
