"""Cards of methods: what tables say of them."""

from __future__ import annotations

from typing import NamedTuple


class Card(NamedTuple):
    """Description of a method for tables, a few words each.

    Attributes
    ----------
    hash_function : str
        The function from an item to its bits.
    cost : str
        Cost of fitting: n items, d features, m bits.
    use : str
        When to use it.
    distance : str
        The method's own distance between codes, if it is not the Hamming distance; else "".
    title : str
        Its name in tables and on pages; "" where the registered name in capitals will do.
    """

    hash_function: str
    cost: str
    use: str
    distance: str = ""
    title: str = ""
