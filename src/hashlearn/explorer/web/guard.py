"""Checks before any route: the host, the site that sends a request, and the address's length.

A page of another site can make a browser send requests here, or give its own name this machine's
address (DNS rebinding). Origin and Sec-Fetch-Site reveal the first, Host the second.

Starlette's TrustedHostMiddleware does not replace the host check: it looks at the first of several
Host headers, older releases misread IPv6 addresses, and it answers "Invalid host header" without
naming the remedy.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hashlearn.explorer.web.errors import refusal

LOCAL_HOSTS = ("localhost", "127.0.0.1", "::1")
SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
MAX_ADDRESS_BYTES = 32_768  # codes of 4,096 bits by several methods fit
# They tell browsers to load nothing from elsewhere, and to show this page nowhere else.
SECURITY_HEADERS = {
    "Content-Security-Policy": "default-src 'self'; img-src 'self' data: blob:; "
    "object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Cache-Control": "no-store",  # unless a response says otherwise
}
_HOST = re.compile(r"(?:\[(?P<six>[0-9a-f:.]+)\]|(?P<name>[a-z0-9._-]+))(?::\d{1,5})?")


class Guard:
    """Refuses requests that fail a check, and adds the security headers to every response."""

    def __init__(self, app: ASGIApp, hosts: Iterable[str]) -> None:
        self.app = app
        self.hosts = {host.lower() for host in hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse or forward one request."""

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in SECURITY_HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        app = self.app
        if scope["type"] == "http":
            try:
                self._check(scope, Headers(scope=scope))
            except HTTPException as error:
                app = refusal(error.status_code, error.detail)
        await app(scope, receive, send_with_headers)

    def _check(self, scope: Scope, headers: Headers) -> None:
        given = headers.getlist("host")
        if len(given) != 1:
            raise HTTPException(421, "A request must have exactly one Host header.")
        if host_name(given[0]) not in self.hosts:
            raise HTTPException(
                421,
                f"The host {given[0][:80]!r} is not served here; start with --allow-host "
                "to allow it.",
            )
        if _is_from_another_site(scope["method"], headers):
            raise HTTPException(403, "Requests from pages of other sites are not allowed.")
        n_bytes = len(scope["query_string"]) + len(scope["path"])
        if n_bytes > MAX_ADDRESS_BYTES:
            raise HTTPException(
                414, f"The address must have at most {MAX_ADDRESS_BYTES:,} bytes; got {n_bytes:,}."
            )


def host_name(header: str) -> str | None:
    """Return the name in a Host header without its port, or None if it is malformed."""
    found = _HOST.fullmatch(header.lower())
    return found and (found["six"] or found["name"])


def _is_from_another_site(method: str, headers: Headers) -> bool:
    """Tell whether another site's page sends a request; following a link from there is fine."""
    is_safe = method in SAFE_METHODS
    if headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
        return not (is_safe and headers.get("sec-fetch-mode") == "navigate")
    origin = headers.get("origin")
    return not is_safe and origin is not None and not _is_host(origin, headers["host"])


def _is_host(origin: str, host: str) -> bool:
    try:
        return urlsplit(origin).netloc.lower() == host.lower()
    except ValueError:  # such as an address with an unmatched bracket
        return False
