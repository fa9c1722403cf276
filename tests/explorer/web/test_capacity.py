"""Bodies are read within one budget, and given up when they do not arrive."""

import anyio
import pytest
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request

from hashlearn.explorer.web.capacity import UploadLimit


def request_of(*pieces, then="http.request"):
    """Return a request that sends some pieces and then its end, or goes away."""
    messages = [{"type": "http.request", "body": piece, "more_body": True} for piece in pieces]
    messages.append({"type": then})

    async def receive():
        return messages.pop(0)

    return Request({"type": "http", "method": "POST", "headers": []}, receive)


async def read(uploads, request, max_bytes=10):
    async with uploads.read(request, max_bytes) as body:
        return body


def test_a_body_is_what_was_sent():
    assert anyio.run(read, UploadLimit(), request_of(b"one", b"", b" two")) == b"one two"


def test_uploads_together_stay_within_the_budget_until_they_are_used_up():
    uploads = UploadLimit(max_total=15)

    async def ask():
        async with uploads.read(request_of(bytes(10)), 10):
            with pytest.raises(HTTPException) as refused:
                await read(uploads, request_of(bytes(6)))
            assert refused.value.status_code == 503
            assert len(await read(uploads, request_of(bytes(5)))) == 5
        for _ in range(3):
            assert len(await read(uploads, request_of(bytes(10)))) == 10

    anyio.run(ask)


@pytest.mark.parametrize(
    ("request_", "error"),
    [
        (request_of(bytes(6), bytes(6)), HTTPException),
        (request_of(bytes(6), then="http.disconnect"), ClientDisconnect),
    ],
)
def test_a_body_that_fails_gives_its_bytes_back(request_, error):
    uploads = UploadLimit(max_total=15)

    async def ask():
        with pytest.raises(error):
            await read(uploads, request_)
        async with uploads.read(request_of(bytes(10)), 10), uploads.read(request_of(bytes(5)), 10):
            pass

    anyio.run(ask)


def test_a_body_that_does_not_arrive_is_given_up():
    async def receive():
        await anyio.sleep_forever()

    never = Request({"type": "http", "method": "POST", "headers": []}, receive)
    with pytest.raises(HTTPException, match="did not arrive within 0 seconds") as refused:
        anyio.run(read, UploadLimit(max_seconds=0), never)
    assert refused.value.status_code == 408
