"""The experiments of the paper: results as data, tables and figures."""
