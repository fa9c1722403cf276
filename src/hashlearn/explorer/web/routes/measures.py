"""The whole collection: measures over many queries, and a map of all codes."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request

from hashlearn.explorer.answers.code_map import CodeMap, code_map
from hashlearn.explorer.answers.overview import Overview, overview
from hashlearn.explorer.collection.collection import Collection
from hashlearn.explorer.web.capacity import JobLimit
from hashlearn.explorer.web.errors import described
from hashlearn.explorer.web.questions import MapQuestion, MethodQuestion

N_SHORT = 4  # measures and principal components at once, of about a second each
N_LONG = 1  # t-SNE at once, of many seconds each


def measure_routes(collection: Collection) -> APIRouter:
    """Return the routes that look at all items."""
    router = APIRouter(tags=["measures"])
    short, long = JobLimit(N_SHORT), JobLimit(N_LONG)

    @router.get("/metrics", responses=described(404, 409, 422))
    async def get_metrics(request: Request, asked: Annotated[MethodQuestion, Query()]) -> Overview:
        """Measure how a method's codes retrieve, over up to 500 queries."""
        return await short.run(request, lambda: overview(collection, asked.method, asked.bits))

    @router.get("/map", responses=described(404, 422))
    async def get_map(request: Request, asked: Annotated[MapQuestion, Query()]) -> CodeMap:
        """Place the most frequent distinct codes on a plane."""
        jobs = long if asked.layout == "tsne" else short
        return await jobs.run(
            request, lambda: code_map(collection, asked.method, asked.bits, asked.layout)
        )

    return router
