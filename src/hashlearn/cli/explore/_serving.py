"""The page of `hashlearn explore`: open a collection, and serve it until Ctrl-C."""

from __future__ import annotations

import sys
import webbrowser
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import NoReturn
from urllib.parse import urlencode

import typer

from hashlearn._progress import say


@dataclass(frozen=True)
class Request:
    """What to show, as given by the options of the command."""

    models: tuple[Path, ...] = ()
    indexes: tuple[str, ...] = ()  # files, or addresses of stores
    tables: tuple[str, ...] = ()
    items: Path | None = None
    array: str | None = None
    delimiter: str | None = None
    ids: str | None = None
    labels: str | None = None
    unlabelled: str | None = None
    images: str | None = None
    text: str | None = None
    features: str | None = None
    side_by_side: bool = False  # whether the page opens with all methods, not with the first


def require_explorer() -> None:
    """Raise if the page cannot be served: call it before long work."""
    try:
        import fastapi  # noqa: F401
        import PIL.Image  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError as error:
        raise ImportError(
            "The page needs fastapi, uvicorn and pillow: pip install 'hashlearn[explorer]'."
        ) from error


def run_explore(
    request: Request,
    host: str,
    port: int,
    allowed: tuple[str, ...],
    open_browser: bool | None,
    progress: bool | None,
) -> None:
    """Open a collection and serve it until the program is stopped."""
    require_explorer()
    from hashlearn.cli.explore._collection import open_request
    from hashlearn.explorer.web.server import address_of, hosts_of, is_local, listen, serve

    hosts = hosts_of(host, map(_allowed_name, allowed))
    with listen(host, port) as listening:  # reports a busy port before long work
        collection = open_request(request, progress)
        address = address_of(listening)
        if request.side_by_side:
            address += "?" + urlencode([("methods", name) for name in collection.methods])

        def on_ready() -> None:
            typer.echo(address)
            if not is_local(listening):
                say("Others on the network can reach it without a password.", verbose=1)
            say("Ctrl-C stops it.", verbose=1)
            if sys.stdout.isatty() if open_browser is None else open_browser:
                Thread(target=webbrowser.open, args=(address,), daemon=True).start()

        try:
            serve(collection, listening, hosts, on_ready)
        except (KeyboardInterrupt, SystemExit) as stop:
            _leave(stop)


def _leave(stop: KeyboardInterrupt | SystemExit) -> NoReturn:
    """End at once; Python would wait for the threads that serve requests."""
    from hashlearn.cli.app import INTERRUPTED
    from hashlearn.explorer.web.server import leave

    if isinstance(stop, KeyboardInterrupt):
        say("hashlearn: Stopped; nothing was left half-written.", verbose=1)
        leave(INTERRUPTED)
    leave(stop.code if isinstance(stop.code, int) else 1)


def _allowed_name(given: str) -> str:
    """Return the name or address in --allow-host, without its port."""
    from hashlearn.explorer.web.guard import host_name

    name = host_name(given) or host_name(f"[{given}]")
    if name is None:
        raise ValueError(
            f"--allow-host {given!r} is not a host name: it must be a name such as lab.example, or "
            "an address, without http:// and path."
        )
    return name
