"""The experiments of the paper: results as data, tables and figures."""

from hashlearn.experiments.pictures import plot_neighbours, plot_precision_recall

__all__ = ["plot_neighbours", "plot_precision_recall"]
