"""Which codes are small and good enough: methods and lengths, measured on a user's own items."""

from hashlearn.comparison.compare import compare
from hashlearn.comparison.comparison import Comparison
from hashlearn.comparison.recommendation import Recommendation, Source
from hashlearn.comparison.request import check_request, rows_that_fit
from hashlearn.comparison.settings import Settings

__all__ = [
    "Comparison",
    "Recommendation",
    "Settings",
    "Source",
    "check_request",
    "compare",
    "rows_that_fit",
]
