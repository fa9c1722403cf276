"""Who may ask: requests for this very host, and not from other sites' pages.

A page of another site can make a browser send requests here, or give its own name this
machine's address (DNS rebinding). The first tells by Origin and Sec-Fetch-Site, the second by Host.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from hashlearn.explorer.web.answering import refusal

LOCAL_HOSTS = ("localhost", "127.0.0.1", "::1")
SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
_HOST = re.compile(r"(?:\[(?P<six>[0-9a-f:.]+)\]|(?P<name>[a-z0-9._-]+))(?::\d{1,5})?")


def host_name(header: str) -> str | None:
    """Return the name in a Host header, without its port; None if it is none.

    Examples
    --------
    >>> host_name("LocalHost:8000"), host_name("[::1]:80"), host_name("a/b")
    ('localhost', '::1', None)
    """
    found = _HOST.fullmatch(header.lower())
    return found and (found["six"] or found["name"])


class HostCheck:
    """Refuses requests for other hosts, whatever their port.

    Parameters
    ----------
    app : ASGI application
        What the others go to.
    hosts : iterable of str
        Names and addresses, without brackets and ports.
    """

    def __init__(self, app: ASGIApp, hosts: Iterable[str]) -> None:
        self.app = app
        self.hosts = {host.lower() for host in hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer or hand on one request."""
        given = Headers(scope=scope).getlist("host")
        if len(given) == 1 and host_name(given[0]) in self.hosts:
            await self.app(scope, receive, send)
            return
        sentence = (
            f"The host {given[0][:80]!r} is not served here: start with --allow-host to allow it."
            if len(given) == 1
            else "A request takes one Host header."
        )
        await refusal(421, sentence)(scope, receive, send)


class SiteCheck:
    """Refuses what pages of other sites send; following a link from there is fine.

    Parameters
    ----------
    app : ASGI application
        What the others go to.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer or hand on one request."""
        headers = Headers(scope=scope)
        if _is_from_elsewhere(scope["method"], headers):
            sentence = "Pages of other sites may not ask here."
            await refusal(403, sentence)(scope, receive, send)
            return
        await self.app(scope, receive, send)


def _is_from_elsewhere(method: str, headers: Headers) -> bool:
    is_safe = method in SAFE_METHODS
    if headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
        return not (is_safe and headers.get("sec-fetch-mode") == "navigate")
    origin = headers.get("origin")
    return not is_safe and origin is not None and not _is_host(origin, headers["host"])


def _is_host(origin: str, host: str) -> bool:
    try:
        return urlsplit(origin).netloc.lower() == host.lower()
    except ValueError:  # such as an address with half its brackets
        return False
