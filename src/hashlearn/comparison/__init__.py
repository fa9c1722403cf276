"""Which codes are small and good enough: methods and lengths, measured on a user's own items."""

from hashlearn.comparison.compare import check_request, compare, rows_that_fit
from hashlearn.comparison.comparison import FILE, Comparison, Settings
from hashlearn.comparison.recommendation import Recommendation, Source

__all__ = [
    "FILE",
    "Comparison",
    "Recommendation",
    "Settings",
    "Source",
    "check_request",
    "compare",
    "rows_that_fit",
]
