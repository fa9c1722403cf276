"""The whole collection: measures over many queries, and a picture of all codes."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from hashlearn.explorer.answers.code_map import CodeMap, code_map
from hashlearn.explorer.answers.overview import Overview, overview
from hashlearn.explorer.collection.collection import Collection
from hashlearn.explorer.web.answering import as_json
from hashlearn.explorer.web.errors import described
from hashlearn.explorer.web.questions import MapQuestion, MethodQuestion
from hashlearn.explorer.web.schemas import MapAnswer, MetricsAnswer
from hashlearn.explorer.web.working import Places

N_SHORT = 4  # measures and principal components at once, of about a second each
N_LONG = 1  # t-SNE at once, of many seconds each


def measure_routes(collection: Collection) -> APIRouter:
    """Return the routes that look at all items."""
    router = APIRouter(tags=["measures"])
    short, long = Places(N_SHORT), Places(N_LONG)

    @router.get("/metrics", response_model=MetricsAnswer, responses=described(404, 409, 422))
    async def get_metrics(
        request: Request, question: Annotated[MethodQuestion, Query()]
    ) -> Response:
        """Measure how a method's codes retrieve, over up to 500 queries."""
        return await short.answer(
            request,
            lambda: as_json(_as_metrics(overview(collection, question.method, question.bits))),
        )

    @router.get("/map", response_model=MapAnswer, responses=described(404, 422))
    async def get_map(request: Request, question: Annotated[MapQuestion, Query()]) -> Response:
        """Place the most frequent distinct codes on a plane."""
        places = long if question.layout == "tsne" else short
        return await places.answer(
            request,
            lambda: as_json(
                _as_map(code_map(collection, question.method, question.bits, question.layout))
            ),
        )

    return router


def _as_metrics(measured: Overview) -> dict[str, Any]:
    return {
        "method": measured.method,
        "bits": measured.bits,
        "n_queries": measured.n_queries,
        "held_out": measured.held_out,
        "curve": {"precision": measured.precision, "recall": measured.recall},
        "pr_area": measured.pr_area,
        "mean_average_precision": measured.mean_average_precision,
        "map_cutoff": measured.map_cutoff,
        "precision_at": {"k": measured.ks, "precision": measured.precision_at},
        "ties": "expected",
    }


def _as_map(placed: CodeMap) -> dict[str, Any]:
    return vars(placed)
