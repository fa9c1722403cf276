"""`hashlearn store search`: the nearest items of a store, as a table or as JSON lines."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from hashlearn.cli._shared.options import (
    DEFAULT_OVERSAMPLE,
    DEFAULT_TABLE,
    STORE_VARIABLE,
    AddressArgument,
    ArrayOption,
    DelimiterOption,
    FeaturesOption,
    IgnoreOption,
    KOption,
    ModelOption,
    OversampleOption,
    ProgressOption,
    QueryIdsOption,
    RadiusOption,
    RescoreMetricOption,
    RescoreOption,
    SearchJsonOption,
    ShowOption,
    TableOption,
    WhereOption,
    check_search_options,
)

EXAMPLE = (
    "hashlearn store search lancedb:digits.lance queries.csv --model digits.hashlearn -k 5 "
    "--where digit=3,5"
)


def search(
    address: AddressArgument,
    queries: Annotated[
        Path | None,
        typer.Argument(
            metavar="QUERIES",
            help="Packed codes, a .npy file of uint8; or items, with --model.",
        ),
    ] = None,
    table: TableOption = DEFAULT_TABLE,
    model: ModelOption = None,
    k: KOption = None,
    radius: RadiusOption = None,
    show: ShowOption = None,
    where: WhereOption = None,
    items: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The file that was pushed, for --rescore vectors."),
    ] = None,
    ids: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN|FILE", help="The ids in --items, as they were given to `push`."
        ),
    ] = None,
    rescore: RescoreOption = None,
    oversample: OversampleOption = None,
    metric: RescoreMetricOption = None,
    effort: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Use the index, and look at this much of it: more finds more of the true "
            "neighbours and takes longer. Unless given, the search is exact.",
        ),
    ] = None,
    query_ids: QueryIdsOption = None,
    as_json: SearchJsonOption = False,
    array: ArrayOption = None,
    features: FeaturesOption = None,
    ignore: IgnoreOption = None,
    delimiter: DelimiterOption = None,
    progress: ProgressOption = None,
) -> None:
    """Find the nearest items of every query in a store, exactly unless --effort is given."""
    from hashlearn.cli._shared.codes import check_model, load_hasher, open_queries
    from hashlearn.cli._shared.hits import print_hits
    from hashlearn.cli._shared.items import MARGINS, NONE, ItemFile, rescoring_of
    from hashlearn.cli._shared.reading import Reading
    from hashlearn.cli._shared.stores import opened_store
    from hashlearn.cli._shared.where import read_where
    from hashlearn.cli.store._searching import StoreFinder, known_columns

    check_search_options(k, radius, rescore, oversample, metric, model)
    if radius is not None and effort is not None:
        raise ValueError("--effort needs -k: a search by --radius is exact.")
    address, queries = _address_and_queries(address, queries)
    hasher = None if model is None else load_hasher(model)
    if rescore is None and radius is None and hasher is not None and hasher.asymmetric:
        rescore = MARGINS  # the engine compares bits, for which the codes are not made
    reading = Reading(array, features, ignore, delimiter)
    file = None if items is None else ItemFile(items, ids, reading)
    with opened_store(address, table) as store:
        check_model(str(store), store.model, hasher)
        codes = open_queries(queries, reading, hasher, store.n_bits, query_ids, ids)
        finder = StoreFinder(
            store,
            k=k,
            radius=radius,
            where=read_where(where or (), known_columns(store)),
            effort=effort,
            show=show,
            query_hasher=hasher if rescore not in (None, NONE) else None,
            rescoring=rescoring_of(
                None if rescore == MARGINS else rescore, hasher, file, ids, reading, metric
            ),
            oversample=oversample or DEFAULT_OVERSAMPLE,
        )
        print_hits(finder, codes, as_json, progress)


def _address_and_queries(address: str, queries: Path | None) -> tuple[str, Path]:
    """Return both arguments; if only one is given, the address is the environment's."""
    if queries is not None:
        return address, queries
    known = os.environ.get(STORE_VARIABLE)
    if not known or address == known:  # no argument was given: it is the variable's
        raise ValueError(
            f"QUERIES is missing: give ADDRESS and QUERIES, or QUERIES and {STORE_VARIABLE} in the "
            "environment."
        )
    return known, Path(address)
