"""Whole codes of many classes: moves and bounds."""
