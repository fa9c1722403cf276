"""What requests send: read until it is too much or too slow, and all of it within one budget."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from anyio import fail_after
from starlette.exceptions import HTTPException
from starlette.requests import Request

MAX_TOGETHER_BYTES = 64_000_000
MAX_SECONDS = 60.0


class Bodies:
    """The bodies of all requests that are being read or worked on.

    Parameters
    ----------
    max_together : int
        The bytes that they may have together.
    max_seconds : float
        How long each may take to arrive.
    """

    def __init__(
        self, max_together: int = MAX_TOGETHER_BYTES, max_seconds: float = MAX_SECONDS
    ) -> None:
        self._n_free, self._max_seconds = max_together, max_seconds

    @asynccontextmanager
    async def read(self, request: Request, max_bytes: int) -> AsyncIterator[bytes]:
        """Give what a request sends; its bytes are taken from the budget until it is used up.

        Parameters
        ----------
        request : Request
        max_bytes : int
            Reading stops as soon as there is more.
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
                async for chunk in request.stream():
                    self._n_free -= len(chunk)
                    body += chunk
                    if len(body) > max_bytes:
                        raise HTTPException(
                            413, f"The body is too large: at most {max_bytes:,} bytes."
                        )
                    if self._n_free < 0:
                        raise HTTPException(503, "Others send too much at the moment: try again.")
        except TimeoutError:
            sentence = f"The body did not arrive within {self._max_seconds:g} seconds."
            raise HTTPException(408, sentence) from None
