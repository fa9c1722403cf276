"""New items: codes of vectors, and of a picture."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
from fastapi import APIRouter, Request
from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError
from starlette.responses import Response

from hashlearn.explorer.collection.coded import CodedItems, as_texts
from hashlearn.explorer.collection.collection import Collection
from hashlearn.explorer.errors import NoAnswerError, WrongValueError
from hashlearn.explorer.web.answering import JSON, as_json
from hashlearn.explorer.web.bodies import Bodies
from hashlearn.explorer.web.errors import described
from hashlearn.explorer.web.limits import (
    MAX_JSON_BYTES,
    MAX_NUMBERS,
    MAX_UPLOAD_BYTES,
    check_content_type,
)
from hashlearn.explorer.web.questions import MAX_NAME, EncodeQuestion
from hashlearn.explorer.web.schemas import EncodeAnswer, EncodeImageAnswer
from hashlearn.explorer.web.working import Places

N_PLACES = 2  # pictures or batches in work: each may take some hundred megabytes
PICTURES = ("image/png", "image/jpeg", "image/gif", "image/bmp", "image/webp")
STATUSES = (400, 404, 408, 409, 413, 415, 422, 503)


def encode_routes(collection: Collection) -> APIRouter:
    """Return the routes that encode what is sent."""
    router = APIRouter(tags=["encode"])
    places, bodies = Places(N_PLACES), Bodies()

    @router.post(
        "/encode",
        response_model=EncodeAnswer,
        responses=described(*STATUSES),
        openapi_extra=_body({JSON: EncodeQuestion.model_json_schema()}),
    )
    async def encode(request: Request) -> Response:
        """Return the codes of vectors by one method."""
        check_content_type(request, (JSON,))
        async with bodies.read(request, MAX_JSON_BYTES) as body:
            return await places.answer(request, lambda: _encode_vectors(collection, body))

    @router.post(
        "/encode/image",
        response_model=EncodeImageAnswer,
        responses=described(*STATUSES),
        openapi_extra=_body({kind: {"type": "string", "format": "binary"} for kind in PICTURES}),
    )
    async def encode_image(request: Request) -> Response:
        """Return the codes of a picture by all methods that have a model."""
        check_content_type(request, PICTURES)
        async with bodies.read(request, MAX_UPLOAD_BYTES) as body:
            return await places.answer(request, lambda: _encode_picture(collection, body))

    return router


def _body(schemas: dict[str, Any]) -> dict[str, Any]:
    """Return what OpenAPI says of a body that is read by hand, to stop when it is too large."""
    content = {kind: {"schema": schema} for kind, schema in schemas.items()}
    return {"requestBody": {"required": True, "content": content}}


def _encode_vectors(collection: Collection, body: bytes) -> Response:
    question = _question(body)
    coded = collection.method(question.method)
    codes = coded.encode(_as_array(question.vectors, coded))
    texts = as_texts(codes, coded.n_bits)
    return as_json({"method": coded.name, "bits": coded.n_bits, "codes": texts})


def _question(body: bytes) -> EncodeQuestion:
    """Return what a body asks, or raise for the first thing that is wrong with it."""
    # Parsed it would take 70 bytes for each value: commas tell how many there are at most.
    if body.count(b",") > MAX_NUMBERS + MAX_NAME:
        raise WrongValueError(f"The body has too many values: at most {MAX_NUMBERS:,} are taken.")
    try:
        question = EncodeQuestion.model_validate_json(body)
    except ValidationError as error:
        # Not what was given: of a long list that would be a copy.
        first = error.errors(include_url=False, include_input=False)[0]
        raise RequestValidationError([{**first, "loc": ("body", *first["loc"])}]) from None
    for name in question.model_extra or {}:
        raise WrongValueError(f"{name[:MAX_NAME]!r} is no parameter of this question.")
    return question


def _as_array(vectors: list[list[float]], coded: CodedItems) -> np.ndarray:
    """Return vectors of one length as an array, or raise."""
    if coded.hasher is None:
        raise NoAnswerError(f"{coded.name!r} has codes only: without a model it encodes nothing.")
    n_features = int(coded.hasher.n_features_in_)
    for row, vector in enumerate(vectors):
        if len(vector) != n_features:
            raise WrongValueError(
                f"vectors has {len(vector):,} numbers in row {row}: {coded.name!r} takes "
                f"{n_features:,}."
            )
    if len(vectors) * n_features > MAX_NUMBERS:
        n_numbers = len(vectors) * n_features
        raise WrongValueError(
            f"vectors has {n_numbers:,} numbers: at most {MAX_NUMBERS:,} are taken."
        )
    return np.array(vectors, dtype=np.float32)


def _encode_picture(collection: Collection, body: bytes) -> Response:
    reader = collection.reader
    if reader is None:
        raise NoAnswerError("Pictures are not taken here: no model reads them.")
    vector, picture = reader.see(body)
    codes = {
        name: as_texts(coded.encode(vector), coded.n_bits)[0]
        for name, coded in collection.methods.items()
        if coded.hasher is not None
    }
    address = f"data:image/png;base64,{base64.b64encode(picture).decode()}"
    return as_json({"codes": codes, "seen": address})
