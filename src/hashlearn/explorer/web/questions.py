"""What requests may ask, and within which limits."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field
from pydantic.json_schema import SkipJsonSchema

from hashlearn.bits import MAX_BITS
from hashlearn.explorer.web.limits import MAX_K, MAX_LABELS, MAX_NUMBERS, MAX_VECTORS
from hashlearn.explorer.web.schemas import Layout

MAX_NAME = 500  # characters of a label or a method
MAX_POSITION = 2**53 - 1  # larger numbers are not exact in JavaScript

Name = Annotated[str, Field(max_length=MAX_NAME)]
Position = Annotated[int, Field(ge=0, le=MAX_POSITION)]
Bits = Annotated[int, Field(ge=1, le=MAX_BITS)]
Code = Annotated[str, Field(pattern="^[01]+$", max_length=MAX_BITS)]
NotGiven = SkipJsonSchema[None]  # a parameter may be left out, but never be null
Number = Annotated[float, Field(strict=True, allow_inf_nan=False)]


class Question(BaseModel):
    """Parameters of which none may be misspelt."""

    model_config = ConfigDict(extra="forbid")


class ItemsQuestion(Question):
    """Some of the items."""

    offset: Position = Field(default=0, description="How many to skip.")
    limit: int = Field(default=50, ge=1, le=MAX_K, description="How many at most.")
    label: Name | NotGiven = Field(default=None, description="Only items with this label.")


class RandomQuestion(Question):
    """One item at random."""

    label: Name | NotGiven = Field(default=None, description="Only items with this label.")


class ImageQuestion(Question):
    """The picture of an item."""

    v: Name | NotGiven = Field(default=None, description="The start of the server, for caches.")


class MethodQuestion(Question):
    """Whose codes, and how many bits of them."""

    method: Name = Field(description="The name of a loaded method.")
    bits: Bits | NotGiven = Field(default=None, description="The first so many bits; default: all.")


class CurveQuestion(MethodQuestion):
    """A query: an item, or a code."""

    item: Position | NotGiven = Field(default=None, description="An item's position.")
    code: Code | NotGiven = Field(
        default=None, description="Instead of an item: a code, all bits that the method has."
    )
    label: list[Name] = Field(
        default=[],
        max_length=MAX_LABELS,
        description="What is relevant, for a query without labels of its own.",
    )


class SearchQuestion(CurveQuestion):
    """The nearest items of a query."""

    k: int = Field(default=30, ge=1, le=MAX_K, description="How many.")


class RadiusQuestion(CurveQuestion):
    """The items within a radius of a query."""

    radius: int = Field(default=2, ge=0, le=MAX_BITS, description="The largest distance.")
    limit: int = Field(default=MAX_K, ge=0, le=MAX_K, description="How many are listed.")


class MapQuestion(MethodQuestion):
    """A picture of all codes."""

    layout: Layout = Field(
        default="pca", description="How codes are placed: principal components, or t-SNE."
    )


class EncodeQuestion(Question):
    """Vectors to encode."""

    method: Name = Field(description="The name of a loaded method.")
    vectors: Annotated[
        list[Annotated[list[Number], Field(min_length=1, max_length=MAX_NUMBERS)]],
        Field(
            min_length=1,
            max_length=MAX_VECTORS,
            description=f"Finite numbers, at most {MAX_NUMBERS:,} in all.",
        ),
    ]
