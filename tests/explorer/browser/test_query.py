"""Ways to choose the query: random, by label, by id, by address."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.explorer.browser.looking import ask, expect_query, hits, query


def test_random_shows_another_query_of_the_chosen_label(open_page):
    page = open_page("?item=8")
    expect_query(page, 8)
    page.get_by_label("Label of the random query").select_option("3")
    page.get_by_role("button", name="Random").click()
    expect(query(page).get_by_role("definition").first).to_have_text("3")
    expect(query(page).get_by_role("img", name="item 8", exact=True)).to_have_count(0)
    expect(hits(page)).to_have_count(30)


def test_an_id_is_gone_to_and_an_unknown_one_is_said_near_the_field(open_page, watch):
    watch.expected.append("404")
    page = open_page("?item=8&k=3")
    field = page.get_by_label("Id of an item")
    field.fill("1611")
    page.get_by_role("button", name="Go to id").click()
    expect_query(page, 1611)
    field.fill("99999")
    field.press("Enter")
    problem = query(page).get_by_text("99999")
    expect(problem).to_be_visible()
    assert 0 <= problem.bounding_box()["y"] - field.bounding_box()["y"] < 80
    expect_query(page, 1611)


@pytest.mark.slow
def test_words_in_place_of_an_id_are_not_found(open_page, watch):
    watch.expected.append("404")
    page = open_page("?item=8&k=3")
    page.get_by_label("Id of an item").fill(" abc ")
    page.get_by_role("button", name="Go to id").click()
    refusal = "id=abc is not in 'digits'."
    expect(query(page).get_by_text(refusal)).to_be_visible()


def test_a_new_query_is_said_in_every_view(open_page):
    page = open_page("?item=8&view=curves")
    for view, item in (("curves", 1611), ("map", 9)):
        page.goto(f"{page.url.split('?')[0]}?item=8&view={view}")
        expect(page.locator("#live")).to_have_text("Query id 8, label 8.")
        page.get_by_label("Id of an item").fill(str(item))
        page.get_by_role("button", name="Go to id").click()
        label = ask(page, f"items/{item}")["labels"][0]
        expect(page.locator("#live")).to_have_text(f"Query id {item}, label {label}.")


@pytest.mark.slow
def test_an_address_with_an_item_that_is_not_there_says_so(open_page, watch):
    watch.expected.append("404")
    page = open_page("?item=99999")
    expect(query(page).get_by_text("99999")).to_be_visible()
    expect(page.get_by_role("article").get_by_text("99999")).to_be_visible()
    page.get_by_role("button", name="Random").click()
    expect(hits(page)).to_have_count(30)


def test_an_address_keeps_what_is_shown(open_page):
    page = open_page("?item=8&methods=itq&bits=12&k=7&radius=5&show=nonsense&view=%00")
    expect(page.get_by_text("first 12 of 32 bits")).to_be_visible()
    page.reload()
    expect_query(page, 8)
    expect(page.get_by_text("first 12 of 32 bits")).to_be_visible()
    expect(hits(page, "Iterative quantization")).to_have_count(7)
    expect(page.get_by_role("button", name="Within radius 5")).to_be_visible()
