"""The explorer over HTTP: the page, and a JSON API under /api; needs the extra 'explorer'."""
