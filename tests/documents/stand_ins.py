"""Stand-ins for packages that are not installed: only what the documents call.

Those for Ray and Spark cut a Parquet folder into batches of the formats that both document, call
the function on each, and write what it returns. The one for sentence-transformers returns floats
that mean nothing. That the packages themselves do the same is not shown by them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

DIMENSIONS = 384  # of an embedding
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

    def select(self, *names: str) -> StandInTable:
        """Keep some columns."""
        return StandInTable(self.table.select(names))

    def map_batches(
        self,
        worker: Callable[..., Any],
        *,
        fn_constructor_args: list[Any],
        concurrency: int,
        batch_size: int,
    ) -> StandInTable:
        """Make one worker and call it on dicts of arrays, as Ray does."""
        import pyarrow as pa

        assert concurrency > 0
        assert batch_size > 0
        work = worker(*fn_constructor_args)
        arrays = (
            {name: batch[name].to_numpy() for name in batch.column_names}
            for batch in self._batches()
        )
        return StandInTable(pa.concat_tables(pa.table(work(batch)) for batch in arrays))

    def mapInPandas(self, function: Callable[[Any], Any], schema: str) -> StandInTable:
        """Call a function on an iterator of frames, as Spark does, and check the columns."""
        import pandas as pd
        import pyarrow as pa

        frames = function(batch.to_pandas() for batch in self._batches())
        frame = pd.concat(frames, ignore_index=True)
        assert list(frame.columns) == [column.split()[0] for column in schema.split(", ")]
        return StandInTable(pa.Table.from_pandas(frame))

    def mapInArrow(self, function: Callable[[Any], Any], schema: str) -> StandInTable:
        """Call a function on an iterator of record batches, as Spark does."""
        import pyarrow as pa

        given = (one for table in self._batches() for one in table.to_batches())
        table = pa.Table.from_batches(function(given))
        assert table.column_names == [column.split()[0] for column in schema.split(", ")]
        return StandInTable(table)

    def write_parquet(self, folder: str) -> None:
        """Write a folder of Parquet files; what was there must be the same rows."""
        import pyarrow.parquet as pq

        file = Path(folder) / "part-0.parquet"
        if file.exists():
            assert pq.read_table(file).to_pydict() == self.table.to_pydict()
        file.parent.mkdir(exist_ok=True)
        pq.write_table(self.table, file)

    @property
    def write(self) -> SimpleNamespace:
        """The writer of Spark."""
        writer = SimpleNamespace(parquet=self.write_parquet)
        return SimpleNamespace(mode=lambda mode: writer)

    def _batches(self) -> Iterator[Any]:
        for start in range(0, self.table.num_rows, N_ROWS):
            yield self.table.slice(start, N_ROWS)


def stand_ins(document: str) -> dict[str, ModuleType]:
    """Return modules with what a document imports and the tests do not install."""
    make = {"ray-and-spark.md": _ray_and_spark, "embeddings.md": _sentence_transformers}
    return make[document]() if document in make else {}


def _ray_and_spark() -> dict[str, ModuleType]:
    ray, pyspark, sql = (ModuleType(name) for name in ("ray", "pyspark", "pyspark.sql"))
    ray.__dict__["data"] = SimpleNamespace(read_parquet=StandInTable.read_parquet)
    session = SimpleNamespace(read=SimpleNamespace(parquet=StandInTable.read_parquet))
    builder = SimpleNamespace(getOrCreate=lambda: session)
    sql.__dict__["SparkSession"] = SimpleNamespace(builder=builder)
    return {"ray": ray, "pyspark": pyspark, "pyspark.sql": sql}


def _sentence_transformers() -> dict[str, ModuleType]:
    import numpy as np

    def encode(texts: list[str]) -> np.ndarray:
        rows = np.random.default_rng(0).normal(size=(len(texts), DIMENSIONS))
        return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)

    def quantize_embeddings(embeddings: np.ndarray, *, precision: str) -> np.ndarray:
        assert precision == "ubinary"
        return np.packbits(embeddings > 0, axis=1)

    name = "sentence_transformers"
    package, quantization = ModuleType(name), ModuleType(f"{name}.quantization")
    package.__dict__["SentenceTransformer"] = lambda name: SimpleNamespace(encode=encode)
    quantization.__dict__["quantize_embeddings"] = quantize_embeddings
    return {name: package, f"{name}.quantization": quantization}
