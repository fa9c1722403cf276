"""Tables, figures and the report of the paper's experiments, from records of finished runs."""

from hashlearn.experiments.report.report import PARTS, Report, check_parts, render, write_report

__all__ = ["PARTS", "Report", "check_parts", "render", "write_report"]
