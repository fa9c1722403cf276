"""What methods share, and what some of them need inside; private to this room."""
