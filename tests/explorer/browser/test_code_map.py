"""The code map: discs in the labels' colours, zoom, the card of a code, and codes as queries."""

from __future__ import annotations

import io
import json
import re

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Locator, Page, Route, expect

from tests.explorer.browser.looking import ITQ, ask, expect_query, query, variable

Colour = tuple[int, int, int]
AS_PIXELS = """nodes => {
    const context = new OffscreenCanvas(1, 1).getContext("2d", {willReadFrequently: true});
    return nodes.map(node => {
        context.fillStyle = getComputedStyle(node).backgroundColor;
        context.fillRect(0, 0, 1, 1);
        return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3);
    });
}"""


def the_map(page: Page) -> Locator:
    """Return the view once the map is drawn."""
    view = page.get_by_role("region", name="Code map", exact=True)
    expect(view).to_have_attribute("aria-busy", "false")
    return view


def canvas(page: Page) -> Locator:
    return the_map(page).get_by_role("application", name="Code map")


def card(page: Page) -> Locator:
    return the_map(page).locator(".map-card")


def legend(page: Page) -> Locator:
    return the_map(page).get_by_role("group", name="Labels").get_by_role("button")


def picture(locator: Locator) -> np.ndarray:
    """Return an element as it is on the screen, (height, width, 3)."""
    return np.asarray(Image.open(io.BytesIO(locator.screenshot())).convert("RGB"), dtype=int)


def count(shown: np.ndarray, colour: Colour) -> int:
    """Return how many pixels have nearly this colour."""
    return int((np.abs(shown - colour).max(axis=2) <= 12).sum())


def width(shown: np.ndarray, colour: Colour) -> int:
    """Return how many pixels lie between the first and the last of nearly this colour."""
    columns = np.flatnonzero((np.abs(shown - colour).max(axis=2) <= 12).any(axis=0))
    return int(np.ptp(columns)) + 1


def label_colours(page: Page) -> list[Colour]:
    """Return the colours of the legend's dots as red, green, blue."""
    dots = legend(page).locator(".legend-swatch")
    expect(dots.first).to_be_visible()
    return [tuple(rgb) for rgb in dots.evaluate_all(AS_PIXELS)]


def inside_a_disc(page: Page, colour: Colour, size: int = 9) -> dict[str, float]:
    """Return a place on the canvas whose surroundings all have this colour."""
    near = np.abs(picture(canvas(page)) - colour).max(axis=2) <= 6
    blocks = np.lib.stride_tricks.sliding_window_view(near, (size, size)).all(axis=(2, 3))
    top, left = np.argwhere(blocks)[len(np.argwhere(blocks)) // 2]
    return {"x": float(left + size // 2), "y": float(top + size // 2)}


def draw_instead(page: Page, three: dict[str, list[float]]) -> None:
    """Have the page draw these three discs in place of its own."""
    discs = {**three, "purity": [1, 1, 1], "item": [0, 1, 2], "code": ["0", "1", "2"]}
    page.route(
        re.compile("/api/map"),
        lambda route: route.fulfill(json={**json.loads(route.fetch().text()), **discs}),
    )


def test_every_label_has_its_colour_on_the_map(open_page):
    page = open_page("?view=map&map=itq")
    colours = label_colours(page)
    assert len(set(colours)) == len(colours) == 10
    shown = picture(canvas(page))
    assert all(count(shown, colour) > 20 for colour in colours)
    answer = ask(page, "map", method="itq")
    expect(the_map(page)).to_contain_text(
        f"{answer['n_distinct']:,} distinct codes of 1,797 items at 32 bits."
    )


def test_pointing_at_a_disc_shows_its_card_and_a_click_makes_it_the_query(open_page):
    page = open_page("?item=7&view=map")
    answer = ask(page, "map", method="tsh-ksh")
    place = inside_a_disc(page, label_colours(page)[3])
    canvas(page).hover(position=place)
    expect(card(page)).to_contain_text("Label 3.")
    expect(card(page).get_by_role("img")).to_be_visible()
    disc = max(
        (i for i, label in enumerate(answer["label"]) if label == 3),
        key=lambda i: answer["count"][i],
    )
    expect(card(page)).to_contain_text(f"{answer['count'][disc]} items have this code.")
    code = ask(page, f"items/{answer['item'][disc]}")["codes"]["tsh-ksh"]
    expect(card(page)).to_contain_text(" ".join(re.findall(".{8}", code)))
    canvas(page).click(position=place)
    expect_query(page, answer["item"][disc])
    expect(page.get_by_role("article").get_by_role("link")).to_have_count(30)
    page.go_back()
    expect(canvas(page)).to_be_visible()


def test_arrow_keys_choose_discs_and_enter_makes_one_the_query(open_page):
    page = open_page("?item=7&view=map")
    expect(the_map(page)).to_contain_text("The cross marks the query's code")
    canvas(page).focus()
    page.keyboard.press("ArrowLeft")
    code = card(page).locator("code")
    own = ask(page, "items/7")["codes"]["tsh-ksh"]
    expect(code).to_have_text(" ".join(re.findall(".{8}", own)))  # the query's own code comes first
    answer = ask(page, "map", method="tsh-ksh")
    page.keyboard.press("ArrowDown" if answer["y"][answer["code"].index(own)] > 0 else "ArrowUp")
    expect(code).not_to_have_text(" ".join(re.findall(".{8}", own)))
    chosen = code.inner_text().replace(" ", "")
    expect(page.locator("#live")).to_contain_text("this code")
    page.keyboard.press("Enter")
    expect(page.get_by_role("article").get_by_role("link").first).to_be_visible()
    item = int(re.search(r"item=(\d+)", page.url)[1])
    assert ask(page, f"items/{item}")["codes"]["tsh-ksh"] == chosen


def test_zoom_enlarges_dragging_moves_and_zero_shows_all_again(open_page):
    page = open_page("?item=7&view=map")
    expect(the_map(page)).to_contain_text("The cross marks the query's code")
    answer = ask(page, "map", method="tsh-ksh")
    central = min(
        range(10), key=lambda i: abs(answer["x"][i]) + abs(answer["y"][i])
    )  # of ten large discs
    shown, colour = canvas(page), label_colours(page)[answer["label"][central]]
    whole = picture(shown)
    shown.focus()
    page.keyboard.press("+")
    assert count(picture(shown), colour) > 1.2 * count(whole, colour)
    start = inside_a_disc(page, colour)
    shown.drag_to(
        shown, source_position=start, target_position={"x": start["x"] + 60, "y": start["y"]}
    )
    page.mouse.move(0, 0)
    assert inside_a_disc(page, colour) == {"x": start["x"] + 60, "y": start["y"]}
    page.keyboard.press("Shift+ArrowRight")
    assert inside_a_disc(page, colour) == start
    page.keyboard.press("0")
    shown.blur()  # the ring of the focus would be in the picture
    assert np.array_equal(picture(shown), whole)


@pytest.mark.slow
def test_the_wheel_zooms_at_the_pointer(open_page):
    page = open_page("?item=7&view=map")
    colour = label_colours(page)[0]
    place = inside_a_disc(page, colour)
    canvas(page).hover(position=place)
    before = count(picture(canvas(page)), colour)
    page.mouse.wheel(0, -300)
    expect(card(page)).to_contain_text("Label 0.")
    assert count(picture(canvas(page)), colour) > 1.2 * before


def test_the_map_follows_bits_and_method(open_page):
    page = open_page("?item=7&view=map")
    page.get_by_role("slider", name="Bits").fill("6")
    answer = ask(page, "map", method="tsh-ksh", bits=6)
    expect(the_map(page)).to_contain_text(
        f"{answer['n_distinct']} distinct codes of 1,797 items at 6 bits."
    )
    the_map(page).get_by_role("combobox", name="Method").select_option(ITQ)
    answer = ask(page, "map", method="itq", bits=6)
    expect(the_map(page)).to_contain_text(f"{answer['n_distinct']} distinct codes")


def test_a_label_of_the_legend_can_be_highlighted(open_page):
    page = open_page("?item=7&view=map&map=itq")
    expect(the_map(page)).to_contain_text("The cross marks the query's code")
    first, second, *_ = label_colours(page)
    before = picture(canvas(page))
    legend(page).first.click()
    expect(legend(page).first).to_have_attribute("aria-pressed", "true")
    after = picture(canvas(page))
    assert count(after, first) > 0.95 * count(before, first)  # its name may have moved
    assert count(before, second) > count(after, second) == 0
    legend(page).first.click()
    assert np.array_equal(picture(canvas(page)), before)


@pytest.mark.slow
def test_the_map_turns_dark_with_the_page(open_page):
    page = open_page("?view=map&map=itq", color_scheme="light")
    light = label_colours(page)
    page.emulate_media(color_scheme="dark")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    paper = variable(page, "--surface")
    dark = label_colours(page)
    assert not set(light) & set(dark)
    shown = picture(canvas(page))
    assert count(shown, paper) > 50_000
    assert all(count(shown, colour) > 20 for colour in dark)


def test_neighbourhoods_are_announced_while_they_are_computed(open_page):
    page = open_page("?item=7&view=map")
    held: list[Route] = []
    page.route(re.compile("layout=tsne"), lambda route: held.append(route))
    before = picture(canvas(page))
    page.get_by_role("button", name="Neighbourhoods (t-SNE)").click()
    expect(page.get_by_text("Computing t-SNE")).to_be_visible()
    expect(page.get_by_text("gaps between groups mean nothing")).to_be_visible()
    held[0].continue_()
    expect(page.get_by_text("Computing t-SNE")).to_be_hidden()
    assert not np.array_equal(picture(canvas(page)), before)


@pytest.mark.slow
def test_areas_are_in_proportion_to_counts_and_small_discs_lie_on_top(open_page):
    page = open_page("?item=7&view=curves")
    three = {"x": [0, 0, -0.6], "y": [0, 0, 0], "count": [400, 25, 100], "label": [0, 1, 2]}
    draw_instead(page, three)
    page.get_by_role("link", name="Code map").click()
    colours = label_colours(page)
    shown = picture(canvas(page))
    assert width(shown, colours[0]) == pytest.approx(2 * width(shown, colours[2]), abs=3)
    place = {"x": shown.shape[1] / 2, "y": shown.shape[0] / 2}
    canvas(page).hover(position=place)
    expect(card(page)).to_contain_text("Label 1.")
    canvas(page).hover(position={**place, "x": place["x"] + 20})
    expect(card(page)).to_contain_text("Label 0.")


@pytest.mark.slow
def test_a_name_stands_on_a_disc_of_its_label_that_no_other_covers(open_page):
    page = open_page("?view=curves")
    covered = {"x": [-0.6, 0.6, -0.6], "y": [0, 0, 0], "count": [400, 300, 399], "label": [0, 0, 1]}
    draw_instead(page, covered)
    page.get_by_role("link", name="Code map").click()
    zero = label_colours(page)[0]
    shown = picture(canvas(page))
    columns = np.flatnonzero((np.abs(shown - zero).max(axis=2) <= 12).any(axis=0))
    right = shown[:, columns[columns > shown.shape[1] // 2]]
    assert count(right, variable(page, "--ink")) > 5


@pytest.mark.slow
def test_the_query_s_disc_has_a_ring_in_the_accent_s_colour(open_page):
    page = open_page("?item=7&view=map")
    expect(the_map(page)).to_contain_text("The cross marks the query's code")
    place = inside_a_disc(page, label_colours(page)[7])
    top, left = int(place["y"]), int(place["x"])
    around = picture(canvas(page))[max(top - 60, 0) : top + 60, max(left - 60, 0) : left + 60]
    everywhere = count(picture(canvas(page)), variable(page, "--accent"))
    assert count(around, variable(page, "--accent")) > 0.95 * everywhere > 100


@pytest.mark.slow
def test_a_map_that_did_not_come_leaves_the_old_one_greyed(open_page, watch):
    watch.expected.append("Failed to load resource")
    page = open_page("?item=7&view=map")
    stage = the_map(page).locator(".map-stage")
    page.route(
        re.compile("/api/map"), lambda route: route.fulfill(status=422, json={"detail": "No."})
    )
    page.get_by_role("slider", name="Bits").fill("6")
    expect(the_map(page).get_by_role("alert")).to_have_text("No.")
    expect(stage).to_have_css("opacity", "0.5")
    page.get_by_role("slider", name="Bits").fill("32")
    expect(stage).to_have_css("opacity", "1")


@pytest.mark.slow
def test_of_many_labels_the_twenty_most_frequent_have_colours(open_page):
    page = open_page("?view=curves")
    names = [f"kind {i}" for i in range(60)]

    def many(route: Route) -> None:
        answer = json.loads(route.fetch().text())
        if "labels" in answer:
            answer["labels"] = {"names": names, "several": False}
        else:
            answer["label"] = [i % 60 for i in range(len(answer["label"]))]
        route.fulfill(json=answer)

    page.route(re.compile("/api/(collection|map)"), many)
    page.goto(page.url.split("?")[0] + "?view=map&map=itq")
    expect(legend(page)).to_have_count(21)
    expect(legend(page).last).to_have_text("others")


@pytest.mark.slow
def test_a_tap_shows_the_card_and_a_second_one_queries_on_a_narrow_screen(open_page):
    settings = {"viewport": {"width": 360, "height": 740}, "has_touch": True}
    page = open_page("?item=7&view=map", **settings)
    box = canvas(page).bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 360
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    place = inside_a_disc(page, label_colours(page)[0], size=5)  # a small disc, and a name on it
    canvas(page).tap(position=place)
    expect(card(page)).to_contain_text("Label 0.")
    canvas(page).tap(position=place)
    expect(query(page).locator(".big")).to_have_text("0")
