"""Limits on concurrent jobs, and on the bytes being uploaded."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TypeVar

from anyio import CapacityLimiter, fail_after, to_thread
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request

MAX_TOTAL_BYTES = 64_000_000
MAX_SECONDS = 60.0
T = TypeVar("T")


class JobLimit:
    """Limits concurrent jobs; callers queue. Jobs run on threads of their own."""

    def __init__(self, n_jobs: int) -> None:
        self._queue = CapacityLimiter(n_jobs)
        self._threads = CapacityLimiter(n_jobs)

    async def run(self, request: Request, job: Callable[[], T]) -> T:
        """Return a job's result; a job whose client has disconnected meanwhile is not started."""
        async with self._queue:
            if await request.is_disconnected():
                raise ClientDisconnect
            return await to_thread.run_sync(job, limiter=self._threads)


class UploadLimit:
    """Limits the bytes of all bodies that are read or worked on, and their seconds to arrive."""

    def __init__(self, max_total: int = MAX_TOTAL_BYTES, max_seconds: float = MAX_SECONDS) -> None:
        self._n_free, self._max_seconds = max_total, max_seconds

    @asynccontextmanager
    async def read(self, request: Request, max_bytes: int) -> AsyncIterator[bytes]:
        """Yield the body of a request; it counts towards the total until the context ends.

        Reading stops as soon as there are more than `max_bytes`.
        """
        body = bytearray()
        try:
            await self._collect(request, max_bytes, body)
            yield bytes(body)
        finally:
            self._n_free += len(body)

    async def _collect(self, request: Request, max_bytes: int, body: bytearray) -> None:
        try:
            with fail_after(self._max_seconds):
                async for received in request.stream():
                    self._n_free -= len(received)
                    body += received
                    if len(body) > max_bytes:
                        raise HTTPException(413, f"The body must have at most {max_bytes:,} bytes.")
                    if self._n_free < 0:
                        raise HTTPException(503, "Server busy: too many uploads. Try again later.")
        except TimeoutError:
            sentence = f"The body did not arrive within {self._max_seconds:g} seconds."
            raise HTTPException(408, sentence) from None
