"""Uploads share one budget; long jobs block no other request, and clients that left get none."""

import socket
from contextlib import ExitStack, contextmanager
from threading import Event

import anyio
import pytest
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request

from hashlearn.explorer.answers.code_map import code_map as real_code_map
from hashlearn.explorer.web.capacity import UploadLimit
from hashlearn.explorer.web.routes import items, search
from tests.explorer.web.conftest import digits_of
from tests.explorer.web.test_server import get, running


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


WAIT = 60  # seconds, of which none are needed unless something is wrong
TSNE = "/api/map?method=itq&layout=tsne&bits={}"


class Gate:
    """Work that stays where it is until it is let go on, and is counted."""

    def __init__(self, work):
        self.work = work
        self.begun, self.may_go_on = Event(), Event()
        self.n_begun = 0

    def __call__(self, *question):
        self.n_begun += 1
        self.begun.set()
        assert self.may_go_on.wait(WAIT)
        return self.work(*question)


@pytest.fixture
def few():
    return digits_of(30)


@contextmanager
def waiting(port, path):
    """Ask, and go away without an answer."""
    with socket.create_connection(("127.0.0.1", port), timeout=WAIT) as client:
        client.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        yield client


@pytest.fixture
def tsne(monkeypatch):
    """Return the gate that t-SNE stands at; other maps are drawn."""
    gate = Gate(lambda *question: real_code_map(*question[:3]))
    monkeypatch.setattr(
        search,
        "code_map",
        lambda *question: (gate if question[3] == "tsne" else real_code_map)(*question),
    )
    return gate


def test_measures_and_other_maps_do_not_wait_for_tsne(few, tsne):
    with running(few) as port, ExitStack() as clients:
        for bits in range(1, search.N_SHORT + 2):
            clients.enter_context(waiting(port, TSNE.format(bits)))
        assert tsne.begun.wait(WAIT)
        assert get(port, "/api/metrics?method=itq")[0] == 200
        assert get(port, "/api/map?method=itq")[0] == 200
        assert get(port, "/api/search?method=itq&item=1")[0] == 200
        tsne.may_go_on.set()


def test_maps_of_clients_who_have_gone_are_not_drawn(few, tsne):
    with running(few) as port:
        with waiting(port, TSNE.format(1)):
            assert tsne.begun.wait(WAIT)
        for bits in range(2, 9):
            with waiting(port, TSNE.format(bits)):
                pass
        assert get(port, "/api/collection")[0] == 200  # by now it knows that they have gone
        tsne.may_go_on.set()
        assert get(port, TSNE.format(9))[0] == 200
    assert tsne.n_begun == 2  # the first, and the last


def test_searches_do_not_wait_for_pictures(few, monkeypatch):
    gate = Gate(few.display.image)
    monkeypatch.setattr(few.display, "image", gate)
    with running(few) as port, ExitStack() as clients:
        for i in range(60):
            clients.enter_context(waiting(port, f"/api/items/{i % 30}/image"))
        assert gate.begun.wait(WAIT)
        assert get(port, "/api/search?method=itq&item=1")[0] == 200
        assert gate.n_begun <= items.N_DECODED
        gate.may_go_on.set()
