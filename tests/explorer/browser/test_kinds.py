"""Collections of other kinds: texts with several labels, ids without any, no models."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from playwright.sync_api import expect

from hashlearn.explorer import CodedItems, Collection, IdDisplay, Labels
from hashlearn.explorer.collection.displays import TextLines
from tests.explorer.browser.conftest import served
from tests.explorer.browser.looking import ask, column, hits, query

pytestmark = pytest.mark.slow  # every view is opened by the files that always run

N_ITEMS = 40
WORDS = "engine", "weather", "runway"
SCRIPT = "<script>alert('no')</script>"


def coded(name: str, title: str, n_bits: int) -> CodedItems:
    rows = np.random.default_rng(n_bits).integers(0, 256, (N_ITEMS, -(-n_bits // 8)), np.uint8)
    rows[:, -1] &= 0xFF << (-n_bits % 8) & 0xFF  # padding bits are 0
    return CodedItems(name, title, rows, n_bits)


@pytest.fixture(scope="module")
def reports() -> Iterator[str]:
    """Return the address of texts with up to three labels each, under codes of 40 and of 7 bits."""
    marks = np.random.default_rng(0).integers(0, 2, (N_ITEMS, 3))
    marks[1:4] = [[1, 0, 0], [0, 1, 1], [0, 0, 0]]  # those that are asked about
    named = [[word for word, mark in zip(WORDS, row, strict=True) if mark] for row in marks]
    lines = [f"Report {i}: {' and '.join(words) or 'nothing'}" for i, words in enumerate(named)]
    lines[1] = SCRIPT
    collection = Collection(
        name="reports",
        ids=np.arange(N_ITEMS) + 2**60,  # more than JavaScript's numbers hold
        display=TextLines(lines),
        labels=Labels.from_values(marks),
        methods={"long": coded("long", "Long codes", 40), "short": coded("short", "Short", 7)},
    )
    with served(collection) as address:
        yield address


def test_texts_of_several_labels_are_wrong_if_they_share_none(open_page, reports):
    page = open_page("?item=2&methods=long", at=reports)
    answer = ask(page, "search", method="long", item=2)
    texts = hits(page, "Long codes").all_inner_texts()
    assert len(texts) == len(answer["hits"])
    for text, hit in zip(texts, answer["hits"], strict=True):
        assert hit["item"]["text"] in text
        assert ("✕" in text) == (not set(hit["item"]["labels"]) & set(answer["query"]["labels"]))
    expect(query(page).get_by_text("Report 2:")).to_be_visible()
    expect(query(page).get_by_text(str(2**60 + 2))).to_be_visible()


def test_a_text_is_shown_as_it_is_and_never_run(open_page, reports):
    page = open_page("?item=1", at=reports)
    expect(query(page).get_by_text(SCRIPT)).to_be_visible()


def test_codes_of_different_length_share_the_slider(open_page, reports):
    page = open_page("?item=2&methods=long&methods=short&bits=20", at=reports)
    expect(column(page, "Long codes").get_by_text("first 20 of 40 bits")).to_be_visible()
    expect(column(page, "Short").get_by_text("7 bits", exact=True)).to_be_visible()
    page.get_by_role("slider", name="Radius").fill("20")
    expect(column(page, "Short").get_by_text("39 items")).to_be_visible()


def test_an_item_without_labels_is_said_to_have_none(open_page, reports):
    page = open_page("?item=3&methods=long", at=reports)
    expect(query(page).get_by_text("no label")).to_be_visible()
    expect(page.get_by_text("The query has no label, so items are neither right")).to_be_visible()


def test_texts_are_as_wide_as_a_narrow_screen(open_page, reports):
    page = open_page("?item=2&methods=long", at=reports, viewport={"width": 360, "height": 740})
    assert hits(page, "Long codes").first.bounding_box()["width"] > 300


def test_without_models_no_picture_is_asked_for_and_a_dropped_one_is_explained(open_page, reports):
    page = open_page("?item=2", at=reports)
    expect(page.get_by_text("Drop an image here")).to_have_count(0)
    page.evaluate(
        """() => {
          const files = new DataTransfer();
          files.items.add(new File(["x"], "cat.png"));
          const how = { dataTransfer: files, bubbles: true, cancelable: true };
          document.body.dispatchEvent(new DragEvent("drop", how));
        }"""
    )
    expect(query(page).get_by_text("Images cannot be queries")).to_be_visible()


def test_without_labels_nothing_is_called_wrong(open_page):
    ids = np.arange(N_ITEMS)
    bare = Collection("bare", ids, IdDisplay(), None, {"long": coded("long", "Long codes", 40)})
    with served(bare) as address:
        page = open_page("?item=2", at=address)
        expect(page.get_by_text("items are neither right nor wrong")).to_be_visible()
        assert not any("✕" in text for text in hits(page, "Long codes").all_inner_texts())
        expect(page.get_by_text("Precision at")).to_have_count(0)
        page.keyboard.press("2")
        expect(page.get_by_role("region", name="Curves").get_by_text("label")).to_be_visible()
