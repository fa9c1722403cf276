"""The sliders: bits, radius, neighbours, live."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, Route, expect

from tests.explorer.browser.looking import ITQ, LSH, ask, column, hits, ids, settled

pytestmark = pytest.mark.slow  # every view is opened by the files that always run


def slide(page: Page, name: str, value: int) -> None:
    page.get_by_role("slider", name=name).fill(str(value))


def test_fewer_bits_search_with_the_first_bits(open_page):
    page = open_page("?item=1611&methods=lsh")
    slide(page, "Bits", 9)
    expect(page.get_by_text("first 9 of 32", exact=True)).to_be_visible()
    expect(column(page, LSH).get_by_text("first 9 of 32 bits")).to_be_visible()
    answer = ask(page, "search", method="lsh", item=1611, bits=9)
    bar = hits(page, LSH).first.get_by_role("img").last
    expect(bar).to_have_accessible_name("no bit of 9 differs")
    expect(column(page, LSH).get_by_role("group")).to_have_count(len(answer["ties"]))
    precision = f"{answer['precision']['shown']:.3f}"
    expect(column(page, LSH).get_by_text(precision, exact=True)).to_be_visible()


def test_a_larger_radius_finds_more_and_moves_the_line(open_page):
    page = open_page("?item=1611&methods=lsh&bits=20")
    for radius in (0, 3):
        slide(page, "Radius", radius)
        answer = ask(page, "radius", method="lsh", item=1611, bits=20, radius=radius)
        expect(column(page, LSH).get_by_text(f"Within radius {radius}", exact=True)).to_be_visible()
        items = f"{answer['count']} item{'' if answer['count'] == 1 else 's'}"
        expect(column(page, LSH).get_by_text(items, exact=True)).to_be_visible()
    expect(column(page, LSH).get_by_text("all shown lie within radius 3")).to_be_visible()


def test_the_radius_stays_within_the_bits(open_page):
    page = open_page("?item=8&radius=20")
    slide(page, "Bits", 6)
    expect(page.get_by_role("button", name="Within radius 6")).to_be_visible()
    expect(column(page).get_by_text("Within radius 6", exact=True)).to_be_visible()


def test_the_number_of_neighbours_follows_its_slider(open_page):
    page = open_page("?item=8")
    for k in (3, 200):
        slide(page, "Neighbours", k)
        expect(hits(page)).to_have_count(k)
        expect(column(page).get_by_text(f"Precision at {k}", exact=True)).to_be_visible()


def test_an_answer_that_comes_late_is_dropped(open_page):
    page = open_page("?item=8&methods=itq")
    expect(hits(page, ITQ)).to_have_count(30)
    late: list[Route] = []
    page.route(re.compile("/api/search.*bits=30"), lambda route: late.append(route))
    with page.expect_request(re.compile("/api/search.*bits=30")):
        slide(page, "Bits", 30)
    slide(page, "Bits", 17)
    answer = ask(page, "search", method="itq", item=8, bits=17)
    wanted = [hit["item"]["id"] for hit in answer["hits"]]
    expect(hits(page, ITQ).first).to_have_attribute("title", re.compile(f"^id {wanted[0]},"))
    assert ids(page, ITQ) == wanted
    for route in late:
        route.continue_()
    page.evaluate(
        "fetch('/api/collection').then(answer => answer.json())"
    )  # the late ones came first
    settled(page)
    assert ids(page, ITQ) == wanted
    expect(column(page, ITQ).get_by_text("first 17 of 32 bits")).to_be_visible()
