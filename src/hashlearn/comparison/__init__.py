"""Which codes are small and good enough: methods and lengths, measured on a user's own items."""

from hashlearn.comparison.compare import compare
from hashlearn.comparison.comparison import Comparison, Settings
from hashlearn.comparison.recommendation import Recommendation, Source

__all__ = ["Comparison", "Recommendation", "Settings", "Source", "compare"]
