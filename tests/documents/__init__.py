"""What follows the documents, as a reader would, and what it leaves out."""
