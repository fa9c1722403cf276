"""The loaded collection."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query
from pydantic import Field

from hashlearn.explorer.answers.items import Answer
from hashlearn.explorer.answers.overview import overview_queries
from hashlearn.explorer.collection.collection import Collection
from hashlearn.explorer.web.errors import described
from hashlearn.explorer.web.questions import MAX_K, MAX_UPLOAD_BYTES, NoQuestion


class LabelNames(Answer):
    """The labels of a collection."""

    names: tuple[str, ...] = Field(description="Distinct labels, sorted.")
    several: bool = Field(description="Whether some item has more than one.")


class Method(Answer):
    """A method whose codes are loaded."""

    name: str
    title: str
    n_bits: int = Field(ge=1)
    encodes: bool = Field(description="Whether a model can encode new items.")


class Upload(Answer):
    """Images as queries."""

    hint: str = Field(description="Which images can be uploaded, and how they are read.")


class Limits(Answer):
    """The most that one request may ask for."""

    k: int
    upload_bytes: int


class CurveQueries(Answer):
    """The queries of the whole-set measures."""

    n: int = Field(ge=1)
    held_out: bool = Field(description="Whether nothing was learned from them.")


class AboutCollection(Answer):
    """The loaded collection."""

    name: str
    n_items: int = Field(ge=1)
    kind: Literal["image", "text", "id"] = Field(description="How items are shown.")
    labels: LabelNames | None
    methods: tuple[Method, ...] = Field(min_length=1)
    upload: Upload | None = Field(description="null if images cannot be uploaded.")
    limits: Limits
    curve_queries: CurveQueries | None = Field(description="null without labels.")


def collection_routes(collection: Collection) -> APIRouter:
    """Return the route that describes a collection."""
    router = APIRouter(tags=["collection"])
    about = _describe(collection)

    @router.get("/collection", responses=described(422))
    async def get_collection(_: Annotated[NoQuestion, Query()]) -> AboutCollection:
        """Describe the collection: items, labels, methods, limits."""
        return about

    return router


def _describe(collection: Collection) -> AboutCollection:
    labels, reader = collection.labels, collection.reader
    n_queries = len(overview_queries(collection))
    held_out = collection.curve_queries is not None
    return AboutCollection(
        name=collection.name,
        n_items=collection.n_items,
        kind=collection.display.kind,
        labels=None if labels is None else LabelNames(names=labels.names, several=labels.several),
        methods=tuple(
            Method(
                name=name,
                title=coded.title,
                n_bits=coded.n_bits,
                encodes=coded.hasher is not None,
            )
            for name, coded in collection.methods.items()
        ),
        upload=None if reader is None else Upload(hint=reader.hint),
        limits=Limits(k=MAX_K, upload_bytes=MAX_UPLOAD_BYTES),
        curve_queries=CurveQueries(n=n_queries, held_out=held_out) if n_queries else None,
    )
