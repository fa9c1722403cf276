"""Items that can be looked at, their labels, and their codes by each method."""
