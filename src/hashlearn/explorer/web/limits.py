"""How much one request may ask for, or send."""

from __future__ import annotations

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from hashlearn.explorer.web.answering import refusal

MAX_K = 200  # hits in one answer
MAX_UPLOAD_BYTES = 10_000_000
MAX_JSON_BYTES = 16_000_000
MAX_VECTORS = 1_000  # in one request
MAX_NUMBERS = 1_000_000  # of all vectors of one request
MAX_NUMBER = 1e15  # in magnitude: sums of squares stay within 32-bit floats
MAX_LABELS = 100  # of one query
MAX_QUERY_BYTES = 32_768  # of an address: codes of 4,096 bits by several methods fit


class QueryLimit:
    """Refuses addresses that are too long.

    Parameters
    ----------
    app : ASGI application
        What the others go to.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer or hand on one request."""
        n_bytes = len(scope["query_string"]) + len(scope["path"])
        if n_bytes > MAX_QUERY_BYTES:
            sentence = f"The address has {n_bytes:,} bytes: at most {MAX_QUERY_BYTES:,} are taken."
            await refusal(414, sentence)(scope, receive, send)
            return
        await self.app(scope, receive, send)


def check_content_type(request: Request, allowed: tuple[str, ...]) -> None:
    """Raise if a request sends something else than it may."""
    given = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if given not in allowed:
        raise HTTPException(
            415, f"The content type {given[:80]!r} is not taken: it takes {', '.join(allowed)}."
        )
