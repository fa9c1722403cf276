"""The questions of the API, a file for each kind."""
