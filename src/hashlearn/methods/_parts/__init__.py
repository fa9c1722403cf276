"""Helpers of the methods in this room."""
