"""Requests that the server sends to itself first: later ones wait for no compilation or copy."""

from __future__ import annotations

from urllib.parse import quote

from starlette.types import ASGIApp, Message, Scope

from hashlearn.explorer.collection.collection import Collection

BY_METHOD = ("search?item=0&", "radius?item=0&", "curve?item=0&", "metrics?", "map?")


async def warm_up(app: ASGIApp, collection: Collection, host: str) -> None:
    """Ask every kind of question once under every method, except for t-SNE, which takes long.

    Parameters
    ----------
    app : ASGI application
    collection : Collection
        The collection that it shows.
    host : str
        A host that it answers.
    """
    for path in ("/", "/api/collection", "/api/items/0"):
        await _ask(app, host, path)
    for method in collection.methods:
        for question in BY_METHOD:
            await _ask(app, host, f"/api/{question}method={quote(method, safe='')}")
    if collection.reader is not None and collection.display.kind == "image":
        await _ask(app, host, "/api/encode/image", collection.display.image(0))


async def _ask(app: ASGIApp, host: str, address: str, image: bytes | None = None) -> None:
    """Send a request without a network, and drop the response."""
    path, _, query = address.partition("?")
    name = f"[{host}]" if ":" in host else host
    scope: Scope = {
        "type": "http",
        "http_version": "1.1",
        "method": "GET" if image is None else "POST",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "headers": [(b"host", name.encode()), (b"content-type", b"image/png")],
    }

    async def receive() -> Message:
        return {"type": "http.request", "body": image or b"", "more_body": False}

    async def send(message: Message) -> None:
        """Drop the response."""

    await app(scope, receive, send)
