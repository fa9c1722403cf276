"""What is loaded."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query
from starlette.responses import Response

from hashlearn.explorer.answers.overview import overview_queries
from hashlearn.explorer.collection.collection import Collection
from hashlearn.explorer.web.answering import as_json
from hashlearn.explorer.web.errors import described
from hashlearn.explorer.web.limits import MAX_K, MAX_UPLOAD_BYTES
from hashlearn.explorer.web.questions import NoQuestion
from hashlearn.explorer.web.schemas import CollectionAnswer


def collection_routes(collection: Collection) -> APIRouter:
    """Return the route that describes a collection."""
    router = APIRouter(tags=["collection"])
    answer = _describe(collection)

    @router.get("/collection", response_model=CollectionAnswer, responses=described(422))
    async def get_collection(_: Annotated[NoQuestion, Query()]) -> Response:
        """Say what is loaded: items, labels, methods, limits."""
        return as_json(answer)

    return router


def _describe(collection: Collection) -> dict[str, Any]:
    labels, reader = collection.labels, collection.reader
    n_queries = len(overview_queries(collection))
    return {
        "name": collection.name,
        "n_items": collection.n_items,
        "kind": collection.display.kind,
        "labels": None if labels is None else {"names": labels.names, "several": labels.several},
        "methods": [
            {
                "name": name,
                "title": coded.title,
                "n_bits": coded.n_bits,
                "encodes": coded.hasher is not None,
            }
            for name, coded in collection.methods.items()
        ],
        "upload": None if reader is None else {"hint": reader.hint},
        "limits": {"k": MAX_K, "upload_bytes": MAX_UPLOAD_BYTES},
        "curve_queries": {"n": n_queries, "held_out": collection.curve_queries is not None}
        if n_queries
        else None,
    }
