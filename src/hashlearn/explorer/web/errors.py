"""What goes wrong, as a status and one sentence."""

from __future__ import annotations

import logging
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import Response

from hashlearn.explorer.errors import NoAnswerError, NotThereError, WrongValueError
from hashlearn.explorer.web.answering import refusal
from hashlearn.explorer.web.schemas import Problem

MEANINGS = {
    400: "The request is malformed.",
    403: "A page of another site asks.",
    404: "There is no such item, method or label.",
    408: "The body does not arrive.",
    409: "The question makes sense, but not for this collection or query.",
    413: "The body is too large.",
    414: "The address is too long.",
    415: "The body has another content type.",
    421: "The request is for another host.",
    422: "A value is not taken.",
    503: "Others send too much at the moment.",
}
ALWAYS = (403, 414, 421)  # before any route is asked
SHOWN = 80  # characters of a wrong value

_log = logging.getLogger(__name__)


def described(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return what OpenAPI says of the errors that a route may answer with."""
    return {
        status: {"model": Problem, "description": MEANINGS[status]}
        for status in sorted({*statuses, *ALWAYS})
    }


def add_error_handlers(api: FastAPI) -> None:
    """Let every error end in its status and a sentence."""
    api.add_exception_handler(RequestValidationError, _invalid)
    api.add_exception_handler(HTTPException, _refused)
    api.add_exception_handler(NotThereError, _answer_with(404))
    api.add_exception_handler(NoAnswerError, _answer_with(409))
    api.add_exception_handler(WrongValueError, _answer_with(422))
    api.add_exception_handler(ClientDisconnect, _answer_with(400))
    api.add_exception_handler(Exception, _failed)


def sentence_of(error: dict[str, Any]) -> str:
    """Return what pydantic says of one wrong value, as a sentence.

    Examples
    --------
    >>> error = {"loc": ("query", "k"), "msg": "Input should be positive", "input": "-1"}
    >>> sentence_of({**error, "type": "greater_than"})
    "k='-1' is not taken: input should be positive."
    """
    where, *path = map(str, error["loc"])
    # Of a parameter the rest is a kind of value that was tried; of a body it is a place in it.
    name = ".".join(path if where == "body" else path[:1]) or where
    if error["type"] == "missing":
        return f"{name} is missing."
    if error["type"] == "extra_forbidden":
        return f"{name} is no parameter of this question."
    given = f"={error['input']!r}" if "input" in error else ""
    given = given if len(given) <= SHOWN else f"{given[:SHOWN]}…"
    reason = error["msg"][:1].lower() + error["msg"][1:].removesuffix(".")
    return f"{name}{given} is not taken: {reason}."


async def _invalid(request: Request, error: Any) -> Response:
    return refusal(422, sentence_of(error.errors()[0]))


async def _refused(request: Request, error: Any) -> Response:
    sentence = str(error.detail)
    if error.status_code == 404 and sentence == "Not Found":
        sentence = f"There is nothing at {request.url.path[:SHOWN]!r}."
    if error.status_code == 405:
        sentence = f"{request.method[:SHOWN]} is not taken here."
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
