"""Measures of rankings by packed codes, by counting.

Every measure is a function of `(query_codes, database_codes, relevance)` and states its tie rule.
Measures per query return an array, with NaN where a query has nothing relevant; the others return
means. `distance` ranks by a distance other than Hamming's, and queries that are not rounded to bits
(`hasher.encode_queries`) rank by their own. `VectorQueries` rank vectors: what codes stand for.
"""

from hashlearn.metrics.at_k import precision_at_k, precision_curve, recall_at_k
from hashlearn.metrics.average import average_precision, mean_average_precision
from hashlearn.metrics.counting import count_rankings
from hashlearn.metrics.counts import RankingCounts
from hashlearn.metrics.curve import PrecisionRecallCurve, pr_area, precision_recall_curve
from hashlearn.metrics.evaluation import Evaluation, evaluate
from hashlearn.metrics.graded import ndcg
from hashlearn.metrics.radius import RadiusPrecision, precision_within_radius
from hashlearn.metrics.relevance import Relevance, as_relevance, relevance_from_labels
from hashlearn.metrics.vectors import VectorQueries

__all__ = [
    "Evaluation",
    "PrecisionRecallCurve",
    "RadiusPrecision",
    "RankingCounts",
    "Relevance",
    "VectorQueries",
    "as_relevance",
    "average_precision",
    "count_rankings",
    "evaluate",
    "mean_average_precision",
    "ndcg",
    "pr_area",
    "precision_at_k",
    "precision_curve",
    "precision_recall_curve",
    "precision_within_radius",
    "recall_at_k",
    "relevance_from_labels",
]
