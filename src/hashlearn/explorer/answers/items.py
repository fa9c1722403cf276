"""Items as the API shows them, and the types that answers share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import repeat
from typing import Annotated, Any

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from hashlearn.explorer.collection.collection import Collection

Share = Annotated[float, Field(ge=0, le=1)]
Count = Annotated[int, Field(ge=0)]
Bits = Annotated[int, Field(ge=1, description="Number of bits used.")]
Position = Annotated[int, Field(ge=0, description="Position of the item in the collection.")]
Code = Annotated[str, Field(pattern="^[01]+$", description="Bits, the first one first.")]


class Answer(BaseModel):
    """Base of all answers: the same class is returned in Python, validated, and sent as JSON."""

    model_config = ConfigDict(frozen=True)


class Item(Answer):
    """An item as it is shown."""

    position: Position
    # Integers as text too, since numbers in JavaScript do not hold 64 bits.
    id: str = Field(description="The id, a 64-bit integer or text.")
    labels: tuple[str, ...] | None
    text: str | None
    image: str | None = Field(description="Address of its image.")


class CodedItem(Item):
    """An item with its codes."""

    codes: dict[str, Code] = Field(description="By the name of the method.")


def item_at(collection: Collection, position: int) -> Item:
    """Return the item at a position."""
    return Item(**next(item_fields(collection, [position])))


def coded_item_at(collection: Collection, position: int) -> CodedItem:
    """Return the item at a position with its codes by all methods."""
    codes = {name: coded.code(position) for name, coded in collection.methods.items()}
    return CodedItem(**next(item_fields(collection, [position])), codes=codes)


def item_fields(collection: Collection, positions: Sequence[int]) -> Iterator[dict[str, Any]]:
    """Yield the fields of items: pydantic validates many at once faster than one by one."""
    display, version, labels = collection.display, collection.version, collection.labels
    is_image, is_text = display.kind == "image", display.kind == "text"
    ids = collection.ids[np.asarray(positions, dtype=np.int64)].tolist()
    of_each = repeat(None) if labels is None else labels.of_each(positions)
    for position, item_id, own in zip(positions, ids, of_each, strict=False):
        yield {
            "position": position,
            "id": str(item_id),
            "labels": own,
            "text": display.text(position) if is_text else None,
            "image": f"/api/items/{position}/image?v={version}" if is_image else None,
        }
