"""Queries: the nearest items, those within a radius, and precision at every radius."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from hashlearn.explorer.answers import neighbours as answers
from hashlearn.explorer.answers.ranking import Query as ItemQuery
from hashlearn.explorer.collection.collection import Collection
from hashlearn.explorer.web.answering import as_json
from hashlearn.explorer.web.errors import described
from hashlearn.explorer.web.questions import CurveQuestion, RadiusQuestion, SearchQuestion
from hashlearn.explorer.web.schemas import CurveAnswer, RadiusAnswer, SearchAnswer
from hashlearn.explorer.web.shown import Shown, shown_query


def search_routes(collection: Collection, shown: Shown) -> APIRouter:
    """Return the routes that answer queries."""
    router = APIRouter(tags=["search"])

    @router.get("/search", response_model=SearchAnswer, responses=described(404, 422))
    def search(question: Annotated[SearchQuestion, Query()]) -> Response:
        """Find the nearest items of a query, itself left out."""
        query = _query(collection, question)
        found = answers.search(collection, question.method, query, question.bits, question.k)
        return as_json(
            {
                "method": found.method,
                "bits": found.bits,
                "k": found.k,
                "query": shown_query(found.query),
                "hits": shown.hits(found.hits),
                "ties": [tie._asdict() for tie in found.ties],
                "precision": None if found.precision is None else found.precision._asdict(),
            }
        )

    @router.get("/radius", response_model=RadiusAnswer, responses=described(404, 422))
    def search_radius(question: Annotated[RadiusQuestion, Query()]) -> Response:
        """Find the items within a radius of a query, itself left out."""
        within = answers.within_radius(
            collection,
            question.method,
            _query(collection, question),
            question.bits,
            question.radius,
            question.limit,
        )
        return as_json(
            {
                "method": within.method,
                "bits": within.bits,
                "radius": within.radius,
                "query": shown_query(within.query),
                "count": within.count,
                "precision": within.precision,
                "recall": within.recall,
                "hits": shown.hits(within.hits),
            }
        )

    @router.get("/curve", response_model=CurveAnswer, responses=described(404, 409, 422))
    def get_curve(question: Annotated[CurveQuestion, Query()]) -> Response:
        """Measure precision and recall within every radius of a query."""
        query = _query(collection, question)
        curve = answers.query_curve(collection, question.method, query, question.bits)
        return as_json({**vars(curve), "query": shown_query(curve.query)})

    return router


def _query(collection: Collection, question: CurveQuestion) -> ItemQuery:
    """Return the query that is asked for."""
    coded = collection.method(question.method)
    code = None if question.code is None else coded.parse(question.code)
    if collection.labels is not None:
        for name in question.label:
            collection.labels.members(name)  # raises if nobody has it
    return ItemQuery(code, question.item, tuple(question.label) or None)
