"""Which codes are small and good enough: methods and lengths, measured on a user's own items."""

from hashlearn.comparison.compare import compare
from hashlearn.comparison.comparison import Comparison
from hashlearn.comparison.recommendation import Recommendation, Source
from hashlearn.comparison.request import Request, read_request
from hashlearn.comparison.settings import Settings

__all__ = [
    "Comparison",
    "Recommendation",
    "Request",
    "Settings",
    "Source",
    "compare",
    "read_request",
]
