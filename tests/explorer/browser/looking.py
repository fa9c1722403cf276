"""Where a person looks on the explorer's page."""

from __future__ import annotations

import io
import re
from urllib.parse import urlencode

from PIL import Image
from playwright.sync_api import Locator, Page, expect

TSH, ITQ, LSH = "Two-step hashing, KSH loss", "Iterative quantization", "Locality-sensitive hashing"
ALL = "&methods=tsh-ksh&methods=itq&methods=lsh"


def column(page: Page, title: str = TSH) -> Locator:
    """Return a method's column once its answer is there."""
    found = page.get_by_role("article", name=title)
    expect(found.get_by_role("link").first).to_be_visible()
    expect(found).not_to_have_attribute("aria-busy", "true")
    return found


def hits(page: Page, title: str = TSH) -> Locator:
    return column(page, title).get_by_role("link")


def query(page: Page) -> Locator:
    return page.get_by_role("region", name="Query")


def ids(page: Page, title: str = TSH) -> list[str]:
    """Return the ids of the items that a column lists, in order."""
    titles = hits(page, title).evaluate_all("nodes => nodes.map(node => node.title)")
    return [text.split(",")[0].removeprefix("id ") for text in titles]


def expect_query(page: Page, item: int) -> None:
    """Wait until the panel shows this item of the digits, whose ids are their positions."""
    expect(query(page).get_by_role("img", name=f"item {item}", exact=True)).to_be_visible()


def ask(page: Page, path: str, **parameters: object) -> dict:
    """Return the answer of the API that the page talks to."""
    site = re.match(r"https?://[^/]+/", page.url)
    assert site is not None
    return page.request.get(f"{site[0]}api/{path}?{urlencode(parameters)}").json()


def settled(page: Page) -> None:
    """Wait until no part of the view expects an answer."""
    expect(page.locator("main [aria-busy=true]")).to_have_count(0)


def colour(locator: Locator, which: str = "color") -> str:
    return locator.evaluate("(node, which) => getComputedStyle(node)[which]", which)


def variable(page: Page, name: str) -> tuple[int, int, int]:
    """Return one of the page's named colours, such as ``--wrong``, as red, green, blue."""
    script = "name => getComputedStyle(document.documentElement).getPropertyValue(name).trim()"
    text = page.evaluate(script, name)
    red, green, blue = (int(text[i : i + 2], 16) for i in (1, 3, 5))
    return red, green, blue


def pixels(locator: Locator, wanted: tuple[int, int, int]) -> int:
    """Return how many pixels of an element's picture on the screen have nearly this colour."""
    image = Image.open(io.BytesIO(locator.screenshot())).convert("RGB")
    colours = image.getcolors(maxcolors=image.width * image.height) or []
    near = [
        n for n, seen in colours if max(abs(a - b) for a, b in zip(seen, wanted, strict=True)) <= 12
    ]
    return sum(near)
