"""Whatever is asked, the API answers as its description says, and never fails."""

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.checks import (
    content_type_conformance,
    not_a_server_error,
    response_schema_conformance,
    status_code_conformance,
)

from hashlearn.explorer.web.app import create_app

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
OPERATIONS = {
    "GET /api/collection": 5,
    "GET /api/items": 10,
    "GET /api/items/random": 8,
    "GET /api/items/{position}": 8,
    "GET /api/items/{position}/image": 8,
    "GET /api/ids/{id}": 8,
    "GET /api/search": 12,
    "GET /api/radius": 12,
    "GET /api/curve": 12,
    "GET /api/metrics": 10,
    "GET /api/map": 10,
    "POST /api/encode": 10,
    "POST /api/encode/image": 10,
}
# Values that are right: at random alone a method's name is never met.
KNOWN = {
    "method": st.sampled_from(["itq", "lsh", "codes"]),
    "bits": st.integers(1, 21),
    "item": st.integers(0, 149),
    "label": st.lists(st.sampled_from(list("0123456789")), max_size=2),
    "layout": st.just("pca"),  # t-SNE would take most of the time
}
# Any bytes may be a picture, and these have no parameters: schemathesis finds nothing wrong to ask.
NEVER_WRONG = ("GET /api/collection", "GET /api/ids/{id}", "POST /api/encode/image")
CASES = [
    *((label, GenerationMode.POSITIVE) for label in OPERATIONS),
    *((label, GenerationMode.NEGATIVE) for label in OPERATIONS if label not in NEVER_WRONG),
]


@pytest.fixture(scope="module")
def api(digits):
    app = create_app(digits, hosts=["testserver"])
    return schemathesis.openapi.from_asgi("/api/openapi.json", app)


def test_every_operation_is_asked(api):
    described = {one.ok().label for one in api.get_all_operations()}
    assert described == set(OPERATIONS)


@pytest.mark.parametrize("factor", [1, pytest.param(80, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("label", "mode"), CASES)
def test_answers_are_as_described(api, label, mode, factor):
    method, path = label.split()
    operation = api[path][method]
    asked = {parameter.name for parameter in operation.query}
    known = st.fixed_dictionaries(
        {}, optional={name: value for name, value in KNOWN.items() if name in asked}
    )

    @settings(
        max_examples=factor * OPERATIONS[label],
        suppress_health_check=list(HealthCheck),
        database=None,
    )
    @given(case=operation.as_strategy(generation_mode=mode), right=known)
    def answer(case, right):
        if right:
            case.query = {**(case.query or {}), **right}
        case.call_and_validate(checks=CHECKS)

    answer()
