"""What requests may ask, and within which limits."""

from __future__ import annotations

import re
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, FailFast, Field
from pydantic.json_schema import SkipJsonSchema
from pydantic_core import PydanticCustomError

from hashlearn._numerics.checks import MAX_BITS
from hashlearn.explorer.web.limits import MAX_K, MAX_LABELS, MAX_NUMBER, MAX_NUMBERS, MAX_VECTORS
from hashlearn.explorer.web.schemas import Layout

MAX_NAME = 500  # characters of a label or a method
MAX_POSITION = 2**53 - 1  # larger numbers are not exact in JavaScript


def _check_digits(value: Any) -> Any:
    """Raise for what Python reads as a number and nobody writes, such as 1_0."""
    if isinstance(value, str) and not re.fullmatch("-?[0-9]+", value):
        raise PydanticCustomError("whole_number", "Input should be a whole number")
    return value


IN_DIGITS = BeforeValidator(_check_digits)
Name = Annotated[str, Field(max_length=MAX_NAME)]
Position = Annotated[int, Field(ge=0, le=MAX_POSITION), IN_DIGITS]
Bits = Annotated[int, Field(ge=1, le=MAX_BITS), IN_DIGITS]
Radius = Annotated[int, Field(ge=0, le=MAX_BITS), IN_DIGITS]
Some = Annotated[int, Field(ge=1, le=MAX_K), IN_DIGITS]
SomeOrNone = Annotated[int, Field(ge=0, le=MAX_K), IN_DIGITS]
Code = Annotated[str, Field(pattern="^[01]+$", max_length=MAX_BITS)]
NotGiven = SkipJsonSchema[None]  # a parameter may be left out, but never be null
Number = Annotated[float, Field(strict=True, allow_inf_nan=False, ge=-MAX_NUMBER, le=MAX_NUMBER)]


class Question(BaseModel):
    """Parameters of which none may be misspelt."""

    model_config = ConfigDict(extra="forbid")


class NoQuestion(Question):
    """No parameters at all."""


class ItemsQuestion(Question):
    """Some of the items."""

    offset: Position = Field(default=0, description="How many to skip.")
    limit: Some = Field(default=50, description="How many at most.")
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

    k: Some = Field(default=30, description="How many.")


class RadiusQuestion(CurveQuestion):
    """The items within a radius of a query."""

    radius: Radius = Field(default=2, description="The largest distance.")
    limit: SomeOrNone = Field(default=MAX_K, description="How many are listed.")


class MapQuestion(MethodQuestion):
    """A picture of all codes."""

    layout: Layout = Field(
        default="pca", description="How codes are placed: principal components, or t-SNE."
    )


class EncodeQuestion(BaseModel):
    """Vectors to encode."""

    # A large body can have many errors, and each takes memory: lists stop at the first, and other
    # parameters are looked at afterwards.
    model_config = ConfigDict(extra="allow", json_schema_extra={"additionalProperties": False})

    method: Name = Field(description="The name of a loaded method.")
    vectors: Annotated[
        list[Annotated[list[Number], Field(min_length=1, max_length=MAX_NUMBERS), FailFast()]],
        Field(
            min_length=1,
            max_length=MAX_VECTORS,
            description=f"Finite numbers, at most {MAX_NUMBERS:,} in all.",
        ),
        FailFast(),
    ]
