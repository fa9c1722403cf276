"""Every answer tells browsers what they may do with it."""

import pytest

from hashlearn.explorer.web.guard import SECURITY_HEADERS

ALWAYS = [name for name in SECURITY_HEADERS if name != "Cache-Control"]


@pytest.mark.parametrize(
    ("method", "path", "headers", "status"),
    [
        ("GET", "/", {}, 200),
        ("GET", "/page/style.css", {}, 200),
        ("GET", "/api/collection", {}, 200),
        ("GET", "/api/openapi.json", {}, 200),
        ("GET", "/api/items/1/image", {}, 200),
        ("GET", "/api/items/1000", {}, 404),
        ("GET", "/nothing", {}, 404),
        ("POST", "/", {}, 405),
        ("POST", "/api/encode", {}, 415),
        ("GET", "/api/search", {}, 422),
        ("GET", "/", {"Host": "evil.example"}, 421),
        ("POST", "/api/encode", {"Origin": "http://evil.example"}, 403),
        ("GET", "/?" + "a" * 40_000, {}, 414),
    ],
)
def test_all_answers_carry_the_security_headers(ask, method, path, headers, status):
    answer = ask(method, path, headers=headers)
    assert answer.status_code == status
    assert {name: answer.headers[name] for name in ALWAYS} == {
        name: SECURITY_HEADERS[name] for name in ALWAYS
    }
    assert "server" not in answer.headers
    assert "access-control-allow-origin" not in answer.headers


@pytest.mark.parametrize(
    ("path", "kept"),
    [("/", "no-cache"), ("/page/js/main.js", "no-cache"), ("/api/collection", "no-store")],
)
def test_nothing_old_is_shown(ask, path, kept):
    assert ask("GET", path).headers["cache-control"] == kept


def test_nothing_of_the_description_points_elsewhere(ask):
    text = ask("GET", "/api/openapi.json").text
    assert "http://" not in text
    assert "https://" not in text
