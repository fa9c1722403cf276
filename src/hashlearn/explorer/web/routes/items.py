"""Items: some of them, one at random, one by position or id, and their images."""

from __future__ import annotations

import random
from typing import Annotated, Any

import numpy as np
from fastapi import APIRouter, Path, Query, Request
from starlette.responses import Response

from hashlearn.explorer.answers.items import (
    Answer,
    CodedItem,
    Count,
    Item,
    coded_item_at,
    item_at,
    item_fields,
)
from hashlearn.explorer.collection.collection import Collection
from hashlearn.explorer.collection.decoding import ImageError
from hashlearn.explorer.errors import NotThereError
from hashlearn.explorer.web.capacity import JobLimit
from hashlearn.explorer.web.errors import described
from hashlearn.explorer.web.questions import (
    ImageQuestion,
    ItemsQuestion,
    NoQuestion,
    Position,
    RandomQuestion,
)

N_DECODED = 4  # images at once: a large one takes some hundred megabytes
KEPT = "private, max-age=86400, immutable"
PNG = "image/png"
PNG_RESPONSE: dict[str, Any] = {
    "description": "A PNG file.",
    "content": {PNG: {"schema": {"type": "string", "format": "binary"}}},
}
ItemPath = Annotated[Position, Path(description="Position of the item in the collection.")]


class ItemList(Answer):
    """Some of the items."""

    total: Count
    items: tuple[Item, ...]


def item_routes(collection: Collection) -> APIRouter:
    """Return the routes that show items."""
    router = APIRouter(tags=["items"])
    jobs = JobLimit(N_DECODED)

    @router.get("/items", responses=described(404, 422))
    async def get_items(asked: Annotated[ItemsQuestion, Query()]) -> ItemList:
        """List items, all or those with a label."""
        positions = _members(collection, asked.label)
        some = positions[asked.offset : asked.offset + asked.limit]
        fields = item_fields(collection, [int(position) for position in some])
        return ItemList.model_validate({"total": len(positions), "items": list(fields)})

    @router.get("/items/random", responses=described(404, 422))
    async def get_random_item(asked: Annotated[RandomQuestion, Query()]) -> Item:
        """Pick an item at random, of all or of those with a label."""
        return item_at(collection, int(random.choice(_members(collection, asked.label))))

    @router.get("/items/{position}", responses=described(404, 422))
    async def get_item(position: ItemPath, _: Annotated[NoQuestion, Query()]) -> CodedItem:
        """Return an item with its codes by all methods."""
        return coded_item_at(collection, collection.check_position(position))

    @router.get(
        "/items/{position}/image",
        response_class=Response,
        responses={**described(404, 422), 200: PNG_RESPONSE},
    )
    async def get_image(
        request: Request, position: ItemPath, asked: Annotated[ImageQuestion, Query()]
    ) -> Response:
        """Return the image of an item."""
        collection.check_position(position)
        image = await jobs.run(request, lambda: _image(collection, position))
        kept = {"Cache-Control": KEPT} if asked.v == collection.version else {}
        return Response(image, media_type=PNG, headers=kept)

    @router.get("/ids/{id:path}", responses=described(404, 422))
    async def get_item_by_id(
        id: Annotated[str, Path(description="The item's id.")],
        _: Annotated[NoQuestion, Query()],
    ) -> CodedItem:
        """Return the item that has an id, with its codes."""
        return coded_item_at(collection, collection.position_of(id))

    return router


def _image(collection: Collection, position: int) -> bytes:
    """Return the image of an item as PNG."""
    try:
        return collection.display.image(position)
    except ImageError as error:  # the file is gone, or not an image
        raise NotThereError(f"The image of item {position} cannot be shown: {error}") from error


def _members(collection: Collection, label: str | None) -> range | np.ndarray:
    """Return the positions of the items with a label, or all of them."""
    if not label:
        return range(collection.n_items)
    if collection.labels is None:
        raise NotThereError(f"Unknown label {label!r}: the collection has no labels.")
    return collection.labels.members(label)
