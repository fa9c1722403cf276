"""Results as data and as pictures."""
