"""`hashlearn search`: the nearest items of an index, as a table or as JSON lines."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hashlearn.cli._shared.options import (
    DEFAULT_OVERSAMPLE,
    ArrayOption,
    AsymmetricOption,
    DelimiterOption,
    FeaturesOption,
    IgnoreOption,
    KOption,
    ModelOption,
    OversampleOption,
    ProgressOption,
    QueriesArgument,
    QueryIdsOption,
    RescoreMetricOption,
    RescoreOption,
    SearchJsonOption,
    ShowOption,
    WhereOption,
    check_hamming_radius,
    check_search_options,
)

EXAMPLE = "hashlearn search digits.index queries.csv --model digits.hashlearn -k 5"


def search(
    index: Annotated[
        Path, typer.Argument(metavar="INDEX", help="An index file that `hashlearn index` wrote.")
    ],
    queries: QueriesArgument,
    model: ModelOption = None,
    k: KOption = None,
    radius: Annotated[
        float | None,
        typer.Option(
            metavar="N",
            help="Find all items within this distance, instead of k: bits, or with --asymmetric "
            "any number.",
        ),
    ] = None,
    asymmetric: AsymmetricOption = None,
    items: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="The file that was indexed, for --show, --where and --rescore vectors.",
        ),
    ] = None,
    ids: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN|FILE", help="The ids in --items, as they were given to `index`."
        ),
    ] = None,
    show: ShowOption = None,
    where: WhereOption = None,
    among: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Search among these ids only; or a boolean for every item."
        ),
    ] = None,
    rescore: RescoreOption = None,
    oversample: OversampleOption = None,
    metric: RescoreMetricOption = None,
    query_ids: QueryIdsOption = None,
    as_json: SearchJsonOption = False,
    array: ArrayOption = None,
    features: FeaturesOption = None,
    ignore: IgnoreOption = None,
    delimiter: DelimiterOption = None,
    progress: ProgressOption = None,
) -> None:
    """Find the nearest items of every query, exactly."""
    from hashlearn.cli._shared.codes import (
        check_model,
        is_asymmetric,
        load_hasher,
        load_index,
        open_queries,
    )
    from hashlearn.cli._shared.hits import print_hits
    from hashlearn.cli._shared.items import ItemFile, rescoring_of
    from hashlearn.cli._shared.reading import Reading
    from hashlearn.cli._shared.stores import check_no_store
    from hashlearn.cli.search._finder import Finder, read_allowed, warn_of_ties

    check_search_options(k, radius, rescore, oversample, metric, model)
    _check_together(radius, among, where, show, items)
    check_no_store(index, "INDEX", "hashlearn store search")
    reading = Reading(array, features, ignore, delimiter)
    database = load_index(index)
    hasher = None if model is None else load_hasher(model)
    check_model(f"'{index}'", database.model, hasher)
    in_floats = hasher if is_asymmetric(asymmetric, hasher) else None
    warn_of_ties(database, rescore)
    file = None if items is None else ItemFile(items, ids, reading)
    finder = Finder(
        database,
        k=k,
        radius=radius if in_floats or radius is None else check_hamming_radius(radius),
        asymmetric=in_floats,
        allowed=read_allowed(among, file.fulfilling(where) if file and where else None),
        rescoring=rescoring_of(rescore, hasher, file, ids, reading, metric),
        oversample=oversample or DEFAULT_OVERSAMPLE,
        shown=file.shown(show) if file and show else None,
    )
    codes = open_queries(queries, reading, hasher, database.n_bits, query_ids, ids)
    print_hits(finder, codes, as_json, progress)


def _check_together(
    radius: float | None,
    among: Path | None,
    where: list[str] | None,
    show: str | None,
    items: Path | None,
) -> None:
    """Raise if options do not go together."""
    if radius is not None and (among is not None or where):
        raise ValueError("--among and --where go with -k, not with --radius.")
    if items is None and (show is not None or where):
        raise ValueError("--show and --where need --items: the file that was indexed.")
