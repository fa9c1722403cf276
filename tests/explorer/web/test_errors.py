"""Failures are logged in full; the client gets one sentence."""

from contextlib import suppress

import pytest

from hashlearn.explorer.web.app import create_app
from tests.explorer.web.conftest import asker, digits_of


@pytest.mark.parametrize("failure", [RuntimeError, ValueError])
def test_a_failure_says_nothing_of_the_inside_but_to_the_log(failure, monkeypatch, caplog):
    collection = digits_of(20)

    def fail(position):
        raise failure("the inside")

    monkeypatch.setattr(collection.methods["itq"], "code", fail)
    app = create_app(collection)

    async def quiet(scope, receive, send):  # as a server does, which goes on
        with suppress(failure):
            await app(scope, receive, send)

    answer = asker(quiet)("GET", "/api/items/1")
    assert answer.status_code == 500
    assert "inside" not in answer.text
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "/api/items/1 failed" in caplog.text
    assert "the inside" in caplog.text
