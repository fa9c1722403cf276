"""The options that several commands share, so that they mean and say the same everywhere."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from hashlearn._numerics.checks import MAX_BITS, Metric, check_option

DEFAULT_K = 10
MAX_SEED = 2**32 - 1  # the largest seed of numpy

InputArgument = Annotated[
    Path,
    typer.Argument(
        metavar="INPUT", help="Items, one per row: .npy, .npz, .csv, .parquet; - is standard input."
    ),
]
ModelArgument = Annotated[
    Path, typer.Argument(metavar="MODEL", help="A model file that `hashlearn fit` wrote.")
]
ModelOption = Annotated[
    Path | None,
    typer.Option(
        "--model", "-m", metavar="MODEL", help="A model file: the input is items to encode."
    ),
]
ArrayOption = Annotated[
    str | None,
    typer.Option("--array", metavar="NAME", help="Which array of an .npz file holds the items."),
]
FeaturesOption = Annotated[
    list[str] | None,
    typer.Option(
        "--features",
        metavar="COLUMNS",
        help="The columns that are features: names, a column of lists such as embedding, a range "
        "f0:f63, a pattern 'f*', or several with commas; default: all but the others.",
    ),
]
IgnoreOption = Annotated[
    list[str] | None,
    typer.Option(
        "--ignore", metavar="COLUMNS", help="Columns that are not features, such as id,text."
    ),
]
DelimiterOption = Annotated[
    str | None,
    typer.Option(
        "--delimiter", metavar="CHAR", help="Between the columns of a .csv file; default: found."
    ),
]
LabelsOption = Annotated[
    str | None,
    typer.Option(
        "--labels",
        metavar="COLUMN|FILE",
        help="Labels: a column, an array of the .npz, or a file with a label per item; "
        "a,b,c: 0/1 columns of several labels. Empty, null, NaN and -1 mean not labelled.",
    ),
]
UnlabelledOption = Annotated[
    str | None,
    typer.Option(
        "--unlabelled", metavar="VALUE", help="Another value of --labels that means not labelled."
    ),
]
SeedOption = Annotated[
    int, typer.Option("--seed", min=0, max=MAX_SEED, help="Seed of all that is random.")
]
ProgressOption = Annotated[
    bool | None,
    typer.Option("--progress/--no-progress", help="Show a progress bar; default: on a terminal."),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON, for machines.")]
SchedulerOption = Annotated[
    str | None,
    typer.Option(
        "--scheduler",
        metavar="ADDRESS",
        help="Work on the Dask cluster of this scheduler, such as tcp://host:8786 (extra: dask). "
        "Files are read on this machine and sent to the workers block by block.",
    ),
]


def given_options(options: Mapping[str, Any]) -> list[tuple[str, ...]]:
    """Return the words of each option that is given: True is a flag, and a list repeats one."""
    given: list[tuple[str, ...]] = []
    for name, value in options.items():
        if value is True:
            given.append((name,))
        elif value is not None and value is not False:
            values = value if isinstance(value, list) else [value]
            given += [(name, str(one)) for one in values]
    return given


# For `hashlearn index` and `hashlearn search`, and the same commands of stores.

CodesArgument = Annotated[
    Path,
    typer.Argument(
        metavar="INPUT",
        help="Items, with --model; or packed codes, .npy of uint8 or .parquet that `encode` wrote; "
        "- is standard input.",
    ),
]
BitsOption = Annotated[
    int | None,
    typer.Option(min=1, max=MAX_BITS, help="Bits per packed code; default: all bits of its bytes."),
]
IdsOption = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN|FILE",
        help="Ids: a column, an array of the .npz, or a file with an id per item; "
        "default: 0, 1, 2, ...",
    ),
]
KOption = Annotated[
    int | None,
    typer.Option("-k", min=1, help=f"Neighbours per query; {DEFAULT_K} unless given."),
]
RadiusOption = Annotated[
    int | None,
    typer.Option(min=0, help="Find all items within this distance, instead of k."),
]

QueriesArgument = Annotated[
    Path,
    typer.Argument(
        metavar="QUERIES",
        help="Items, with --model; or packed codes, a .npy file of uint8; - is standard input.",
    ),
]
QueryIdsOption = Annotated[
    str | None,
    typer.Option(
        "--query-ids",
        metavar="COLUMN|FILE",
        help="The ids of the queries, to print in place of their positions; default: the column of "
        "--ids, if the queries have it.",
    ),
]
ShowOption = Annotated[
    str | None,
    typer.Option("--show", metavar="COLUMNS", help="Columns to print beside ids: text,intent."),
]
WhereOption = Annotated[
    list[str] | None,
    typer.Option(
        "--where",
        metavar="COLUMN=VALUE",
        help="Only items with these values of a column (or id): digit=3, digit=3,5, digit!=3 or "
        "year=2020..2024, of which a side may be left out; repeat it for more columns. Quote "
        "texts with commas or dots: 'name=\"Lee, Ann\"'.",
    ),
]
AsymmetricOption = Annotated[
    bool | None,
    typer.Option(
        "--asymmetric/--no-asymmetric",
        help="Do not round queries to bits: their margins are compared with the codes; default: "
        "if the model's codes are made for it.",
    ),
]
RescoreOption = Annotated[
    str | None,
    typer.Option(
        "--rescore",
        metavar="margins|vectors|FILE|none",
        help="Order k times --oversample candidates again: by the model's margins, or by the "
        "distance to the vectors of --items or of another file. Only vectors can order "
        "items with equal codes. Default in a store: margins if the model's codes are made for "
        "them, otherwise none.",
    ),
]
RescoreMetricOption = Annotated[
    str | None,
    typer.Option(
        "--metric",
        metavar="euclidean|cosine|inner_product",
        help="What makes the vectors of --rescore near; euclidean unless given.",
    ),
]
DEFAULT_OVERSAMPLE = 10
OversampleOption = Annotated[
    float | None,
    typer.Option(
        "--oversample",
        min=1,
        help=f"Candidates per neighbour of --rescore; {DEFAULT_OVERSAMPLE} unless given.",
    ),
]
SearchJsonOption = Annotated[
    bool,
    typer.Option(
        "--json",
        help="Print a line per query: its id or position, ids, distances (scores with --rescore), "
        "and what --show names.",
    ),
]


def check_search_options(
    k: int | None,
    radius: float | None,
    rescore: str | None,
    oversample: float | None,
    metric: str | None,
    model: Path | None,
) -> None:
    """Raise if options of a search do not go together."""
    if radius is not None and k is not None:
        raise ValueError("-k and --radius exclude each other: give one of them.")
    if radius is not None and rescore is not None:
        raise ValueError("--rescore goes with -k, not with --radius.")
    if oversample is not None and rescore is None:
        raise ValueError("--oversample goes with --rescore: give both or neither.")
    if metric is not None:
        check_option("--metric", metric, Metric)
        if rescore in (None, "margins", "none"):
            raise ValueError("--metric goes with --rescore vectors, or a file of vectors.")
    if rescore is not None and model is None:
        raise ValueError("--rescore needs --model and queries that are items, not codes.")


def check_hamming_radius(radius: float) -> int:
    """Return a Hamming distance; raise if it is not an integer of at least 0."""
    if not (0 <= radius < math.inf and radius == round(radius)):
        raise ValueError(
            f"--radius must be an integer of at least 0, as Hamming distances are; got {radius:g}."
        )
    return round(radius)


# For stores. An address may hold a password: it is a text, not a path, and is never printed.

ADDRESSES = "lancedb:FOLDER, sqlite:FILE or postgresql://..."
STORE_VARIABLE = "HASHLEARN_STORE"
AddressArgument = Annotated[
    str,
    typer.Argument(
        metavar="ADDRESS", envvar=STORE_VARIABLE, help=f"Where the database is: {ADDRESSES}"
    ),
]
ToOption = Annotated[
    str,
    typer.Option(
        "--to",
        metavar="ADDRESS",
        envvar=STORE_VARIABLE,
        help=f"Where the database is: {ADDRESSES}",
    ),
]
TableOption = Annotated[str, typer.Option("--table", metavar="NAME", help="The table.")]
DEFAULT_TABLE = "items"
