"""Parameters of requests, and their limits."""

from __future__ import annotations

import re
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, FailFast, Field
from pydantic.json_schema import SkipJsonSchema
from pydantic_core import PydanticCustomError

from hashlearn._numerics.checks import MAX_BITS
from hashlearn.explorer.answers.code_map import LayoutName

MAX_K = 200  # hits in one answer
MAX_UPLOAD_BYTES = 10_000_000
MAX_JSON_BYTES = 16_000_000
MAX_VECTORS = 1_000  # in one request
MAX_NUMBERS = 1_000_000  # in all vectors of one request
MAX_NUMBER = 1e15  # in magnitude: sums of squares stay within 32-bit floats
MAX_LABELS = 100  # of one query
MAX_NAME = 500  # characters of a label or a method
MAX_POSITION = 2**53 - 1  # larger numbers are not exact in JavaScript


def _check_digits(value: Any) -> Any:
    """Raise for numbers that only Python accepts, such as 1_0."""
    if isinstance(value, str) and not re.fullmatch("-?[0-9]+", value):
        raise PydanticCustomError("whole_number", "Input should be an integer")
    return value


IN_DIGITS = BeforeValidator(_check_digits)
Name = Annotated[str, Field(max_length=MAX_NAME)]
Position = Annotated[int, Field(ge=0, le=MAX_POSITION), IN_DIGITS]
Bits = Annotated[int, Field(ge=1, le=MAX_BITS), IN_DIGITS]
Radius = Annotated[int, Field(ge=0, le=MAX_BITS), IN_DIGITS]
Some = Annotated[int, Field(ge=1, le=MAX_K), IN_DIGITS]
SomeOrNone = Annotated[int, Field(ge=0, le=MAX_K), IN_DIGITS]
Code = Annotated[str, Field(pattern="^[01]+$", max_length=MAX_BITS)]
NotGiven = SkipJsonSchema[None]  # a parameter may be omitted, but not null
Number = Annotated[float, Field(strict=True, allow_inf_nan=False, ge=-MAX_NUMBER, le=MAX_NUMBER)]


class Question(BaseModel):
    """Parameters; unknown ones are refused."""

    model_config = ConfigDict(extra="forbid")


class NoQuestion(Question):
    """No parameters."""


class ItemsQuestion(Question):
    """Some of the items."""

    offset: Position = Field(default=0, description="Number of items to skip.")
    limit: Some = Field(default=50, description="Largest number of items.")
    label: Name | NotGiven = Field(default=None, description="Only items with this label.")


class RandomQuestion(Question):
    """One item at random."""

    label: Name | NotGiven = Field(default=None, description="Only items with this label.")


class ImageQuestion(Question):
    """The image of an item."""

    v: Name | NotGiven = Field(default=None, description="Version of the collection, for caches.")


class MethodQuestion(Question):
    """A method, and the number of bits to use."""

    method: Name = Field(description="The name of a loaded method.")
    bits: Bits | NotGiven = Field(
        default=None, description="Use the first bits only; default: all."
    )


class CurveQuestion(MethodQuestion):
    """A query: an item, or a code."""

    item: Position | NotGiven = Field(default=None, description="An item's position.")
    code: Code | NotGiven = Field(
        default=None, description="Instead of an item: a code with all bits of the method."
    )
    label: list[Name] = Field(
        default=[],
        max_length=MAX_LABELS,
        description="Relevant labels, for a query that has none of its own.",
    )


class SearchQuestion(CurveQuestion):
    """The nearest items of a query."""

    k: Some = Field(default=30, description="Number of items.")


class RadiusQuestion(CurveQuestion):
    """The items within a radius of a query."""

    radius: Radius = Field(default=2, description="The largest distance.")
    limit: SomeOrNone = Field(default=MAX_K, description="Number of items listed.")


class MapQuestion(MethodQuestion):
    """A map of all codes."""

    layout: LayoutName = Field(
        default="pca", description="How codes are placed: principal components, or t-SNE."
    )


class EncodeQuestion(BaseModel):
    """Vectors to encode."""

    # A large body can have many errors, and each takes memory: lists stop at the first, and unknown
    # parameters are checked afterwards.
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
