"""Items and hits as the API shows them."""

from __future__ import annotations

import secrets
from typing import Any

from hashlearn.explorer.answers.ranking import Asked, Hit
from hashlearn.explorer.collection.collection import Collection


class Shown:
    """Turns positions of a collection into what is sent.

    Parameters
    ----------
    collection : Collection

    Attributes
    ----------
    version : str
        Another one at each start: what a browser keeps of one collection is not another's.
    """

    def __init__(self, collection: Collection) -> None:
        self.collection = collection
        self.version = secrets.token_hex(4)
        self._kind = collection.display.kind

    def item(self, position: int) -> dict[str, Any]:
        """Return an item; ids are text, since JavaScript's numbers do not hold 64 bits."""
        collection = self.collection
        is_image, is_text = self._kind == "image", self._kind == "text"
        return {
            "position": position,
            "id": str(collection.ids[position]),
            "labels": collection.labels_of(position),
            "text": collection.display.text(position) if is_text else None,
            "image": f"/api/items/{position}/image?v={self.version}" if is_image else None,
        }

    def coded_item(self, position: int) -> dict[str, Any]:
        """Return an item with its codes by all methods."""
        methods = self.collection.methods.items()
        return {
            **self.item(position),
            "codes": {name: coded.code(position) for name, coded in methods},
        }

    def hits(self, hits: tuple[Hit, ...]) -> list[dict[str, Any]]:
        """Return hits with their items."""
        return [
            {
                "item": self.item(hit.position),
                "distance": hit.distance,
                "code": hit.code,
                "relevant": hit.relevant,
            }
            for hit in hits
        ]


def shown_query(asked: Asked) -> dict[str, Any]:
    """Return a query as it was understood."""
    return {"item": asked.position, "code": asked.code, "labels": asked.labels}
