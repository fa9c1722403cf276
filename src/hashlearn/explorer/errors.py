"""Errors of questions about a collection; any other error is a fault of the server."""

from __future__ import annotations


class NotThereError(LookupError):
    """There is no such item, method or label."""


class NoAnswerError(ValueError):
    """The question is valid, but this collection cannot answer it, without labels for example."""


class WrongValueError(ValueError):
    """A given value is not valid."""
