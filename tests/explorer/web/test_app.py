"""Every question of the API, and its answer."""

import base64
import io
import json
import warnings
from urllib.parse import quote

import numpy as np
import pytest
from fastapi.exceptions import RequestValidationError
from PIL import Image
from pydantic import ValidationError

from hashlearn import unpack_codes
from hashlearn.explorer.errors import WrongValueError
from hashlearn.explorer.web.app import create_app
from hashlearn.explorer.web.questions import EncodeQuestion
from hashlearn.explorer.web.routes.encode import _question
from tests.explorer.small import collection_of
from tests.explorer.web.conftest import N_ITEMS, asker, picture, refused


@pytest.fixture
def get(ask):
    """Return the JSON of an answer, which must be there."""

    def get_answer(path, **params):
        answer = ask("GET", f"/api/{path}", params=params)
        assert answer.status_code == 200, answer.text
        return answer.json()

    return get_answer


def test_the_collection_says_what_is_loaded(get):
    answer = get("collection")
    assert (answer["name"], answer["n_items"], answer["kind"]) == ("few", N_ITEMS, "image")
    assert answer["labels"] == {"names": list("0123456789"), "several": False}
    assert [method["name"] for method in answer["methods"]] == ["itq", "lsh", "codes"]
    assert [method["encodes"] for method in answer["methods"]] == [True, True, False]
    assert "8 x 8 grey" in answer["upload"]["hint"]
    assert answer["limits"]["k"] == 200
    assert answer["curve_queries"] == {"n": N_ITEMS, "held_out": False}


def test_items_are_listed_in_pieces_that_make_the_whole(get):
    pieces = [get("items", offset=offset, limit=40) for offset in range(0, 160, 40)]
    assert {piece["total"] for piece in pieces} == {N_ITEMS}
    positions = [item["position"] for piece in pieces for item in piece["items"]]
    assert positions == list(range(N_ITEMS))


def test_items_of_a_label_all_have_it(get, digits):
    answer = get("items", label="3", limit=200)
    assert answer["total"] == len(answer["items"]) == len(digits.labels.members("3"))
    assert {tuple(item["labels"]) for item in answer["items"]} == {("3",)}


def test_a_random_item_has_the_label_asked_for(get):
    assert {get("items/random", label="7")["labels"][0] for _ in range(10)} == {"7"}
    assert len({get("items/random", label="")["position"] for _ in range(20)}) > 1


def test_an_item_is_found_by_position_and_by_an_id_of_64_bits(get, digits):
    item = get("items/17")
    assert item["id"] == str(2**60 + 7 * 17)
    assert get(f"ids/{item['id']}") == item
    assert item["codes"] == {name: coded.code(17) for name, coded in digits.methods.items()}


def test_an_item_is_found_by_an_id_that_is_text():
    ids = np.array(["https://a/b c?d", "7"], dtype=object)
    ask_app = asker(create_app(collection_of([[0], [1]], ids=ids)))
    for id_ in ids:
        answer = ask_app("GET", f"/api/ids/{quote(id_, safe='')}")
        assert answer.json()["id"] == id_


def test_a_picture_is_the_items_own(ask, get, digits):
    address = get("items/17")["image"]
    answer = ask("GET", address)
    assert answer.headers["content-type"] == "image/png"
    assert "immutable" in answer.headers["cache-control"]
    assert ask("GET", address.partition("?")[0]).headers["cache-control"] == "no-store"
    pixels = np.asarray(Image.open(io.BytesIO(answer.content))) / 255
    assert np.abs(pixels - digits.display.images[17]).max() <= 0.5 / 255


def test_hits_are_the_nearest_by_brute_force(get, digits):
    coded = digits.methods["lsh"]
    bits = unpack_codes(coded.packed, 21)[:, :9].astype(int)
    distances = np.abs(bits - bits[5]).sum(axis=1)
    distances[5] = 99
    answer = get("search", method="lsh", item=5, bits=9, k=20)
    assert [hit["distance"] for hit in answer["hits"]] == sorted(distances)[:20]
    assert all(distances[hit["item"]["position"]] == hit["distance"] for hit in answer["hits"])
    labels = digits.labels.of(5)
    relevant = [tuple(hit["item"]["labels"]) == labels for hit in answer["hits"]]
    assert [hit["relevant"] for hit in answer["hits"]] == relevant
    assert answer["precision"]["shown"] == np.mean(relevant)
    assert sum(tie["shown"] for tie in answer["ties"]) == 20


def test_a_code_asks_as_its_item_does(get, digits):
    by_item = get("radius", method="itq", item=5, radius=5)
    by_code = get("radius", method="itq", code=digits.methods["itq"].code(5), radius=5)
    assert by_code["count"] == by_item["count"] + 1  # the item itself
    assert by_code["query"]["labels"] is None
    assert {hit["relevant"] for hit in by_code["hits"]} == {None}


def test_a_code_is_judged_by_the_labels_given(ask, get, digits):
    code = digits.methods["itq"].code(5)
    judged = get("search", method="itq", code=code, label=["5", "6"])
    right = [hit["item"]["labels"][0] in "56" for hit in judged["hits"]]
    assert [hit["relevant"] for hit in judged["hits"]] == right
    question = {"method": "itq", "code": code}
    assert "no label" in refused(ask("GET", "/api/curve", params=question), 409)
    assert get("curve", label="5", **question)["recall"][-1] == 1


def test_a_list_within_a_radius_is_cut_but_counted_whole(get):
    whole = get("radius", method="itq", item=5, radius=16)
    assert whole["count"] == len(whole["hits"]) == N_ITEMS - 1
    cut = get("radius", method="itq", item=5, radius=16, limit=0)
    assert (cut["count"], cut["hits"]) == (N_ITEMS - 1, [])


def test_measures_of_the_whole_set_have_a_value_per_radius(get):
    answer = get("metrics", method="lsh", bits=7)
    assert len(answer["curve"]["recall"]) == len(answer["curve"]["precision"]) == 8
    assert answer["curve"]["recall"][-1] == pytest.approx(1)
    assert len(answer["precision_at"]["k"]) == len(answer["precision_at"]["precision"])
    assert answer["ties"] == "expected"


def test_the_map_counts_all_items(get):
    answer = get("map", method="itq", bits=4)
    assert sum(answer["count"]) == answer["n_covered"] == answer["n_items"] == N_ITEMS
    lengths = {len(answer[name]) for name in ("x", "y", "count", "label", "purity", "item")}
    assert lengths == {answer["n_distinct"]}


def test_vectors_get_the_codes_of_their_items(ask, digits):
    vectors = digits.display.images.reshape(N_ITEMS, -1)[:30].tolist()
    answer = ask("POST", "/api/encode", json={"method": "lsh", "vectors": vectors})
    assert answer.json()["codes"] == digits.methods["lsh"].codes(np.arange(30))


def test_a_picture_gets_codes_by_all_models_and_is_shown_as_seen(ask, digits):
    png = digits.display.image(9)
    answer = ask("POST", "/api/encode/image", content=png, headers={"Content-Type": "image/png"})
    assert set(answer.json()["codes"]) == {"itq", "lsh"}
    assert answer.json()["codes"]["lsh"] == digits.methods["lsh"].code(9)
    head, _, data = answer.json()["seen"].partition(",")
    assert head == "data:image/png;base64"
    assert Image.open(io.BytesIO(base64.b64decode(data))).size == (8, 8)


@pytest.mark.parametrize(
    ("path", "status", "words"),
    [
        ("search?method=none&item=1", 404, "method='none' is not loaded"),
        ("search?method=itq&item=150", 404, "positions are 0 to 149"),
        ("search?method=itq&item=-1", 422, "item='-1' is not valid"),
        ("search?method=itq&item=1&k=201", 422, "k='201' is not valid"),
        ("search?method=itq&item=1&k=0", 422, "k='0' is not valid"),
        ("search?method=itq&item=1&bits=17", 422, "bits must be 1 to 16 for 'itq'; got 17"),
        ("search?method=itq&item=1&code=01", 422, "code must be 16 characters"),
        ("search?method=itq&item=1&code=" + "01" * 8, 422, "either an item or a code"),
        ("search?method=itq", 422, "either an item or a code"),
        ("search?method=itq&code=012", 422, "code='012' is not valid"),
        ("search?method=itq&itme=3", 422, "itme is not a parameter"),
        ("search?item=3", 422, "method is missing"),
        ("search?method=itq&item=1&label=cat", 404, "Unknown label 'cat'"),
        ("items?label=cat", 404, "Unknown label 'cat'"),
        ("items?limit=201", 422, "limit='201' is not valid"),
        ("items/150", 404, "positions are 0 to 149"),
        ("items/150/image", 404, "positions are 0 to 149"),
        ("items/one", 422, "position='one' is not valid"),
        ("items/1_0", 422, "position='1_0' is not valid: input should be an integer"),
        ("items/1.0", 422, "position='1.0' is not valid"),
        ("items/1_0/image", 422, "position='1_0' is not valid"),
        ("items?offset=1_0", 422, "offset='1_0' is not valid"),
        ("search?method=itq&item=1&k=1_0", 422, "k='1_0' is not valid"),
        ("search?method=itq&item=%201", 422, "item=' 1' is not valid"),
        ("items/1?method=itq", 422, "method is not a parameter"),
        (f"ids/{2**60}?k=1", 422, "k is not a parameter"),
        ("collection?methods=itq", 422, "methods is not a parameter"),
        ("ids/5", 404, "id=5 is not in 'few'"),
        ("ids/99999999999999999999", 404, "id=99999999999999999999 is not in"),
        ("ids/a%2Fb", 404, "id=a/b is not in"),
        ("map?method=itq&layout=umap", 422, "layout='umap' is not valid"),
        ("metrics?method=itq&bits=0", 422, "bits='0' is not valid"),
        ("nothing", 404, "There is nothing at '/api/nothing'"),
        ("docs", 404, "There is nothing"),
    ],
)
def test_what_cannot_be_answered_is_refused_in_one_sentence(ask, path, status, words):
    assert words in refused(ask("GET", f"/api/{path}"), status)


def test_the_bounds_of_numbers_are_described(get):
    paths = get("openapi.json")["paths"]
    numbers = [
        {**parameter["schema"], "name": parameter["name"]}
        for questions in paths.values()
        for parameter in questions.get("get", {}).get("parameters", [])
        if parameter["schema"].get("type") == "integer"
    ]
    assert {number["name"] for number in numbers} == {
        *("position", "offset", "limit", "bits", "item", "k", "radius")
    }
    assert all("minimum" in number and "maximum" in number for number in numbers)


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "HEAD", "TRACE"])
def test_other_methods_are_refused_and_the_right_ones_named(ask, method):
    answer = ask(method, "/api/search")
    assert answer.status_code == 405
    assert answer.headers["allow"] == "GET"


@pytest.mark.parametrize(
    ("question", "status", "words"),
    [
        (
            {"method": "itq", "vectors": [[1.0] * 63]},
            422,
            "64 numbers for 'itq'; row 0 has 63",
        ),
        ({"method": "itq", "vectors": [[1.0] * 64, [1]]}, 422, "row 1 has 1"),
        (
            {"method": "itq", "vectors": [[3e38] * 64]},
            422,
            "vectors.0.0 is not valid: input should be less than",
        ),
        (
            {"method": "itq", "vectors": [[0.0, -2e15]]},
            422,
            "vectors.0.1 is not valid: input should be greater",
        ),
        (
            {"method": "itq", "vectors": [["1"] * 64]},
            422,
            "vectors.0.0 is not valid: input should be a valid number",
        ),
        (
            {"method": "itq", "vectors": []},
            422,
            "vectors is not valid: list should have at least 1",
        ),
        ({"method": "itq", "vectors": [[0.0]] * 1001}, 422, "at most 1000 items"),
        ({"method": "itq"}, 422, "vectors is missing"),
        ({"method": "itq", "vectors": [[0.0]], "more": 1}, 422, "'more' is not a parameter"),
        ({"method": "codes", "vectors": [[0.0]]}, 409, "has codes but no model"),
        ({"method": "none", "vectors": [[0.0]]}, 404, "'none' is not loaded"),
        ([], 422, "is not valid"),
    ],
)
def test_vectors_that_cannot_be_encoded_are_refused(ask, question, status, words):
    assert words in refused(ask("POST", "/api/encode", json=question), status)


@pytest.mark.parametrize("body", [b"", b"{", b"\xff", b"[" * 100_000])
def test_a_body_that_is_no_json_is_refused(ask, body):
    answer = ask("POST", "/api/encode", content=body, headers={"Content-Type": "application/json"})
    assert "JSON" in refused(answer, 422)


def test_numbers_that_are_not_finite_are_refused(ask):
    for number in ("NaN", "Infinity", "1e999"):
        body = f'{{"method": "itq", "vectors": [[{", ".join([number] * 64)}]]}}'
        headers = {"Content-Type": "application/json"}
        refused(ask("POST", "/api/encode", content=body, headers=headers), 422)


@pytest.mark.parametrize("number", [1e15, -1e15])
def test_numbers_up_to_the_largest_are_encoded_without_a_warning(ask, number):
    sent = {"method": "itq", "vectors": [[number] * 64]}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert ask("POST", "/api/encode", json=sent).status_code == 200


def test_of_many_errors_of_a_body_only_the_first_is_made(monkeypatch):
    counts = []
    validate = EncodeQuestion.model_validate_json

    def counted(body):
        try:
            return validate(body)
        except ValidationError as error:
            counts.append(error.error_count())
            raise

    monkeypatch.setattr(EncodeQuestion, "model_validate_json", counted)
    for wrong in ([[""] * 1000], [""] * 1000, [[""]] * 1000):
        with pytest.raises(RequestValidationError):
            _question(json.dumps({"method": "itq", "vectors": wrong}).encode())
    assert counts == [1, 1, 1]
    more = {str(number): 0 for number in range(1000)}
    with pytest.raises(WrongValueError, match="'0' is not a parameter of this request"):
        _question(json.dumps({"method": "itq", "vectors": [[0.0]], **more}).encode())


def test_without_labels_and_pictures_the_rest_still_answers():
    from hashlearn.explorer.web.app import create_app
    from tests.explorer.small import collection_of

    ask = asker(create_app(collection_of(np.eye(5, dtype=int))))
    about = ask("GET", "/api/collection").json()
    assert (about["labels"], about["upload"], about["curve_queries"]) == (None, None, None)
    answer = ask("GET", "/api/search?method=codes&item=0").json()
    assert (answer["precision"], len(answer["hits"])) == (None, 4)
    assert answer["hits"][0]["item"]["image"] is None
    refused(ask("GET", "/api/items/0/image"), 404)
    refused(ask("GET", "/api/items?label=3"), 404)
    refused(ask("GET", "/api/metrics?method=codes"), 409)
    headers = {"Content-Type": "image/png"}
    refused(ask("POST", "/api/encode/image", content=picture(), headers=headers), 409)


def test_scripts_are_scripts_whatever_the_system_thinks(ask):
    assert ask("GET", "/page/js/main.js").headers["content-type"].startswith("text/javascript")
    assert ask("GET", "/").headers["content-type"].startswith("text/html")


def test_only_files_of_the_page_are_there(ask):
    for name in ("../web/app.py", "js/../../web/app.py", "js", "", "missing.js", "/etc/passwd"):
        assert ask("GET", f"/page/{name}").status_code == 404
