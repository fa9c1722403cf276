"""The Neighbours view: what is near, what is wrong, what is tied."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.explorer.browser.looking import (
    LSH,
    TSH,
    ask,
    column,
    expect_query,
    hits,
    pixels,
    variable,
)


def test_the_page_opens_on_a_query_and_its_thirty_nearest(open_page):
    page = open_page()
    expect(page.get_by_text("digits, 1,797 items")).to_be_visible()
    expect(hits(page)).to_have_count(30)
    assert hits(page).first.get_by_role("img").first.evaluate("image => image.naturalWidth") == 8
    explained = "The distance of two items is the number of bits that differ"
    expect(page.get_by_text(explained)).to_be_visible()


def test_wrong_items_are_boxed_in_red_and_crossed_and_lower_the_precision(open_page):
    page = open_page("?item=1611&methods=lsh&k=20")
    answer = ask(page, "search", method="lsh", item=1611, k=20)
    shown = hits(page, LSH)
    expect(shown).to_have_count(20)
    red = "rgb({}, {}, {})".format(*variable(page, "--wrong"))
    borders = shown.evaluate_all("nodes => nodes.map(node => getComputedStyle(node).borderColor)")
    boxed = [border == red for border in borders]
    assert boxed == [not hit["relevant"] for hit in answer["hits"]]
    assert ["✕" in text for text in shown.all_inner_texts()] == boxed
    right = 20 - sum(boxed)
    assert 0 < right < 20, "the query was chosen because LSH errs on it"
    expect(column(page, LSH).get_by_text(f"{right} of 20 right")).to_be_visible()
    expect(column(page, LSH).get_by_text(f"{right / 20:.3f}", exact=True)).to_be_visible()


def test_ties_are_groups_that_say_how_many_there_are(open_page):
    page = open_page("?item=1611&methods=lsh")
    answer = ask(page, "search", method="lsh", item=1611)
    groups = column(page, LSH).get_by_role("group")
    expect(groups).to_have_count(len(answer["ties"]))
    for text, tie in zip(groups.all_inner_texts(), answer["ties"], strict=True):
        assert text.startswith(f"distance {tie['distance']}:")
        if tie["shown"] < tie["total"]:
            assert f"{tie['shown']} shown of {tie['total']} tied" in text
    assert answer["ties"][-1]["shown"] < answer["ties"][-1]["total"], "the last group is cut by k"


def test_bits_that_differ_are_marked_on_the_bar_and_named(open_page):
    page = open_page("?item=1611&methods=lsh&bits=20")
    answer = ask(page, "search", method="lsh", item=1611, bits=20)
    own = answer["query"]["code"]
    mark = variable(page, "--bit-differs")
    for index in (0, 29):
        code = answer["hits"][index]["code"]
        different = [i for i in range(20) if code[i] != own[i]]
        bar = hits(page, LSH).nth(index).get_by_role("img").last
        named = ", ".join(str(i + 1) for i in different)
        words = f"^{len(different)} of 20 bits differs?: {named}$"
        expect(bar).to_have_accessible_name(re.compile(words))
        # Marks of ones are full colour, those of zeros pale.
        assert (pixels(bar, mark) > 0) == any(code[i] == "1" for i in different)


@pytest.mark.slow
def test_equal_codes_have_no_marked_bit(open_page):
    page = open_page("?item=8&k=3")
    bar = hits(page).first.get_by_role("img").last
    expect(bar).to_have_accessible_name("no bit of 32 differs")
    assert pixels(bar, variable(page, "--bit-differs")) == 0
    assert pixels(bar, variable(page, "--bit-on")) > 0


def test_a_click_makes_an_item_the_query_and_back_returns(open_page):
    page = open_page("?item=8")
    target = ask(page, "search", method="tsh-ksh", item=8)["hits"][4]["item"]["position"]
    hits(page).nth(4).click()
    expect_query(page, target)
    page.go_back()
    expect_query(page, 8)
    page.go_forward()
    expect_query(page, target)


def test_all_items_within_the_radius_can_be_listed(open_page):
    page = open_page("?item=1611&methods=lsh&bits=20")
    answer = ask(page, "radius", method="lsh", item=1611, bits=20, radius=2)
    page.get_by_role("button", name="Within radius 2").click()
    expect(hits(page, LSH)).to_have_count(answer["count"])
    expect(column(page, LSH).get_by_text("all within radius 2 are shown")).to_be_visible()
    expect(column(page, LSH).get_by_text(f"precision {answer['precision']:.3f}")).to_be_visible()
    expect(column(page, LSH).get_by_text(f"recall {answer['recall']:.3f}")).to_be_visible()


def test_the_radius_is_a_line_between_the_groups(open_page):
    page = open_page("?item=1611&methods=lsh&bits=20")
    line = column(page, LSH).get_by_text("radius 2 ends here").bounding_box()
    tops = {
        group.inner_text().split(":")[0]: group.bounding_box()["y"]
        for group in column(page, LSH).get_by_role("group").all()
    }
    assert tops["distance 2"] < line["y"] < tops["distance 3"]


@pytest.mark.slow
def test_found_items_and_the_outcome_are_said_to_readers_who_listen(open_page):
    page = open_page("?item=1611&methods=lsh&k=20")
    found = ask(page, "search", method="lsh", item=1611, k=20)["hits"]
    wrong = sum(not hit["relevant"] for hit in found)
    said = f"Query id 1611, label 4. {LSH}: 20 items shown, {wrong} wrong."
    expect(page.locator("#live")).to_have_text(said)
    label = found[0]["item"]["labels"][0]
    expect(hits(page, LSH).first).to_have_accessible_name(re.compile(rf"\blabel {label}\b"))
    expect(hits(page, LSH).first).to_have_attribute("title", re.compile(f", label {label}, "))
    hits(page, LSH).first.click()
    expect(page.locator("#live")).to_have_text(
        re.compile(f"^Query id {found[0]['item']['id']}, label {label}[.] {LSH}: 20 items shown")
    )


@pytest.mark.slow
def test_what_ties_do_to_the_precision_is_explained_until_escape(open_page):
    page = open_page("?item=1611&methods=lsh")
    hint = column(page, LSH).get_by_role("button", name="over tie orders")
    expect(hint).to_have_accessible_description(re.compile("the mean over all orders"))
    tip = column(page, LSH).get_by_text("this is the mean over all orders")
    expect(tip).to_be_hidden()
    hint.focus()
    expect(tip).to_be_visible()
    page.keyboard.press("Escape")
    expect(tip).to_be_hidden()


@pytest.mark.slow
def test_a_lost_server_is_said_and_can_be_tried_again(open_page, watch):
    watch.expected += ["ERR_INTERNET_DISCONNECTED"]
    page = open_page("?item=8", offline=False)  # with a network of its own
    target = ask(page, "search", method="tsh-ksh", item=8)["hits"][2]["item"]["position"]
    expect(hits(page)).to_have_count(30)
    page.context.set_offline(True)
    hits(page).nth(2).click()
    notice = page.get_by_role("alert").filter(has_text="The explorer's server does not answer.")
    expect(notice).to_be_visible()
    expect(page.get_by_role("heading", name=TSH)).to_be_visible()  # the page is not blank
    page.context.set_offline(False)
    page.get_by_role("button", name="Try again").click()
    expect(notice).to_be_hidden()
    expect_query(page, target)
    expect(hits(page)).to_have_count(30)


@pytest.mark.slow
def test_a_bar_of_4096_bits_is_a_few_shapes_and_a_short_description(open_page):
    page = open_page("?item=8")
    shapes, words = page.evaluate(
        """async () => {
          const { codeBar } = await import("/page/js/bits.js");
          const bar = codeBar("01".repeat(2048), { against: "10".repeat(2048) });
          return [bar.children.length, bar.getAttribute("aria-label")];
        }"""
    )
    assert shapes <= 6
    assert words == "4096 of 4096 bits differ: 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 and 4084 more"
