"""`hashlearn store index`: an index for approximate, quick searches."""

from __future__ import annotations

from hashlearn.cli._shared.options import (
    DEFAULT_TABLE,
    AddressArgument,
    ProgressOption,
    TableOption,
)

EXAMPLE = "hashlearn store index lancedb:digits.lance"


def index(
    address: AddressArgument,
    table: TableOption = DEFAULT_TABLE,
    progress: ProgressOption = None,
) -> None:
    """Build the index that `search --effort` uses, or build it again."""
    from hashlearn._progress import say
    from hashlearn.cli._shared.outputs import step_progress
    from hashlearn.cli._shared.stores import opened_store

    with opened_store(address, table) as store:
        with step_progress(progress) as bar:
            bar.add_task("Building the index", total=None)
            store.build_index()
        say(
            f"Built an index of {store.count():,} codes of {store.n_bits} bits, of table {table} "
            f"in {store.place}.",
            verbose=1,
        )
