"""Items: some of them, one at random, one by position or id, and their pictures."""

from __future__ import annotations

import random
from typing import Annotated, Any

import numpy as np
from fastapi import APIRouter, Path, Query, Request
from starlette.responses import Response

from hashlearn.explorer.collection.collection import Collection
from hashlearn.explorer.collection.decoding import PictureError
from hashlearn.explorer.errors import NotThereError
from hashlearn.explorer.web.answering import as_json
from hashlearn.explorer.web.errors import described
from hashlearn.explorer.web.questions import (
    ImageQuestion,
    ItemsQuestion,
    NoQuestion,
    Position,
    RandomQuestion,
)
from hashlearn.explorer.web.schemas import CodedItem, Item, ItemList
from hashlearn.explorer.web.shown import Shown
from hashlearn.explorer.web.working import Places

N_PICTURES = 4  # decoded at once: a large one takes some hundred megabytes
KEPT = "private, max-age=86400, immutable"
PNG = "image/png"
PNG_ANSWER: dict[str, Any] = {
    "description": "A PNG file.",
    "content": {PNG: {"schema": {"type": "string", "format": "binary"}}},
}
ItemPath = Annotated[Position, Path(description="Where the item stands in the collection.")]


def item_routes(collection: Collection, shown: Shown) -> APIRouter:
    """Return the routes that show items."""
    router = APIRouter(tags=["items"])
    places = Places(N_PICTURES)

    @router.get("/items", response_model=ItemList, responses=described(404, 422))
    async def get_items(question: Annotated[ItemsQuestion, Query()]) -> Response:
        """List items, all or those with a label."""
        positions = _members(collection, question.label)
        some = positions[question.offset : question.offset + question.limit]
        return as_json({"total": len(positions), "items": [shown.item(int(i)) for i in some]})

    @router.get("/items/random", response_model=Item, responses=described(404, 422))
    async def get_random_item(question: Annotated[RandomQuestion, Query()]) -> Response:
        """Pick an item at random, of all or of those with a label."""
        return as_json(shown.item(int(random.choice(_members(collection, question.label)))))

    @router.get("/items/{position}", response_model=CodedItem, responses=described(404, 422))
    async def get_item(position: ItemPath, _: Annotated[NoQuestion, Query()]) -> Response:
        """Return an item with its codes by all methods."""
        return as_json(shown.coded_item(collection.check_position(position)))

    @router.get(
        "/items/{position}/image",
        response_class=Response,
        responses={**described(404, 422), 200: PNG_ANSWER},
    )
    async def get_image(
        request: Request, position: ItemPath, question: Annotated[ImageQuestion, Query()]
    ) -> Response:
        """Return the picture of an item."""
        collection.check_position(position)
        kept = {"Cache-Control": KEPT} if question.v == shown.version else {}

        def picture() -> Response:
            return Response(_picture(collection, position), media_type=PNG, headers=kept)

        return await places.answer(request, picture)

    @router.get("/ids/{id}", response_model=CodedItem, responses=described(404, 422))
    async def get_item_by_id(
        id: Annotated[str, Path(pattern="^-?[0-9]{1,19}$", description="The item's id.")],
        _: Annotated[NoQuestion, Query()],
    ) -> Response:
        """Return the item that has an id, with its codes."""
        return as_json(shown.coded_item(collection.position_of(int(id))))

    return router


def _picture(collection: Collection, position: int) -> bytes:
    """Return the picture of an item as PNG."""
    try:
        return collection.display.image(position)
    except PictureError as error:  # the file is gone, or no picture
        raise NotThereError(f"item={position} has no picture: {error}") from error


def _members(collection: Collection, label: str | None) -> range | np.ndarray:
    """Return the positions of the items with a label, or all of them."""
    if not label:
        return range(collection.n_items)
    if collection.labels is None:
        raise NotThereError(f"label={label!r} is not known: the collection has no labels.")
    return collection.labels.members(label)
