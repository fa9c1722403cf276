"""Recipes for engines without an adapter: what to send to them, and how to read what they answer.

No client is imported. The functions take packed codes and return what an engine's own client or
HTTP interface takes; those of `duckdb` use a connection that is handed in.
"""

from hashlearn.stores.recipes import duckdb, elasticsearch, milvus, opensearch
from hashlearn.stores.recipes.items import make_layout

__all__ = ["duckdb", "elasticsearch", "make_layout", "milvus", "opensearch"]
