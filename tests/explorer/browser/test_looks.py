"""Light and dark, wide and narrow, and nothing from elsewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

import hashlearn.explorer
from tests.explorer.browser.looking import ALL, LSH, colour, column, query, settled

pytestmark = pytest.mark.slow  # every view is opened by the files that always run

PAGE = Path(hashlearn.explorer.__file__).parent / "page"
NARROW = {"width": 360, "height": 740}

# The contrast of every visible piece of text with what is behind it, lowest first.
CONTRASTS = r"""() => {
  const numbers = text => text.match(/[\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map(v => v / 255)
    .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = node => {
    for (; node; node = node.parentElement) {
      const [r, g, b, a = 1] = numbers(getComputedStyle(node).backgroundColor);
      if (a === 1) return [r, g, b];
    }
  };
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode.parentElement;
    const seen = node.checkVisibility({ opacityProperty: true }) && !node.closest("svg");
    if (!seen || !walker.currentNode.data.trim()) continue;
    const [a, b] = [light(numbers(getComputedStyle(node).color)), light(behind(node))];
    found.push([(Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), walker.currentNode.data.trim()]);
  }
  return found.sort((one, other) => one[0] - other[0]);
}"""


def brightness(page: Page) -> float:
    red, green, blue = re.findall(r"\d+", colour(page.locator("body"), "backgroundColor"))
    return (int(red) + int(green) + int(blue)) / 3


def test_the_page_follows_the_system_and_its_text_is_readable(open_page):
    page = open_page(f"?item=1611{ALL}", color_scheme="light")
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        page.wait_for_function(
            "name => document.documentElement.dataset.theme === name", arg=scheme
        )
        assert (brightness(page) < 60) == (scheme == "dark")
        for key, fewest in (("1", 100), ("2", 40), ("3", 30), ("?", 40)):
            page.keyboard.press(key)
            settled(page)
            contrasts = page.evaluate(CONTRASTS)
            assert len(contrasts) > fewest, key
            assert contrasts[0][0] >= 4.5, (key, contrasts[0])
        page.keyboard.press("Escape")


def test_a_narrow_screen_says_which_collection_it_shows(open_page):
    page = open_page("?item=8", viewport=NARROW)
    words = page.get_by_text("digits, 1,797 items")
    assert words.evaluate("node => node.scrollWidth <= node.clientWidth")
    page.keyboard.press("?")
    close = page.get_by_role("button", name="Close help")
    page.get_by_role("dialog").evaluate("node => node.scrollTo(0, node.scrollHeight)")
    expect(close).to_be_in_viewport(ratio=1)


def test_the_theme_button_overrules_the_system_and_is_remembered(open_page):
    page = open_page("?item=8", color_scheme="light")
    button = page.get_by_role("button", name="Theme")
    button.click()
    button.click()
    expect(button).to_have_text(re.compile("Dark"))
    assert brightness(page) < 60
    page.reload()
    expect(button).to_have_text(re.compile("Dark"))
    assert brightness(page) < 60
    button.click()
    assert brightness(page) > 200


def test_a_narrow_screen_never_scrolls_sideways(open_page):
    page = open_page(f"?item=1611{ALL}", viewport=NARROW)
    expect(query(page).get_by_role("img", name="item 1611", exact=True)).to_be_visible()
    for view in ("Neighbours", "Curves", "Code map"):
        page.get_by_role("link", name=view, exact=True).click()
        settled(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= 360, view
    assert query(page).bounding_box()["width"] > 300


def test_a_narrow_screen_shows_query_then_results_and_folds_the_sliders(open_page):
    page = open_page("?item=8", viewport=NARROW)
    expect(page.get_by_role("slider", name="Bits")).to_be_hidden()
    panel, results = query(page).bounding_box(), column(page).bounding_box()
    assert panel["y"] + panel["height"] < results["y"] < 740
    page.get_by_text("Methods, bits, radius, neighbours").click()
    expect(page.get_by_role("slider", name="Bits")).to_be_visible()


def test_compared_columns_scroll_sideways_inside_a_narrow_screen(open_page):
    page = open_page(f"?item=8{ALL}", viewport=NARROW)
    assert column(page, LSH).bounding_box()["x"] > 360
    column(page, LSH).get_by_role("heading", name=LSH).scroll_into_view_if_needed()
    assert column(page, LSH).bounding_box()["x"] < 360


def test_the_page_names_no_other_host():
    files = [path for path in PAGE.rglob("*") if path.is_file()]
    assert len(files) > 10
    for path in files:
        hosts = set(re.findall(r"(?:https?:)?//[\w.-]+\.\w+", path.read_text(encoding="utf-8")))
        assert hosts <= {"http://www.w3.org"}, path  # SVG's name space, which nothing loads
