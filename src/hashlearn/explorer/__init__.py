"""A local page to look at codes and their neighbours: `hashlearn explore`.

`collection` holds items and codes, `answers` computes what is asked about them, and `web` serves
the page; the last two need the extra 'explorer'.
"""

from hashlearn.explorer.collection.coded import CodedItems
from hashlearn.explorer.collection.collection import Collection
from hashlearn.explorer.collection.displays import Display, IdDisplay
from hashlearn.explorer.collection.labels import Labels
from hashlearn.explorer.collection.readers import Reader
from hashlearn.explorer.digits import digits_collection

__all__ = [
    "CodedItems",
    "Collection",
    "Display",
    "IdDisplay",
    "Labels",
    "Reader",
    "digits_collection",
]
