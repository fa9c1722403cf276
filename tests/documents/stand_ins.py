"""Stand-ins for Ray and Spark, which are not installed: what the documents call, and no more.

They cut a Parquet folder into batches of the formats that both document, call the function on each,
and write what it returns. That Ray and Spark do the same is not shown by them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

N_ROWS = 7  # of a batch: several batches, the last one shorter


class StandInTable:
    """A table of Ray or Spark, and the writer of Spark's."""

    def __init__(self, table: Any) -> None:
        self.table = table

    @classmethod
    def read_parquet(cls, folder: str) -> StandInTable:
        """Read a folder of Parquet files."""
        import pyarrow.parquet as pq

        return cls(pq.read_table(folder))

    def select_columns(self, names: list[str]) -> StandInTable:
        """Keep some columns."""
        return StandInTable(self.table.select(names))

    def select(self, *names: str) -> StandInTable:
        """Keep some columns."""
        return self.select_columns(list(names))

    def map_batches(
        self, function: Callable[[Any], Any], *, batch_format: str, batch_size: int
    ) -> StandInTable:
        """Call a function on batches, as Ray does with tables of pyarrow."""
        import pyarrow as pa

        assert batch_format == "pyarrow"
        assert batch_size > 0
        return StandInTable(pa.concat_tables(map(function, self._batches())))

    def mapInPandas(self, function: Callable[[Any], Any], schema: str) -> StandInTable:
        """Call a function on an iterator of frames, as Spark does, and check the columns."""
        import pandas as pd
        import pyarrow as pa

        frames = function(batch.to_pandas() for batch in self._batches())
        frame = pd.concat(frames, ignore_index=True)
        assert list(frame.columns) == [column.split()[0] for column in schema.split(", ")]
        return StandInTable(pa.Table.from_pandas(frame))

    def write_parquet(self, folder: str) -> None:
        """Write a folder of Parquet files."""
        import pyarrow.parquet as pq

        Path(folder).mkdir(exist_ok=True)
        pq.write_table(self.table, Path(folder) / "part-0.parquet")

    @property
    def write(self) -> SimpleNamespace:
        """What Spark writes with."""
        return SimpleNamespace(parquet=self.write_parquet)

    def _batches(self) -> Iterator[Any]:
        for start in range(0, self.table.num_rows, N_ROWS):
            yield self.table.slice(start, N_ROWS)


def stand_ins() -> dict[str, Any]:
    """Return the module `ray`, and the session `spark` that a Spark program has."""
    ray = ModuleType("ray")
    ray.__dict__["data"] = SimpleNamespace(read_parquet=StandInTable.read_parquet)
    spark = SimpleNamespace(read=SimpleNamespace(parquet=StandInTable.read_parquet))
    return {"ray": ray, "spark": spark}
