"""Errors as a status and one sentence."""

from __future__ import annotations

import logging
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import JSONResponse, Response

from hashlearn.explorer.errors import NoAnswerError, NotThereError, WrongValueError

MEANINGS = {
    400: "The request is malformed.",
    403: "The request comes from a page of another site.",
    404: "There is no such item, method or label.",
    408: "The body did not arrive in time.",
    409: "The question is valid, but not for this collection or query.",
    413: "The body is too large.",
    414: "The address is too long.",
    415: "The body has an unsupported content type.",
    421: "The request is for another host.",
    422: "A value is not valid.",
    503: "Server busy: too many uploads.",
}
ALWAYS = (403, 414, 421)  # checked before any route
SHOWN = 80  # characters of an invalid value

_log = logging.getLogger(__name__)


class Problem(BaseModel):
    """What was wrong with a request."""

    detail: str = Field(description="One sentence.")


def refusal(status: int, sentence: str) -> Response:
    """Return the response of an error."""
    return JSONResponse(Problem(detail=sentence).model_dump(), status)


def described(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the OpenAPI description of the errors of a route."""
    return {
        status: {"model": Problem, "description": MEANINGS[status]}
        for status in sorted({*statuses, *ALWAYS})
    }


def add_error_handlers(api: FastAPI) -> None:
    """Turn every error into its status and a sentence."""
    api.add_exception_handler(RequestValidationError, _invalid)
    api.add_exception_handler(HTTPException, _refused)
    api.add_exception_handler(NotThereError, _answer_with(404))
    api.add_exception_handler(NoAnswerError, _answer_with(409))
    api.add_exception_handler(WrongValueError, _answer_with(422))
    api.add_exception_handler(ClientDisconnect, _answer_with(400))
    api.add_exception_handler(Exception, _failed)


def sentence_of(error: dict[str, Any]) -> str:
    """Return pydantic's report of one invalid value as a sentence."""
    where, *path = map(str, error["loc"])
    # The rest is a place in a body; for a parameter it is a type that was tried.
    name = ".".join(path if where == "body" else path[:1]) or where
    if error["type"] == "missing":
        return f"{name} is missing."
    if error["type"] == "extra_forbidden":
        return f"{name} is not a parameter of this request."
    given = f"={error['input']!r}" if "input" in error else ""
    given = given if len(given) <= SHOWN else f"{given[:SHOWN]}…"
    reason = error["msg"][:1].lower() + error["msg"][1:].removesuffix(".")
    return f"{name}{given} is not valid: {reason}."


async def _invalid(request: Request, error: Any) -> Response:
    return refusal(422, sentence_of(error.errors()[0]))


async def _refused(request: Request, error: Any) -> Response:
    sentence = str(error.detail)
    if error.status_code == 404 and sentence == "Not Found":
        sentence = f"There is nothing at {request.url.path[:SHOWN]!r}."
    if error.status_code == 405:
        sentence = f"{request.method[:SHOWN]} is not allowed here."
    response = refusal(error.status_code, sentence)
    response.headers.update(error.headers or {})
    return response


async def _failed(request: Request, error: Exception) -> Response:
    _log.error("%s %s failed", request.method, request.url.path, exc_info=error)
    return refusal(500, "The server failed on this request: please report it.")


def _answer_with(status: int) -> Any:
    async def answer(request: Request, error: Exception) -> Response:
        return refusal(status, str(error))

    return answer
