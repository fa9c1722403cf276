"""Tables, figures and the report of the paper's experiments, from records of finished runs."""

from hashlearn.experiments.report.rendering import PARTS, Report, check_parts, render
from hashlearn.experiments.report.writing import write_report

__all__ = ["PARTS", "Report", "check_parts", "render", "write_report"]
