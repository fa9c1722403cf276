"""The server: a socket of this machine, warm kernels, and an end without a traceback."""

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

import uvicorn

from hashlearn.explorer.answers.warming import warm_up
from hashlearn.explorer.collection.collection import Collection
from hashlearn.explorer.web.app import create_app
from hashlearn.explorer.web.first_questions import ask_first
from hashlearn.explorer.web.hosts import LOCAL_HOSTS

BACKLOG = 256  # clients that come at once
CLOSING_SECONDS = 2  # for requests that are being answered when the server is stopped
ANY_ADDRESS = ("0.0.0.0", "::", "")


class Server(uvicorn.Server):
    """A server that says when it is ready.

    Parameters
    ----------
    collection : Collection
        What is shown.
    hosts : iterable of str
        Names in Host headers that are answered.
    on_ready : callable
        Called once requests are answered.
    """

    def __init__(
        self, collection: Collection, hosts: Iterable[str], on_ready: Callable[[], None]
    ) -> None:
        self._collection, self._hosts = collection, tuple(hosts)
        self._app = create_app(collection, self._hosts)
        super().__init__(
            uvicorn.Config(
                self._app,
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
        """Begin to listen, and say so."""
        await ask_first(self._app, self._collection, self._hosts[0])
        await super().startup(sockets)
        self._on_ready()


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens at an address; port 0 is any that is free.

    Raises
    ------
    OSError
        If the address is not this machine's, or the port is taken.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except socket.gaierror as error:
        raise OSError(f"host={host!r} is no address of this machine.") from error
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
    """Return the names that are answered: this machine's own, the host's, and those allowed.

    Examples
    --------
    >>> hosts_of("0.0.0.0", ["lab.example"])
    ('localhost', '127.0.0.1', '::1', 'lab.example')
    """
    own = () if host in ANY_ADDRESS else (host,)
    return tuple(dict.fromkeys([*LOCAL_HOSTS, *own, *(name.strip("[]") for name in allowed)]))


def serve(
    collection: Collection,
    listening: socket.socket,
    hosts: Iterable[str] = LOCAL_HOSTS,
    on_ready: Callable[[], None] = lambda: None,
) -> None:
    """Show a collection until the process is told to stop.

    Work under way after `CLOSING_SECONDS` is left to its threads, which Python would wait for
    at its end: a program that has nothing else to do ends by `leave`.

    Parameters
    ----------
    collection : Collection
    listening : socket
        What `listen` returned.
    hosts : iterable of str
        Names in Host headers that are answered.
    on_ready : callable
        Called once the first question would be answered at once.
    """
    warm_up(collection)
    _warm_up_encoding(collection)
    gc.collect()
    gc.freeze()  # else every full collection walks what stays anyway, a tenth of a second each
    try:
        Server(collection, hosts, on_ready).run([listening])
    finally:
        gc.unfreeze()


def leave(code: int) -> NoReturn:
    """End the process at once with an exit code, whatever its threads are doing."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # closed, or nobody reads it any more
            stream.flush()
    os._exit(code)


def _warm_up_encoding(collection: Collection) -> None:
    """Encode a picture once, if pictures are taken."""
    if collection.reader is None or collection.display.kind != "image":
        return
    vector = collection.reader.read(collection.display.image(0))
    for coded in collection.methods.values():
        if coded.hasher is not None:
            coded.encode(vector)


def _reason(host: str, port: int, error: OSError) -> str:
    match error.errno:
        case errno.EADDRINUSE:
            return f"port={port} is taken by another program: give another, or 0 for any free."
        case errno.EACCES:
            return f"port={port} may not be used without more rights: give one from 1024 up."
        case errno.EADDRNOTAVAIL:
            return f"host={host!r} is no address of this machine."
    return f"host={host!r}, port={port} cannot be listened on: {error.strerror}."
