"""Long work keeps nobody else waiting, and is not done for those who have gone."""

import socket
from contextlib import ExitStack, contextmanager
from threading import Event

import pytest

from hashlearn.explorer.answers.code_map import code_map as real_code_map
from hashlearn.explorer.web.routes import items, measures
from tests.explorer.web.conftest import digits_of
from tests.explorer.web.test_server import get, running

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
        measures,
        "code_map",
        lambda *question: (gate if question[3] == "tsne" else real_code_map)(*question),
    )
    return gate


def test_measures_and_other_maps_do_not_wait_for_tsne(few, tsne):
    with running(few) as port, ExitStack() as clients:
        for bits in range(1, measures.N_SHORT + 2):
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
