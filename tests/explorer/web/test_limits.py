"""What is too much, or of another kind, is refused."""

from hashlearn.explorer.web.questions import EncodeQuestion
from tests.explorer.web.conftest import picture, refused

JSON = {"Content-Type": "application/json"}


def test_pictures_larger_than_the_limit_are_refused_by_size_alone(ask):
    headers = {"Content-Type": "image/png"}
    answer = ask("POST", "/api/encode/image", content=bytes(10_000_001), headers=headers)
    assert answer.status_code == 413
    assert "10,000,000" in answer.json()["detail"]
    padded = picture() + bytes(10_000_000 - len(picture()))  # what follows a PNG is not read
    assert ask("POST", "/api/encode/image", content=padded, headers=headers).status_code == 200


def test_other_types_of_bodies_are_refused(ask):
    sent = {"content": picture(), "headers": {"Content-Type": "image/tiff"}}
    assert "image/png" in refused(ask("POST", "/api/encode/image", **sent), 415)
    sent = {"content": b"method=itq", "headers": {"Content-Type": "text/plain"}}
    assert "application/json" in refused(ask("POST", "/api/encode", **sent), 415)
    assert "''" in refused(ask("POST", "/api/encode", content=b"{}"), 415)


def test_an_address_that_is_too_long_is_refused(ask):
    assert ask("GET", "/api/search?method=itq&item=1&label=" + "0" * 20_000).status_code == 422
    assert "32,768" in refused(ask("GET", "/api/search?code=" + "0" * 40_000), 414)


def test_more_json_than_the_limit_is_refused(ask):
    body = b'{"method": "itq", "vectors": [[' + b"0," * 8_000_000 + b"0]]}"
    answer = ask("POST", "/api/encode", content=body, headers=JSON)
    assert "16,000,000" in refused(answer, 413)


def test_many_values_are_refused_before_they_are_parsed(ask, monkeypatch):
    monkeypatch.setattr(EncodeQuestion, "model_validate_json", None)
    for body in (b'{"vectors": [[' + b'"",' * 2_000_000, b"[" + b"{}," * 2_000_000):
        answer = ask("POST", "/api/encode", content=body, headers=JSON)
        assert "too many values: at most 1,000,000" in refused(answer, 422)


def test_more_numbers_than_the_limit_are_refused_before_they_are_looked_at(ask):
    sent = {"method": "itq", "vectors": [[0] * 1_000_001]}
    assert "at most 1000000 items" in refused(ask("POST", "/api/encode", json=sent), 422)
