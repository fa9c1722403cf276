"""Everything by keyboard: shortcuts, arrows between items, Tab to every control."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.explorer.browser.looking import ALL, ITQ, LSH, TSH, ask, column, expect_query, hits

pytestmark = pytest.mark.slow  # every view is opened by the files that always run

# In place of the system's file dialog, which no test can close.
NO_DIALOG = """node => node.addEventListener("click", event => {
  event.preventDefault();
  node.dataset.opened = "yes";
})"""


def test_keys_do_what_the_help_says(open_page):
    page = open_page("?item=1611&methods=lsh")
    expect(hits(page, LSH)).to_have_count(30)
    page.keyboard.press("[")
    expect(page.get_by_text("first 31 of 32", exact=True)).to_be_visible()
    page.keyboard.press("]")
    expect(page.get_by_text("all 32", exact=True)).to_be_visible()
    page.keyboard.press("+")
    page.keyboard.press("+")
    page.keyboard.press("-")
    expect(page.get_by_role("button", name="Within radius 3")).to_be_visible()
    page.keyboard.press(",")
    expect(hits(page, LSH)).to_have_count(29)
    page.keyboard.press(".")
    expect(hits(page, LSH)).to_have_count(30)
    page.keyboard.press("t")
    expect(page.get_by_role("button", name="Theme: Light")).to_be_visible()
    page.locator("input[type=file]").evaluate(NO_DIALOG)
    page.keyboard.press("u")
    expect(page.locator("input[type=file]")).to_have_attribute("data-opened", "yes")
    page.keyboard.press("n")
    expect(page.get_by_role("button", name="Within radius 3", pressed=True)).to_be_visible()
    page.keyboard.press("c")
    expect(page.get_by_role("article")).to_have_count(3)
    page.keyboard.press("c")
    expect(page.get_by_role("article")).to_have_count(1)
    page.keyboard.press("r")
    expect(page.get_by_role("img", name="item 1611", exact=True)).to_have_count(0)


PRESS = """([key, held]) => document.body.dispatchEvent(
  new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...held }))"""


def test_brackets_work_on_keyboards_that_type_them_with_altgr_or_option(open_page):
    page = open_page("?item=8")
    for times, held in enumerate(({"ctrlKey": True, "altKey": True}, {"altKey": True}), 1):
        page.evaluate(PRESS, ["[", held])
        expect(page.get_by_text(f"first {32 - times} of 32", exact=True)).to_be_visible()
    for key in ("-", "c"):  # the browser's own: zoom and copy
        page.evaluate(PRESS, [key, {"ctrlKey": True}])
    page.evaluate(PRESS, ["]", {}])
    expect(page.get_by_text("first 31 of 32", exact=True)).to_be_visible()
    expect(page.get_by_role("button", name="Within radius 2")).to_be_visible()
    expect(page.get_by_role("article")).to_have_count(1)


def test_the_focus_stays_on_its_item_while_the_list_changes(open_page):
    page = open_page("?item=8")
    hits(page).nth(11).focus()
    item = page.locator(":focus").get_attribute("data-item")
    page.keyboard.press(".")
    expect(hits(page)).to_have_count(31)
    expect(page.locator(":focus")).to_have_attribute("data-item", item)
    page.keyboard.press("c")
    expect(hits(page, LSH)).to_have_count(31)
    expect(column(page).locator(":focus")).to_have_attribute("data-item", item)
    hits(page, LSH).nth(3).focus()
    page.keyboard.press("c")  # back to the first method alone
    expect(column(page).locator(".hit:focus")).to_have_count(1)
    page.keyboard.press("2")
    expect(page.get_by_role("main")).to_be_focused()


def test_digits_choose_the_view(open_page):
    page = open_page("?item=8")
    for key, name in (("2", "Curves"), ("3", "Code map"), ("1", "Neighbours")):
        page.keyboard.press(key)
        expect(page.get_by_role("region", name=name, exact=True)).to_be_visible()
        link = page.get_by_role("link", name=name, exact=True)
        expect(link).to_have_attribute("aria-current", "page")
        expect(page.locator("main > section:visible")).to_have_count(1)


def test_the_help_opens_and_closes_by_key(open_page):
    page = open_page("?item=8")
    expect(hits(page)).to_have_count(30)
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("c")  # no shortcut works behind the open help
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()
    expect(page.get_by_role("article")).to_have_count(1)


def test_letters_typed_into_a_field_are_no_shortcuts(open_page):
    page = open_page("?item=8")
    expect_query(page, 8)
    page.keyboard.press("/")
    field = page.get_by_label("Id of an item")
    expect(field).to_be_focused()
    page.keyboard.type("rc1")
    expect(field).to_have_value("rc1")
    expect_query(page, 8)
    expect(page.get_by_role("article")).to_have_count(1)


def test_arrows_move_between_items_and_enter_makes_one_the_query(open_page):
    page = open_page("?item=8")
    shown = hits(page)
    shown.first.focus()
    page.keyboard.press("ArrowRight")
    expect(shown.nth(1)).to_be_focused()
    here = shown.nth(1).bounding_box()
    page.keyboard.press("ArrowDown")
    below = page.locator(":focus").bounding_box()
    assert abs(below["x"] - here["x"]) < 2
    assert below["y"] > here["y"]
    page.keyboard.press("ArrowUp")
    expect(shown.nth(1)).to_be_focused()
    page.keyboard.press("End")
    expect(shown.last).to_be_focused()
    page.keyboard.press("Home")
    page.keyboard.press("Enter")
    expect_query(page, ask(page, "search", method="tsh-ksh", item=8)["hits"][0]["item"]["position"])
    expect(hits(page).first).to_be_focused()  # the reader stays in the list


# The name of what has the focus, and how its focus is drawn (for the file field: on the drop zone).
FOCUS = """() => {
  const node = document.activeElement;
  const seen = node.type === "file" ? node.nextElementSibling : node;
  const words = node.getAttribute("aria-label") || node.labels?.[0]?.innerText || node.innerText;
  return [node.matches(".hit") ? "a found item" : words, getComputedStyle(seen).outlineStyle];
}"""
CONTROLS = (
    "Neighbours|Curves|Code map|Theme: Auto|Random|Label of the random query|Id of an item|Go to id"
    f"|Drop an image here or choose a file|Only one|{TSH}|Bits|Radius|Neighbours"
).split("|")


def test_tab_reaches_every_control_with_a_visible_focus(open_page):
    page = open_page(f"?item=8{ALL}")
    for title in (TSH, ITQ, LSH):
        column(page, title)
    reached = []
    while reached.count("a found item") < 3 and len(reached) < 60:
        page.keyboard.press("Tab")
        name, outline = page.evaluate(FOCUS)
        assert outline != "none", name
        reached.append(name)
    assert reached[0] == "Skip to the results"
    assert [name for name in CONTROLS if name not in reached] == []
    assert reached.count("a found item") == 3, "one stop per column, arrows go on from there"
