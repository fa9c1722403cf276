"""The explorer's application on a few digits, asked without a network."""

import io

import httpx
import numpy as np
import pytest
from PIL import Image
from sklearn.datasets import load_digits

from hashlearn import make_hasher
from hashlearn.explorer import CodedItems
from hashlearn.explorer.collection.opening import open_collection
from hashlearn.explorer.web.app import create_app

N_ITEMS = 150
HOST = "localhost:8000"


def digits_of(n_items=N_ITEMS):
    """Return a few digits under two methods, and under codes that have no model."""
    digits = load_digits()
    X, y = (digits.data[:n_items] / 16).astype(np.float32), digits.target[:n_items]
    methods = []
    for name, n_bits in (("itq", 16), ("lsh", 21)):
        hasher = make_hasher(name, n_bits=n_bits, random_state=0).fit(X)
        methods.append(CodedItems(name, name.upper(), hasher.encode(X), n_bits, hasher))
    methods.append(CodedItems("codes", "Codes alone", methods[0].packed, 16))
    ids = 2**60 + 7 * np.arange(n_items)  # more than JavaScript's numbers hold
    return open_collection(methods, name="few", ids=ids, labels=y, images=X.reshape(-1, 8, 8))


@pytest.fixture(scope="session")
def digits():
    return digits_of()


@pytest.fixture(scope="session")
def ask(digits):
    """Return a function that sends one request: ``ask("GET", "/api/items")``."""
    return asker(create_app(digits))


def asker(app):
    """Return a function that asks an application, and returns its answer."""
    import anyio

    async def send(method, path, **parts):
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url=f"http://{HOST}") as client:
            return await client.request(method, path, **parts)

    def ask_app(method, path, **parts):
        return anyio.run(lambda: send(method, path, **parts))

    return ask_app


def picture(size=(8, 8), kind="PNG", mode="L", colour=0, **options):
    """Return the file of a plain picture."""
    file = io.BytesIO()
    Image.new(mode, size, colour).save(file, kind, **options)
    return file.getvalue()


def refused(answer, status):
    """Return the one sentence of an error."""
    assert answer.status_code == status, answer.text
    sentence = answer.json()["detail"]
    assert sentence.endswith(".")
    assert "\n" not in sentence
    return sentence
