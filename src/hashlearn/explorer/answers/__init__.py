"""Answers about a collection: neighbours of a query, measures, and a map of all codes."""
