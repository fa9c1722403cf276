"""Compare mode: one query under several methods, in columns side by side."""

from __future__ import annotations

import itertools
import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.explorer.browser.looking import ALL, ITQ, LSH, TSH, ask, column, expect_query, hits, ids

pytestmark = pytest.mark.slow  # every view is opened by the files that always run


def test_compare_shows_every_method_in_a_column_of_its_own(open_page):
    page = open_page("?item=8")
    expect(page.get_by_role("article")).to_have_count(1)
    page.get_by_role("button", name="Compare all").click()
    expect(page.get_by_role("article")).to_have_count(3)
    boxes = [column(page, title).bounding_box() for title in (TSH, ITQ, LSH)]
    for left, right in itertools.pairwise(boxes):
        assert left["x"] + left["width"] <= right["x"]
        assert abs(left["y"] - right["y"]) < 1
        assert abs(left["width"] - right["width"]) < 1
    assert boxes[-1]["x"] + boxes[-1]["width"] <= 1280


def test_columns_answer_the_same_query_each_by_its_own_codes(open_page):
    page = open_page(f"?item=8{ALL}")
    for name, title in {"tsh-ksh": TSH, "itq": ITQ, "lsh": LSH}.items():
        answer = ask(page, "search", method=name, item=8)
        assert ids(page, title) == [hit["item"]["id"] for hit in answer["hits"]]
        precision = f"{answer['precision']['shown']:.3f}"
        expect(column(page, title).get_by_text(precision, exact=True)).to_be_visible()


def test_a_click_in_one_column_asks_all_columns(open_page):
    page = open_page(f"?item=8{ALL}")
    target = ask(page, "search", method="lsh", item=8)["hits"][0]["item"]["position"]
    hits(page, LSH).first.click()
    expect_query(page, target)
    for name, title in {"tsh-ksh": TSH, "lsh": LSH}.items():
        nearest = ask(page, "search", method=name, item=target)["hits"][0]["item"]["id"]
        expect(hits(page, title).first).to_have_attribute("title", re.compile(f"^id {nearest},"))


def box(page: Page, title: str) -> Locator:
    return page.get_by_role("checkbox", name=title)


def test_methods_are_switched_one_by_one_and_one_stays(open_page):
    page = open_page("?item=8")
    box(page, LSH).check()
    expect(page.get_by_role("article")).to_have_count(2)
    box(page, TSH).uncheck()
    expect(page.get_by_role("article")).to_have_count(1)
    expect(column(page, LSH)).to_be_visible()
    box(page, LSH).click()
    expect(box(page, LSH)).to_be_checked()
    page.get_by_role("button", name=f"Only {ITQ}").click()
    expect(page.get_by_role("article")).to_have_count(1)
    expect(column(page, ITQ)).to_be_visible()
