"""Answers in JSON, errors as one sentence."""

from __future__ import annotations

from typing import Any

from pydantic_core import to_json
from starlette.responses import Response

JSON = "application/json"


def as_json(answer: Any, status: int = 200) -> Response:
    """Return an answer that was built right: checking it against its schema would cost more.

    Examples
    --------
    >>> as_json({"precision": float("nan")}).body
    b'{"precision":null}'
    """
    return Response(to_json(answer, inf_nan_mode="null"), status, media_type=JSON)


def refusal(status: int, sentence: str) -> Response:
    """Return an error in the form that all errors have.

    Examples
    --------
    >>> refusal(404, "There is nothing here.").body
    b'{"detail":"There is nothing here."}'
    """
    return as_json({"detail": sentence}, status)
