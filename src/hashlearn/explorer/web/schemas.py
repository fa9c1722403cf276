"""What answers look like: the models that the OpenAPI description is made of."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, Field

Kind = Literal["image", "text", "id"]
Layout = Literal["pca", "tsne"]
Share = Annotated[float, Field(ge=0, le=1)]
Count = Annotated[int, Field(ge=0)]
Position = Annotated[int, Field(ge=0, description="Where the item stands in the collection.")]
Code = Annotated[str, Field(pattern="^[01]+$", description="Bits, the first one first.")]
Place = Annotated[float, Field(ge=-1, le=1)]


class Problem(BaseModel):
    """What was wrong with a request."""

    detail: str = Field(description="One sentence.")


class LabelNames(BaseModel):
    """The labels of a collection."""

    names: list[str] = Field(description="Distinct labels, sorted.")
    several: bool = Field(description="Whether some item has more than one.")


class Method(BaseModel):
    """A method whose codes are loaded."""

    name: str
    title: str
    n_bits: int = Field(ge=1)
    encodes: bool = Field(description="Whether a model is there to encode new items.")


class Upload(BaseModel):
    """That pictures can be queries."""

    hint: str = Field(description="Which pictures are taken, and what is made of them.")


class Limits(BaseModel):
    """The most that one request may ask for."""

    k: int
    upload_bytes: int


class CurveQueries(BaseModel):
    """The queries of the whole-set measures."""

    n: int = Field(ge=1)
    held_out: bool = Field(description="Whether nothing was learned from them.")


class CollectionAnswer(BaseModel):
    """What is loaded."""

    name: str
    n_items: int = Field(ge=1)
    kind: Kind = Field(description="What items are shown as.")
    labels: LabelNames | None
    methods: list[Method] = Field(min_length=1)
    upload: Upload | None = Field(description="null if pictures are not taken.")
    limits: Limits
    curve_queries: CurveQueries | None = Field(description="null without labels.")


class Item(BaseModel):
    """An item as it is shown."""

    position: Position
    id: str = Field(description="The id, a whole number of 64 bits.", pattern="^-?[0-9]+$")
    labels: list[str] | None
    text: str | None
    image: str | None = Field(description="Where its picture is.")


class CodedItem(Item):
    """An item with its codes."""

    codes: dict[str, Code] = Field(description="By the name of the method.")


class ItemList(BaseModel):
    """Some of the items."""

    total: Count
    items: list[Item]


class AskedQuery(BaseModel):
    """A query as it was understood."""

    item: int | None
    code: Code
    labels: list[str] | None = Field(description="What hits are judged by.")


class HitAnswer(BaseModel):
    """An item that was found."""

    item: Item
    distance: Count
    code: Code
    relevant: bool | None = Field(description="null if the query has no label.")


class TieAnswer(BaseModel):
    """Items at one distance."""

    distance: Count
    shown: int = Field(ge=1)
    total: int = Field(ge=1)


class PrecisionAnswer(BaseModel):
    """The share of relevant items: as shown, and the mean over all orders of ties."""

    shown: Share
    expected: Share


class SearchAnswer(BaseModel):
    """The nearest items of a query."""

    method: str
    bits: int = Field(ge=1)
    k: int = Field(ge=1)
    query: AskedQuery
    hits: list[HitAnswer]
    ties: list[TieAnswer]
    precision: PrecisionAnswer | None


class RadiusAnswer(BaseModel):
    """The items within a radius of a query."""

    method: str
    bits: int = Field(ge=1)
    radius: Count
    query: AskedQuery
    count: Count = Field(description="How many there are; the hits are the first of them.")
    precision: Share | None
    recall: Share | None
    hits: list[HitAnswer]


class CurveAnswer(BaseModel):
    """Precision and recall within every radius of a query."""

    method: str
    bits: int = Field(ge=1)
    query: AskedQuery
    radii: list[Count]
    counts: list[Count]
    precision: list[Share | None] = Field(description="null where nothing is within.")
    recall: list[Share]
    average_precision: Share = Field(
        description="Of the whole ranking: the sum of the precisions at the relevant items, "
        "divided by the number of all relevant items."
    )


class WholeCurve(BaseModel):
    """Mean precision and recall within radius 0, 1, ..., bits."""

    precision: list[Share]
    recall: list[Share]


class PrecisionAt(BaseModel):
    """Mean precision of the first k items."""

    k: list[int]
    precision: list[Share]


class MetricsAnswer(BaseModel):
    """Measures over many queries."""

    method: str
    bits: int = Field(ge=1)
    n_queries: int = Field(ge=1)
    held_out: bool
    curve: WholeCurve
    pr_area: float
    mean_average_precision: float = Field(
        description="Of the first `map_cutoff` items: the sum of the precisions at the relevant "
        "items among them, divided by the number of these, not of all relevant items."
    )
    map_cutoff: int = Field(description="1,000, or all other items if there are fewer.")
    precision_at: PrecisionAt
    ties: Literal["expected"]


class MapAnswer(BaseModel):
    """Distinct codes on a plane; one entry of each list per code, the most frequent first."""

    method: str
    bits: int = Field(ge=1)
    layout: Layout
    n_items: Count
    n_distinct: Count
    n_covered: Count = Field(description="Items whose codes are in the lists.")
    x: list[Place]
    y: list[Place]
    count: list[int]
    label: list[int] = Field(description="Place in the labels' names; -1: none.")
    purity: list[Share | None] = Field(description="Share of the items that have that label.")
    item: list[Position] = Field(description="One item with the code.")
    code: list[Code]


class EncodeAnswer(BaseModel):
    """Codes of vectors."""

    method: str
    bits: int = Field(ge=1)
    codes: list[Code]


class EncodeImageAnswer(BaseModel):
    """Codes of a picture by all methods with a model."""

    codes: dict[str, Code]
    seen: str = Field(description="What the models see: a PNG file as a data address.")
