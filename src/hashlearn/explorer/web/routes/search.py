"""Queries, measures over many queries, and the map of all codes."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request

from hashlearn.explorer.answers import neighbours
from hashlearn.explorer.answers.code_map import CodeMap, code_map
from hashlearn.explorer.answers.neighbours import Found, QueryCurve, Within
from hashlearn.explorer.answers.overview import Overview, overview
from hashlearn.explorer.answers.ranking import Query as ItemQuery
from hashlearn.explorer.collection.collection import Collection
from hashlearn.explorer.web.capacity import JobLimit
from hashlearn.explorer.web.errors import described
from hashlearn.explorer.web.questions import (
    CurveQuestion,
    MapQuestion,
    MethodQuestion,
    RadiusQuestion,
    SearchQuestion,
)

N_SHORT = 4  # measures and principal components at once, of about a second each
N_LONG = 1  # t-SNE at once, of many seconds each


def search_routes(collection: Collection) -> APIRouter:
    """Return the routes that answer queries."""
    router = APIRouter(tags=["search"])

    @router.get("/search", responses=described(404, 422))
    def search(asked: Annotated[SearchQuestion, Query()]) -> Found:
        """Find the nearest items of a query, itself left out."""
        query = _query(collection, asked)
        return neighbours.search(collection, asked.method, query, asked.bits, asked.k)

    @router.get("/radius", responses=described(404, 422))
    def search_radius(asked: Annotated[RadiusQuestion, Query()]) -> Within:
        """Find the items within a radius of a query, itself left out."""
        query = _query(collection, asked)
        return neighbours.within_radius(
            collection, asked.method, query, asked.bits, asked.radius, asked.limit
        )

    @router.get("/curve", responses=described(404, 409, 422))
    def get_curve(asked: Annotated[CurveQuestion, Query()]) -> QueryCurve:
        """Measure precision and recall within every radius of a query."""
        query = _query(collection, asked)
        return neighbours.query_curve(collection, asked.method, query, asked.bits)

    return router


def _query(collection: Collection, asked: CurveQuestion) -> ItemQuery:
    coded = collection.method(asked.method)
    code = None if asked.code is None else coded.parse(asked.code)
    if collection.labels is not None:
        for name in asked.label:
            collection.labels.members(name)  # raises if no item has it
    return ItemQuery(code, asked.item, tuple(asked.label) or None)


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
