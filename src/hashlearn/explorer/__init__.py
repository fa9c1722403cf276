"""A local page to understand hashers by looking: `hashlearn explore`.

This room's own modules know items, codes and answers; `web` puts them on a page and needs the
extra 'explorer'.
"""

from hashlearn.explorer.collection.coded import CodedItems
from hashlearn.explorer.collection.collection import Collection, Display, IdDisplay, Reader
from hashlearn.explorer.collection.labels import Labels
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
