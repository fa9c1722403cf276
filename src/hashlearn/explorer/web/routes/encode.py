"""New items: codes of vectors, and of an image."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
from fastapi import APIRouter, Request
from fastapi.exceptions import RequestValidationError
from pydantic import Field, ValidationError
from starlette.exceptions import HTTPException

from hashlearn.explorer.answers.items import Answer, Bits, Code
from hashlearn.explorer.collection.coded import CodedItems, as_texts
from hashlearn.explorer.collection.collection import Collection
from hashlearn.explorer.errors import NoAnswerError, WrongValueError
from hashlearn.explorer.web.capacity import JobLimit, UploadLimit
from hashlearn.explorer.web.errors import described
from hashlearn.explorer.web.questions import (
    MAX_JSON_BYTES,
    MAX_NAME,
    MAX_NUMBERS,
    MAX_UPLOAD_BYTES,
    EncodeQuestion,
)

N_JOBS = 2  # images or batches at once: each may take some hundred megabytes
JSON = "application/json"
IMAGES = ("image/png", "image/jpeg", "image/gif", "image/bmp", "image/webp")
STATUSES = (400, 404, 408, 409, 413, 415, 422, 503)


class VectorCodes(Answer):
    """Codes of vectors by one method."""

    method: str
    bits: Bits
    codes: tuple[Code, ...]


class ImageCodes(Answer):
    """Codes of an image by all methods with a model."""

    codes: dict[str, Code]
    seen: str = Field(description="The image as the models see it: a PNG file as a data address.")


def encode_routes(collection: Collection) -> APIRouter:
    """Return the routes that encode what is sent."""
    router = APIRouter(tags=["encode"])
    jobs, uploads = JobLimit(N_JOBS), UploadLimit()

    @router.post(
        "/encode",
        responses=described(*STATUSES),
        openapi_extra=_body({JSON: EncodeQuestion.model_json_schema()}),
    )
    async def encode(request: Request) -> VectorCodes:
        """Return the codes of vectors by one method."""
        _check_content_type(request, (JSON,))
        async with uploads.read(request, MAX_JSON_BYTES) as body:
            return await jobs.run(request, lambda: _encode_vectors(collection, body))

    @router.post(
        "/encode/image",
        responses=described(*STATUSES),
        openapi_extra=_body({kind: {"type": "string", "format": "binary"} for kind in IMAGES}),
    )
    async def encode_image(request: Request) -> ImageCodes:
        """Return the codes of an image by all methods that have a model."""
        _check_content_type(request, IMAGES)
        async with uploads.read(request, MAX_UPLOAD_BYTES) as body:
            return await jobs.run(request, lambda: _encode_image(collection, body))

    return router


def _check_content_type(request: Request, allowed: tuple[str, ...]) -> None:
    given = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if given not in allowed:
        raise HTTPException(
            415, f"The content type must be {' or '.join(allowed)}; got {given[:80]!r}."
        )


def _body(schemas: dict[str, Any]) -> dict[str, Any]:
    """Return the OpenAPI description of a body that is read by hand, to stop if it is too large."""
    content = {kind: {"schema": schema} for kind, schema in schemas.items()}
    return {"requestBody": {"required": True, "content": content}}


def _encode_vectors(collection: Collection, body: bytes) -> VectorCodes:
    question = _question(body)
    coded = collection.method(question.method)
    codes = coded.encode(_as_array(question.vectors, coded))
    texts = as_texts(codes, coded.n_bits)
    return VectorCodes(method=coded.name, bits=coded.n_bits, codes=tuple(texts))


def _question(body: bytes) -> EncodeQuestion:
    """Return the parameters in a body, or raise for its first error."""
    # Each parsed value takes 70 bytes; the commas bound their number before that.
    if body.count(b",") > MAX_NUMBERS + MAX_NAME:
        raise WrongValueError(f"The body has too many values: at most {MAX_NUMBERS:,} are allowed.")
    try:
        question = EncodeQuestion.model_validate_json(body)
    except ValidationError as error:
        # Without the input: a long list would be copied.
        first = error.errors(include_url=False, include_input=False)[0]
        raise RequestValidationError([{**first, "loc": ("body", *first["loc"])}]) from None
    for name in question.model_extra or {}:
        raise WrongValueError(f"{name[:MAX_NAME]!r} is not a parameter of this request.")
    return question


def _as_array(vectors: list[list[float]], coded: CodedItems) -> np.ndarray:
    """Return vectors of one length as an array, or raise."""
    if coded.hasher is None:
        raise NoAnswerError(f"{coded.name!r} has codes but no model to encode new items.")
    n_features = int(coded.hasher.n_features_in_)
    for row, vector in enumerate(vectors):
        if len(vector) != n_features:
            raise WrongValueError(
                f"Each vector must have {n_features:,} numbers for {coded.name!r}; "
                f"row {row} has {len(vector):,}."
            )
    if len(vectors) * n_features > MAX_NUMBERS:
        n_numbers = len(vectors) * n_features
        raise WrongValueError(
            f"vectors must have at most {MAX_NUMBERS:,} numbers; got {n_numbers:,}."
        )
    return np.array(vectors, dtype=np.float32)


def _encode_image(collection: Collection, body: bytes) -> ImageCodes:
    reader = collection.reader
    if reader is None:
        raise NoAnswerError("Images cannot be encoded: no loaded model reads images.")
    vector, image = reader.see(body)
    codes = {
        name: as_texts(coded.encode(vector), coded.n_bits)[0]
        for name, coded in collection.methods.items()
        if coded.hasher is not None
    }
    return ImageCodes(codes=codes, seen=f"data:image/png;base64,{base64.b64encode(image).decode()}")
