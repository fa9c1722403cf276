"""The server: its socket, warm-up, and shutdown."""

from __future__ import annotations

import errno
import gc
import os
import socket
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from ipaddress import ip_address
from typing import NoReturn
from urllib.parse import quote

import anyio
import uvicorn
from starlette.types import ASGIApp, Message, Scope

from hashlearn.explorer.collection.collection import Collection
from hashlearn.explorer.web.app import create_app
from hashlearn.explorer.web.guard import LOCAL_HOSTS

BACKLOG = 256  # clients that connect at once
CLOSING_SECONDS = 2  # for requests under way when the server is stopped
ANY_ADDRESS = ("0.0.0.0", "::", "")
WARMING = ("search?item=0&", "radius?item=0&", "curve?item=0&", "metrics?", "map?")


class Server(uvicorn.Server):
    """A server that calls `on_ready` once requests are answered."""

    def __init__(self, app: ASGIApp, on_ready: Callable[[], None]) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                lifespan="off",
                ws="none",
                access_log=False,
                log_level="critical",  # failures are logged by the application itself
                server_header=False,
                proxy_headers=False,
                timeout_graceful_shutdown=CLOSING_SECONDS,
            )
        )
        self._on_ready = on_ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to listen, and report it."""
        await super().startup(sockets)
        self._on_ready()


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens at an address; port 0 is any free port."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except socket.gaierror as error:
        raise OSError(f"host={host!r} is not an address of this machine.") from error
    listening = socket.socket(family, kind, protocol)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind(address)
        listening.listen(BACKLOG)
    except OSError as error:
        listening.close()
        raise OSError(_reason(host, port, error)) from error
    return listening


def address_of(listening: socket.socket) -> str:
    """Return the address to open in a browser on this machine."""
    host, port = listening.getsockname()[:2]
    host = "127.0.0.1" if host in ANY_ADDRESS else host
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/"


def is_local(listening: socket.socket) -> bool:
    """Tell whether only this machine can reach a socket."""
    return ip_address(listening.getsockname()[0]).is_loopback


def hosts_of(host: str, allowed: Iterable[str] = ()) -> tuple[str, ...]:
    """Return the names that are answered: those of this machine, the host, and those allowed."""
    own = () if host in ANY_ADDRESS else (host,)
    return tuple(dict.fromkeys([*LOCAL_HOSTS, *own, *(name.strip("[]") for name in allowed)]))


def serve(
    collection: Collection,
    listening: socket.socket,
    hosts: Iterable[str] = LOCAL_HOSTS,
    on_ready: Callable[[], None] = lambda: None,
) -> None:
    """Show a collection until the process is told to stop; `on_ready` is called after the warm-up.

    Jobs that run longer than `CLOSING_SECONDS` after that keep their threads, and Python waits for
    threads when it exits: a program that has nothing else to do ends by `leave`.
    """
    hosts = tuple(hosts)
    app = create_app(collection, hosts)
    anyio.run(warm_up, app, collection, hosts[0])
    gc.collect()
    gc.freeze()  # else every full collection visits what stays anyway, a tenth of a second each
    try:
        Server(app, on_ready).run([listening])
    finally:
        gc.unfreeze()


def leave(code: int) -> NoReturn:
    """Exit the process at once, even while threads are running."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # closed, or no longer read
            stream.flush()
    os._exit(code)


def _reason(host: str, port: int, error: OSError) -> str:
    match error.errno:
        case errno.EADDRINUSE:
            return f"port={port} is in use by another program; choose another, or 0 for any free."
        case errno.EACCES:
            return f"port={port} needs more privileges; choose one from 1024 up."
        case errno.EADDRNOTAVAIL:
            return f"host={host!r} is not an address of this machine."
    return f"Cannot listen on host={host!r}, port={port}: {error.strerror}."


async def warm_up(app: ASGIApp, collection: Collection, host: str) -> None:
    """Ask every kind of question once under every method, except for t-SNE, which takes long.

    Later requests then do not wait for compiled loops, first copies, measures and maps.
    """
    for path in ("/", "/api/collection", "/api/items/0"):
        await _ask(app, host, path)
    for method in collection.methods:
        for question in WARMING:
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
