"""Work that takes long: a few pieces at a time, on threads that no other question waits for."""

from __future__ import annotations

from collections.abc import Callable

from anyio import CapacityLimiter, to_thread
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response


class Places:
    """Some places to work at; who finds none waits.

    Parameters
    ----------
    n_places : int
        How many pieces of work go on at once.
    """

    def __init__(self, n_places: int) -> None:
        self._places = CapacityLimiter(n_places)
        self._threads = CapacityLimiter(n_places)

    async def answer(self, request: Request, work: Callable[[], Response]) -> Response:
        """Return what some work answers; it is not begun for a client who has gone meanwhile."""
        async with self._places:
            if await request.is_disconnected():
                raise ClientDisconnect
            return await to_thread.run_sync(work, limiter=self._threads)
