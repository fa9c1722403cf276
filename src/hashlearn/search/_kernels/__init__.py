"""Compiled loops of search; they release the GIL and run one block or shard on one thread."""
