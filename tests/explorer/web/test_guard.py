"""Other hosts and other sites' pages are refused; security headers are on every answer."""

import pytest

from hashlearn.explorer.web.app import create_app
from hashlearn.explorer.web.guard import SECURITY_HEADERS
from hashlearn.explorer.web.server import hosts_of
from tests.explorer.web.conftest import HOST, asker, picture

PNG = {"Content-Type": "image/png"}


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST:1", "127.0.0.1", "127.0.0.1:8000", "[::1]", "[::1]:8000"]
)
def test_names_of_this_machine_are_answered_at_any_port(ask, host):
    assert ask("GET", "/api/collection", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:8000",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "localhost@evil.example",
        "localhost:80:80",
        "localhost/",
        "[::1",
        "[::2]",
        "::1",
        "",
        "192.168.0.7",
    ],
)
@pytest.mark.parametrize("path", ["/", "/api/collection", "/page/style.css", "/nothing"])
def test_other_hosts_are_refused_whatever_the_path(ask, host, path):
    answer = ask("GET", path, headers={"Host": host})
    assert answer.status_code == 421
    assert "is not served here" in answer.json()["detail"]


def test_two_hosts_are_refused(ask):
    headers = [("Host", "localhost"), ("Host", "localhost")]
    assert ask("GET", "/api/collection", headers=headers).status_code == 421


def test_an_allowed_host_is_answered_and_only_that(digits):
    ask = asker(create_app(digits, hosts_of("0.0.0.0", ["lab.example", "[2001:db8::1]"])))
    for host, status in {
        "lab.example:8000": 200,
        "[2001:db8::1]:8000": 200,
        "localhost": 200,
        "0.0.0.0": 421,
        "other.example": 421,
    }.items():
        assert ask("GET", "/api/collection", headers={"Host": host}).status_code == status


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": f"http://{HOST}.evil.example"},
        {"Origin": "http://localhost:9000"},  # another program on this machine
        {"Origin": "null"},
        {"Origin": "http://[::1"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"},
    ],
)
def test_what_a_page_of_another_site_posts_is_refused(ask, headers):
    answer = ask("POST", "/api/encode/image", content=picture(), headers={**PNG, **headers})
    assert answer.status_code == 403


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Origin": f"http://{HOST}"},
        {"Origin": f"http://{HOST}", "Sec-Fetch-Site": "same-origin"},
        {"Sec-Fetch-Site": "none"},
    ],
)
def test_what_the_page_itself_or_a_script_posts_is_taken(ask, headers):
    answer = ask("POST", "/api/encode/image", content=picture(), headers={**PNG, **headers})
    assert answer.status_code == 200


def test_a_link_from_another_site_is_followed_but_nothing_is_loaded_into_it(ask):
    elsewhere = {"Sec-Fetch-Site": "cross-site"}
    assert ask("GET", "/", headers={**elsewhere, "Sec-Fetch-Mode": "navigate"}).status_code == 200
    image = ask("GET", "/api/items/1/image", headers={**elsewhere, "Sec-Fetch-Mode": "no-cors"})
    assert image.status_code == 403


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
