"""What a question about a collection can fail with; any other error is a fault of the server."""

from __future__ import annotations


class NotThereError(LookupError):
    """There is no such item, method or label."""


class NoAnswerError(ValueError):
    """The question makes sense, but not for what is known here: no labels, for instance."""


class WrongValueError(ValueError):
    """A value that somebody gave is not taken."""
