"""Questions that the server asks itself before anybody else: what is built on first use is then."""

from __future__ import annotations

from urllib.parse import quote

from starlette.types import ASGIApp, Message, Scope

from hashlearn.explorer.collection.collection import Collection


async def ask_first(app: ASGIApp, collection: Collection, host: str) -> None:
    """Ask for the page, the collection, an item and a search, without a network.

    Parameters
    ----------
    app : ASGI application
    collection : Collection
        What it shows.
    host : str
        A host that is answered.
    """
    method = quote(next(iter(collection.methods)))
    await _ask(app, host, "/")
    await _ask(app, host, "/api/collection")
    await _ask(app, host, "/api/items/0")
    await _ask(app, host, "/api/search", f"method={method}&item=0")


async def _ask(app: ASGIApp, host: str, path: str, query: str = "") -> None:
    scope: Scope = {
        "type": "http",
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "headers": [(b"host", (f"[{host}]" if ":" in host else host).encode())],
    }

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Message) -> None:
        """Drop the answer: that it was made is enough."""

    await app(scope, receive, send)
