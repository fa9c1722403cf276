"""Readers of the files of data sets."""
