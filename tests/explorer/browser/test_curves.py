"""The Curves view and the small curve of a query: what is drawn, read out and told in numbers."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.explorer.browser.looking import ITQ, LSH, TSH, ask, column

METHODS = {"tsh-ksh": TSH, "itq": ITQ, "lsh": LSH}
RECALL = "Precision and recall over Hamming radii"


def curves(page: Page) -> Locator:
    """Return the view once its answers are drawn."""
    view = page.get_by_role("region", name="Curves", exact=True)
    expect(view).to_have_attribute("aria-busy", "false")
    return view


def chart(page: Page, name: str) -> Locator:
    return curves(page).locator("figure", has=page.get_by_role("application", name=name))


def lines(drawing: Locator) -> list[str]:
    """Return the colours of the curves in a chart."""
    return drawing.locator(".chart-line").evaluate_all(
        "nodes => nodes.map(node => getComputedStyle(node).stroke)"
    )


def place(drawing: Locator, x: float, y: float) -> tuple[float, float]:
    """Return where a point stands on the screen; the grid runs from 0 to 1 both ways."""
    grid = drawing.locator(".chart-grid").evaluate_all(
        "nodes => nodes.map(node => node.getBoundingClientRect())"
    )
    left, right = min(line["left"] for line in grid), max(line["right"] for line in grid)
    top, bottom = min(line["top"] for line in grid), max(line["bottom"] for line in grid)
    return left + x * (right - left), bottom - y * (bottom - top)


def assert_stands_at(ring: Locator, left: float, top: float) -> None:
    box = ring.bounding_box()
    assert box is not None
    assert abs(box["x"] + box["width"] / 2 - left) < 1
    assert abs(box["y"] + box["height"] / 2 - top) < 1


def rows(page: Page) -> list[list[str]]:
    """Return the cells of the table of whole-set measures."""
    found = curves(page).get_by_role("table", name="Whole-set measures").locator("tbody tr")
    return [row.locator("th, td").all_inner_texts() for row in found.all()]


def expected_rows(page: Page, bits: int) -> list[list[str]]:
    return [
        [title, str(bits), *measures(ask(page, "metrics", method=method, bits=bits))]
        for method, title in METHODS.items()
    ]


def measures(answer: dict) -> list[str]:
    at = answer["precision_at"]
    precision = [at["precision"][at["k"].index(k)] for k in (10, 30, 100)]
    values = [answer["pr_area"], answer["mean_average_precision"], *precision]
    return [f"{value:.3f}" for value in values]


def test_every_loaded_method_has_a_curve_in_both_charts_and_a_row_of_the_apis_numbers(open_page):
    page = open_page("?view=curves")
    for name in (RECALL, "Precision at k"):
        colours = lines(chart(page, name))
        assert len(set(colours)) == len(colours) == len(METHODS)
    assert rows(page) == expected_rows(page, bits=32)
    expect(curves(page)).to_contain_text("Mean over 300 held-out queries")
    expect(curves(page)).to_contain_text("Measures are means over all orders of ties")
    expect(curves(page)).not_to_contain_text("too optimistic")


def test_pointing_at_a_curve_reads_out_the_nearest_point(open_page):
    page = open_page("?view=curves")
    curve = ask(page, "metrics", method="itq")["curve"]
    drawing = chart(page, RECALL)
    left, top = place(drawing, curve["recall"][9], curve["precision"][9])
    page.mouse.move(left + 2, top - 2)
    expect(drawing.locator(".chart-readout")).to_have_text(
        f"{ITQ} radius 9: precision {curve['precision'][9]:.3f}, recall {curve['recall'][9]:.3f}"
    )
    assert_stands_at(drawing.locator(".chart-cursor"), left, top)


@pytest.mark.slow
def test_arrow_keys_walk_along_a_curve_and_to_the_next_one(open_page):
    page = open_page("?view=curves")
    drawing = chart(page, "Precision at k")
    readout = drawing.locator(".chart-readout")
    drawing.get_by_role("application").focus()
    for key, method, at in (
        ("ArrowRight", "tsh-ksh", 0),
        ("ArrowRight", "tsh-ksh", 1),
        ("ArrowDown", "itq", 1),
        ("End", "itq", -1),
    ):
        page.keyboard.press(key)
        measured = ask(page, "metrics", method=method)["precision_at"]
        words = f"k = {measured['k'][at]}: precision {measured['precision'][at]:.3f}"
        expect(readout).to_have_text(f"{METHODS[method]} {words}")
    expect(readout).to_have_attribute("aria-live", "polite")
    page.keyboard.press("Escape")
    expect(readout).to_contain_text("Point at a curve")


@pytest.mark.slow
def test_the_bits_slider_changes_curves_and_numbers(open_page):
    page = open_page("?view=curves")
    line = chart(page, RECALL).locator(".chart-line").first
    before = line.get_attribute("d")
    page.get_by_role("slider", name="Bits").fill("8")
    expect(curves(page)).to_contain_text("by the first 8 bits")
    assert rows(page) == expected_rows(page, bits=8)
    assert line.get_attribute("d") != before


@pytest.mark.slow
def test_a_legend_entry_hides_and_shows_its_curve(open_page):
    page = open_page("?view=curves")
    entry = curves(page).get_by_role("button", name=ITQ)
    own = lines(chart(page, RECALL))[1]
    entry.click()
    for name in (RECALL, "Precision at k"):
        assert own not in lines(chart(page, name))
        assert len(lines(chart(page, name))) == 2
    entry.click()
    assert lines(chart(page, RECALL))[1] == own


@pytest.mark.slow
def test_the_numbers_of_a_chart_open_as_a_table(open_page):
    page = open_page("?view=curves&bits=12")
    drawing = chart(page, RECALL)
    drawing.get_by_text("Numbers").click()
    table = drawing.get_by_role("table")
    expect(table.locator("tbody tr")).to_have_count(13)
    asked = [ask(page, "metrics", method=method, bits=12)["curve"] for method in METHODS]
    numbers = [f"{curve[what][3]:.3f}" for curve in asked for what in ("precision", "recall")]
    assert table.locator("tbody tr").nth(3).locator("th, td").all_inner_texts() == ["3", *numbers]


@pytest.mark.slow
def test_curves_fit_a_narrow_dark_screen(open_page):
    light = lines(chart(open_page("?view=curves"), RECALL))
    page = open_page("?view=curves", viewport={"width": 320, "height": 640}, color_scheme="dark")
    box = chart(page, RECALL).get_by_role("application").bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 320
    assert page.evaluate("document.documentElement.scrollWidth") == 320
    assert not set(lines(chart(page, RECALL))) & set(light)


def answer_with(page: Page, path: str, change: dict) -> None:
    """Let the API answer with some values changed."""

    def changed(route: Route) -> None:
        route.fulfill(json={**json.loads(route.fetch().text()), **change})

    page.route(re.compile(f"/api/{path}"), changed)


@pytest.mark.slow
def test_queries_that_were_not_held_out_come_with_a_warning(open_page):
    page = open_page("?view=neighbours")
    answer_with(page, "metrics", {"held_out": False})
    page.get_by_role("link", name="Curves").click()
    expect(curves(page)).to_contain_text(
        "If a model was trained on these items, the curves are too optimistic."
    )


def test_a_collection_without_labels_gets_one_sentence_instead_of_curves(open_page):
    page = open_page("?view=neighbours")
    answer_with(page, "collection", {"labels": None, "curve_queries": None})
    page.goto(page.url.split("?")[0] + "?view=curves")
    expect(page.get_by_text("Curves need labels")).to_be_visible()
    expect(page.locator("figure:visible")).to_have_count(0)


def test_a_refusal_is_shown_and_the_next_answer_takes_it_away(open_page, watch):
    watch.expected.append("409")
    page = open_page("?view=curves")
    curves(page)
    page.route(
        re.compile("/api/metrics.*bits=5"),
        lambda route: route.fulfill(status=409, json={"detail": "Nothing to find."}),
    )
    page.get_by_role("slider", name="Bits").fill("5")
    expect(page.get_by_text("Nothing to find.")).to_be_visible()
    page.get_by_role("slider", name="Bits").fill("6")
    expect(page.get_by_text("Nothing to find.")).to_be_hidden()
    assert rows(page) == expected_rows(page, bits=6)


def test_the_curve_of_a_query_marks_the_radius(open_page):
    page = open_page("?item=1611&methods=itq&radius=6")
    curve = ask(page, "curve", method="itq", item=1611)
    drawing = column(page, ITQ).locator("figure")
    expect(drawing.get_by_text("radius 6", exact=True)).to_be_visible()
    page.get_by_role("slider", name="Radius").fill("9")
    expect(drawing.get_by_text("radius 9", exact=True)).to_be_visible()
    left, top = place(drawing, curve["recall"][9], curve["precision"][9])
    assert_stands_at(drawing.locator(".chart-mark circle"), left, top)
    page.mouse.move(left, top)
    words = f"precision {curve['precision'][9]:.3f}, recall {curve['recall'][9]:.3f}"
    readout = drawing.locator(".chart-readout")
    expect(readout).to_have_text(f"radius 9: {curve['counts'][9]} items, {words}")
