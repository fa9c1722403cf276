"""Mixed codes: bits from labels and bits from geometry, learned with unlabelled items, too."""
