"""An image file as the query."""

from __future__ import annotations

import base64
import io

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Locator, Page, expect
from sklearn.datasets import load_digits

from tests.explorer.browser.looking import hits, query

pytestmark = pytest.mark.slow  # every view is opened by the files that always run


@pytest.fixture(scope="module")
def zero() -> bytes:
    """Return a PNG file of a handwritten zero, enlarged as a person would send it."""
    pixels = np.uint8(load_digits().images[0] * (255 / 16))
    file = io.BytesIO()
    Image.fromarray(pixels).resize((120, 120), Image.Resampling.BICUBIC).save(file, "PNG")
    return file.getvalue()


def choose(page: Page, name: str, kind: str, content: bytes) -> None:
    file = {"name": name, "mimeType": kind, "buffer": content}
    page.locator("input[type=file]").set_input_files(file)


def seen_picture(page: Page) -> Locator:
    return query(page).get_by_role("img", name="your image, as the methods see it")


def test_a_chosen_picture_is_the_query_as_the_methods_see_it(open_page, zero):
    page = open_page("?item=8")
    choose(page, "zero.png", "image/png", zero)
    expect(seen_picture(page)).to_be_visible()
    expect(hits(page)).to_have_count(30)
    titles = hits(page).evaluate_all("nodes => nodes.map(node => node.title)")
    assert sum(", label 0, " in title for title in titles) >= 20
    expect(page.get_by_text("items are neither right nor wrong")).to_be_visible()
    assert not any("✕" in text for text in hits(page).all_inner_texts())


def test_a_picture_with_a_label_has_right_and_wrong_neighbours(open_page, zero):
    page = open_page("?item=8")
    choose(page, "zero.png", "image/png", zero)
    page.get_by_label("This is a").select_option("1")
    expect(page.get_by_text("0 of 30 right")).to_be_visible()
    assert all("✕" in text for text in hits(page).all_inner_texts())
    page.get_by_label("This is a").select_option("0")
    expect(page.get_by_text("30 of 30 right")).to_be_visible()
    expect(page.get_by_text("items are neither right nor wrong")).to_be_hidden()


def test_back_returns_to_the_item_and_forward_to_the_picture(open_page, zero):
    page = open_page("?item=8")
    choose(page, "zero.png", "image/png", zero)
    expect(seen_picture(page)).to_be_visible()
    page.go_back()
    expect(query(page).get_by_role("img", name="item 8", exact=True)).to_be_visible()
    page.go_forward()
    expect(seen_picture(page)).to_be_visible()
    page.reload()
    expect(seen_picture(page)).to_be_visible()


def test_a_picture_dropped_anywhere_on_the_page_is_the_query(open_page, zero):
    page = open_page("?item=8")
    expect(hits(page)).to_have_count(30)
    page.evaluate(
        """data => {
          const bytes = Uint8Array.from(atob(data), character => character.charCodeAt(0));
          const files = new DataTransfer();
          files.items.add(new File([bytes], "zero.png", { type: "image/png" }));
          for (const kind of ["dragover", "drop"]) {
            const how = { dataTransfer: files, bubbles: true, cancelable: true };
            document.querySelector("main").dispatchEvent(new DragEvent(kind, how));
          }
        }""",
        base64.b64encode(zero).decode(),
    )
    expect(seen_picture(page)).to_be_visible()


def test_wrong_files_are_refused_in_a_sentence_near_the_drop_zone(open_page, watch):
    watch.expected.append("Failed to load resource")
    page = open_page("?item=8&k=3")
    problem = query(page).get_by_role("alert")
    zone = page.get_by_text("Drop an image here or").bounding_box()
    choose(page, "notes.txt", "text/plain", b"no picture at all")
    expect(problem).to_contain_text("image/png")  # it says what is taken
    assert abs(problem.bounding_box()["y"] - zone["y"]) < 120
    choose(page, "empty.png", "image/png", b"")
    expect(problem).to_have_text("empty.png is empty.")
    choose(page, "torn.png", "image/png", b"\x89PNG\r\n\x1a\n and then nothing")
    expect(problem).not_to_contain_text("empty.png")
    expect(problem).to_contain_text("The image is truncated")
    expect(query(page).get_by_role("img", name="item 8", exact=True)).to_be_visible()
    hits(page).first.click()
    expect(problem).to_be_hidden()  # it spoke of an older try


def test_a_file_that_is_too_large_is_refused_before_it_is_sent(open_page):
    page = open_page("?item=8")
    page.locator("input[type=file]").evaluate(
        """input => {
          const files = new DataTransfer();
          files.items.add(new File([new Uint8Array(10_100_000)], "huge.png"));
          input.files = files.files;
          input.dispatchEvent(new Event("change"));
        }"""
    )
    refusal = query(page).get_by_role("alert")
    expect(refusal).to_have_text("huge.png has 10.1 MB; it must have at most 10.0 MB.")
