"""A real Chromium on a real explorer: one server, one browser, one tab that tests take in turn."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import urlsplit

import pytest
from playwright import sync_api

from hashlearn.explorer import Collection
from hashlearn.explorer.web.app import create_app
from hashlearn.explorer.web.server import Server, address_of, listen

# A browser that minds its own business: no updates, no first-run pages, no calls home.
QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-sync",
    "--disable-background-networking",
    "--disable-component-update",
]
USUAL: dict[str, Any] = {"viewport": {"width": 1280, "height": 800}, "reduced_motion": "reduce"}
sync_api.expect.set_options(timeout=20_000)  # milliseconds, of a machine that is busy otherwise


@dataclass
class Watch:
    """What went wrong on a page; a test names the refusals that it provokes."""

    expected: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def on(self, page: sync_api.Page, site: str) -> Callable[[], None]:
        """Watch a page that shows a site; return what ends that."""
        own = urlsplit(site).netloc
        handlers: dict[Any, Callable[[Any], None]] = {
            "console": self._console,
            "pageerror": lambda error: self.problems.append(f"exception: {error}"),
            "request": lambda request: self._request(request, own),
            "requestfailed": self._failed,
        }
        for event, handler in handlers.items():
            page.on(event, handler)

        def end() -> None:
            for event, handler in handlers.items():
                page.remove_listener(event, handler)

        return end

    def _console(self, message: sync_api.ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.problems.append(f"console: {message.text} {message.location.get('url', '')}")

    def _request(self, request: sync_api.Request, own: str) -> None:
        address = urlsplit(request.url)
        if address.scheme not in ("data", "blob") and address.netloc != own:
            self.problems.append(f"request to another host: {request.url}")

    def _failed(self, request: sync_api.Request) -> None:
        # A newer request takes an older one's place: the page itself cancelled it.
        if request.failure != "net::ERR_ABORTED":
            self.problems.append(f"request failed: {request.url} {request.failure}")

    def unexpected(self) -> list[str]:
        return [p for p in self.problems if not any(words in p for words in self.expected)]


@contextmanager
def served(collection: Collection) -> Iterator[str]:
    """Serve a collection as `hashlearn explore` does, and give its address."""
    ready = threading.Event()
    with listen("127.0.0.1", 0) as listening:
        server = Server(create_app(collection), ready.set)
        thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
        thread.start()
        try:
            assert ready.wait(timeout=60)
            yield address_of(listening)
        finally:
            server.should_exit = True
            thread.join(timeout=10)


@pytest.fixture(scope="package")
def site(all_digits: Collection) -> Iterator[str]:
    """Return the address of an explorer that shows scikit-learn's digits."""
    with served(all_digits) as address:
        yield address


@pytest.fixture(scope="package")
def browser() -> Iterator[sync_api.Browser]:
    chromium = shutil.which("chromium")
    if chromium is None:
        reason = "needs Chromium: no program named chromium is on the path"
        if os.environ.get("HASHLEARN_BROWSER") == "required":
            pytest.fail(reason)
        pytest.skip(reason)
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=QUIET)
        yield browser
        browser.close()


@pytest.fixture(scope="package")
def tab(browser: sync_api.Browser) -> sync_api.Page:
    """Return the page that tests use one after the other: a new one costs a second."""
    return browser.new_context(**USUAL).new_page()


@pytest.fixture
def watch() -> Watch:
    return Watch()


@pytest.fixture
def open_page(
    browser: sync_api.Browser, tab: sync_api.Page, site: str, watch: Watch
) -> Iterator[Callable[..., sync_api.Page]]:
    """Return a function that opens an address of the explorer: ``open_page("?item=7")``.

    The page has its usual state, but for a viewport or a colour scheme that is given; other
    settings open a window of its own.
    """
    with ExitStack() as after:

        def open_page(
            address: str = "",
            at: str = site,
            viewport: sync_api.ViewportSize = USUAL["viewport"],
            color_scheme: Literal["light", "dark"] = "light",
            **settings: object,
        ) -> sync_api.Page:
            page = tab
            if settings:
                context = browser.new_context(**{**USUAL, **settings})
                after.callback(context.close)
                page = context.new_page()
            page.mouse.move(0, 0)
            page.set_viewport_size(viewport)
            page.emulate_media(color_scheme=color_scheme)
            after.callback(watch.on(page, at))
            after.callback(left, page)
            page.goto(at + address)
            page.get_by_role("heading", name="Query").wait_for()  # the page listens from here on
            return page

        yield open_page
    assert watch.unexpected() == []


def left(page: sync_api.Page) -> None:
    """Leave a page as it was found."""
    page.unroute_all(behavior="ignoreErrors")
    if page.url != "about:blank":
        page.evaluate("localStorage.clear()")
        page.goto("about:blank")  # what still loads is not the next test's
