"""Questions asked before anybody does, so that nobody waits for compiled loops or first copies."""

from __future__ import annotations

from contextlib import suppress

from hashlearn.explorer.answers.code_map import code_map
from hashlearn.explorer.answers.neighbours import Query, query_curve, search, within_radius
from hashlearn.explorer.answers.overview import overview
from hashlearn.explorer.collection.collection import Collection
from hashlearn.explorer.errors import NoAnswerError


def warm_up(collection: Collection) -> None:
    """Ask every kind of question once under every method; t-SNE's map takes too long for that.

    Parameters
    ----------
    collection : Collection
        What is going to be asked about.
    """
    query = Query(position=0)
    for method in collection.methods:
        search(collection, method, query)
        within_radius(collection, method, query)
        code_map(collection, method)
        with suppress(NoAnswerError):  # labels need not be there
            query_curve(collection, method, query)
        with suppress(NoAnswerError):
            overview(collection, method)
