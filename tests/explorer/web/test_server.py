"""A real server: raw requests, slow and rude clients, many at once."""

import json
import re
import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress

import anyio
import numpy as np
import pytest

from hashlearn.explorer.answers.code_map import code_map
from hashlearn.explorer.answers.overview import overview
from hashlearn.explorer.web.app import create_app
from hashlearn.explorer.web.questions import MAX_UPLOAD_BYTES
from hashlearn.explorer.web.server import Server, address_of, listen, serve, warm_up
from tests.explorer.small import collection_of, learned_collection

CHUNK = bytes(50_000)


@contextmanager
def running(collection):
    """Serve a collection in a thread; yield the port."""
    ready = threading.Event()
    with listen("127.0.0.1", 0) as listening:
        server = Server(create_app(collection), ready.set)
        thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
        thread.start()
        assert ready.wait(timeout=60)
        yield listening.getsockname()[1]
        server.should_exit = True
        thread.join(timeout=60)
        assert not thread.is_alive()


@pytest.fixture(scope="module")
def port(digits):
    with running(digits) as port:
        yield port


@contextmanager
def connection(port):
    with socket.create_connection(("127.0.0.1", port), timeout=60) as client:
        yield client


def request(port, text, body=b""):
    """Send a request as it is written; return the status and the body of the answer."""
    with connection(port) as client:
        client.sendall(text.replace("\n", "\r\n").encode("latin-1") + body)
        return answer_of(client)


def answer_of(client):
    """Return the status and the body that a server sends before it closes, or is done."""
    received = b""
    while b"\r\n\r\n" not in received:
        if not (part := client.recv(2**16)):
            break
        received += part
    head, _, body = received.partition(b"\r\n\r\n")
    found = re.search(rb"content-length: (\d+)", head.lower())
    length = int(found[1]) if found else 0
    while len(body) < length and (part := client.recv(2**16)):
        body += part
    return int(head.split()[1]), body


def get(port, path, host="localhost"):
    return request(port, f"GET {path} HTTP/1.1\nHost: {host}\nConnection: close\n\n")


@pytest.mark.parametrize(
    "path",
    [
        "/page/../../../../../../etc/passwd",
        "/page/..%2f..%2f..%2f..%2f..%2fetc%2fpasswd",
        "/page/%2e%2e/%2e%2e/web/app.py",
        "/page/..\\..\\web\\app.py",
        "/page/js/..%2f..%2fweb%2fapp.py",
        "/page//etc/passwd",
        "/page/%00",
        "/page/index.html%00.js",
        "/page/%c0%ae%c0%ae/web/app.py",
        "//etc/passwd",
        "/api/items/..%2f..%2f..%2fetc%2fpasswd/image",
        "/api/items/../../etc/passwd",
        "/api/ids/..%2f",
    ],
)
def test_a_path_out_of_the_page_leads_nowhere(port, path):
    status, body = get(port, path)
    assert status in (404, 422)
    assert json.loads(body)["detail"]
    assert b"root:" not in body
    assert b"import" not in body


def test_other_hosts_and_absolute_addresses_are_refused(port):
    assert get(port, "/api/collection")[0] == 200
    assert get(port, "/api/collection", host="evil.example")[0] == 421
    assert request(port, "GET /api/collection HTTP/1.0\n\n")[0] == 421
    assert request(port, "GET / HTTP/1.1\nHost: localhost\nHost: evil.example\n\n")[0] == 400


@pytest.mark.parametrize(
    "text",
    [
        "nonsense\n\n",
        "GET / HTTP/1.1\nHost: localhost\nContent-Length: -1\n\n",
        "GET /" + "a" * 200_000 + " HTTP/1.1\nHost: localhost\n\n",
        "GET / HTTP/1.1\nHost: localhost\nX: " + "a" * 200_000 + "\n\n",
    ],
)
def test_what_is_no_request_gets_a_400_or_is_cut_off(port, text):
    with suppress(ConnectionError):  # closed while still being sent
        assert request(port, text)[0] == 400
    assert get(port, "/api/collection")[0] == 200


def test_an_endless_upload_is_stopped_at_the_limit(port):
    head = (
        "POST /api/encode/image HTTP/1.1\r\nHost: localhost\r\nContent-Type: image/png\r\n"
        "Transfer-Encoding: chunked\r\n\r\n"
    )
    with connection(port) as client:
        client.sendall(head.encode())
        for _ in range(MAX_UPLOAD_BYTES // len(CHUNK)):
            client.sendall(b"%x\r\n%b\r\n" % (len(CHUNK), CHUNK))
        client.sendall(b"1\r\n0\r\n")  # one byte too many, and no end of it
        status, body = answer_of(client)
    assert status == 413
    assert b"at most" in body
    assert get(port, "/api/collection")[0] == 200


def test_a_length_that_promises_too_little_or_too_much_is_no_way_around(port):
    head = "POST /api/encode/image HTTP/1.1\nHost: localhost\nContent-Type: image/png\n"
    assert request(port, f"{head}Content-Length: 4\n\n", b"\x89PNG" + bytes(100))[0] == 422
    with connection(port) as client:  # it goes away before the end
        client.sendall(f"{head}Content-Length: 1000\n\nhalf".replace("\n", "\r\n").encode())
    assert get(port, "/api/collection")[0] == 200


def test_slow_clients_do_not_keep_others_waiting(port):
    head = b"POST /api/encode/image HTTP/1.1\r\nHost: localhost\r\nContent-Type: image/png\r\n"
    slow = [socket.create_connection(("127.0.0.1", port), timeout=60) for _ in range(60)]
    try:
        for i, client in enumerate(slow):  # half of a head, or half of a body
            client.sendall(head if i % 2 else head + b"Content-Length: 1000\r\n\r\nhalf")
        assert get(port, "/api/search?method=itq&item=1")[0] == 200
        assert get(port, "/api/items/1/image")[0] == 200
    finally:
        for client in slow:
            client.close()


def test_fifty_clients_at_once_get_the_answers_of_one(port):
    paths = [
        f"/api/search?method={method}&item={item}&bits={bits}"
        for method in ("itq", "lsh")
        for item in range(10)
        for bits in range(1, 16, 3)
    ]
    alone = [get(port, path) for path in paths]
    with ThreadPoolExecutor(50) as clients:
        together = list(clients.map(lambda path: get(port, path), paths))
    assert together == alone


def test_a_taken_port_is_one_sentence(digits):
    with listen("127.0.0.1", 0) as taken, pytest.raises(OSError, match="is in use by another"):
        listen("127.0.0.1", taken.getsockname()[1])


@pytest.mark.parametrize("host", ["no.such.host.invalid", "192.0.2.1"])
def test_a_host_that_is_not_here_is_one_sentence(host):
    with pytest.raises(OSError, match="is not an address of this machine"):
        listen(host, 0)


def test_the_address_can_be_opened():
    with listen("127.0.0.1", 0) as listening:
        assert address_of(listening) == f"http://127.0.0.1:{listening.getsockname()[1]}/"
    with listen("0.0.0.0", 0) as listening:
        assert address_of(listening).startswith("http://127.0.0.1:")


def test_it_serves_what_it_was_given(digits, monkeypatch):
    began = []
    monkeypatch.setattr(Server, "run", lambda self, sockets: began.append(sockets))
    with listen("127.0.0.1", 0) as listening:
        serve(digits, listening)
        assert began == [[listening]]


def warm(collection):
    anyio.run(warm_up, create_app(collection), collection, "::1")


def test_what_takes_long_is_there_already():
    collection = learned_collection(30)
    warm(collection)
    n_kept = len(collection.answers)
    for method in collection.methods:
        overview(collection, method)
        code_map(collection, method)
    assert len(collection.answers) == n_kept == 6


@pytest.mark.parametrize("labels", [None, ["a", "b", ""], [[0, 0], [1, 1], [1, 0]]])
def test_labels_need_not_be_there(labels):
    warm(collection_of(np.eye(3, dtype=int), labels))


def test_one_item_is_enough():
    warm(collection_of([[1]], labels=["a"]))
