"""Take the screenshots of the explorer's guide: python docs/screenshots.py.

Needs Chromium on the path, and the packages of the tests (`pip install -e '.[test]'`).
"""

from __future__ import annotations

import io
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from PIL import Image
from playwright.sync_api import Browser, sync_playwright

IMAGES = Path(__file__).parent / "images" / "explorer"
ALL = "methods=tsh-ksh&methods=itq&methods=lsh"
QUERY = 9  # not used in training


class Shot(NamedTuple):
    """A screenshot: its name, the address, the size of the window and the colour scheme."""

    name: str
    address: str
    width: int = 1280
    height: int = 860
    scheme: str = "light"


SHOTS = (
    Shot("neighbours", f"?item={QUERY}&{ALL}"),
    Shot("bits", f"?item={QUERY}&methods=lsh&bits=20", height=760),
    Shot("dark", f"?item={QUERY}&methods=tsh-ksh&methods=itq&show=radius&radius=8", scheme="dark"),
    Shot("narrow", f"?item={QUERY}&{ALL}", width=360, height=1240),
    Shot("curves", f"?item={QUERY}&{ALL}&view=curves", height=870),
    Shot("map", f"?item={QUERY}&{ALL}&view=map&layout=tsne&map=itq"),
)


def main() -> None:
    """Take all screenshots."""
    chromium = shutil.which("chromium")
    if chromium is None:
        sys.exit("Screenshots need Chromium; install it, so that chromium is on the path.")
    IMAGES.mkdir(parents=True, exist_ok=True)
    with explorer() as site, sync_playwright() as playwright:
        arguments = ["--no-sandbox", "--disable-gpu"]
        browser = playwright.chromium.launch(executable_path=chromium, args=arguments)
        for shot in SHOTS:
            take(browser, site, shot)
        browser.close()


@contextmanager
def explorer() -> Iterator[str]:
    """Start the explorer on the digits, and yield its address."""
    program = Path(sys.executable).with_name("hashlearn")
    command = [program, "explore", "--port", "0", "--no-open"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.send_signal(signal.SIGINT)


def take(browser: Browser, site: str, shot: Shot) -> None:
    """Open a page, wait until it is drawn, and save a screenshot."""
    page = browser.new_page(
        viewport={"width": shot.width, "height": shot.height},
        color_scheme=shot.scheme,
        reduced_motion="reduce",
    )
    page.goto(site + shot.address)
    page.wait_for_load_state("networkidle")
    page.wait_for_function("!document.querySelector('.stale, [aria-busy=true]')")
    picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    few = picture.quantize(256, dither=Image.Dither.NONE)  # a third of the size
    few.save(IMAGES / f"{shot.name}.png", optimize=True)
    page.close()


if __name__ == "__main__":
    main()
