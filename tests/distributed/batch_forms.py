"""Batches of every documented form, and the codes that they must get."""

import numpy as np
import pandas as pd
import pyarrow as pa

from hashlearn.methods import LSHHasher

N_ITEMS, N_FEATURES, N_BITS = 90, 6, 20
WIDTH = 3
NAMES = tuple("abcdef")
X = np.random.RandomState(0).randn(N_ITEMS, N_FEATURES).astype(np.float32)
IDS = np.arange(100, 100 + N_ITEMS)
HASHER = LSHHasher(N_BITS, center=True, random_state=0).fit(X)
CODES = HASHER.encode(X)


def as_objects(rows):
    """Return an array whose elements are the rows."""
    column = np.empty(len(rows), dtype=object)
    column[:] = list(rows)
    return column


def one_by_one(columns):
    return {"id": IDS, "text": np.full(N_ITEMS, "x"), **columns}


NAMED = one_by_one(dict(zip(NAMES, X.T, strict=True)))
VECTORS = one_by_one({"vector": as_objects(X)})
TENSOR = pa.FixedShapeTensorArray.from_numpy_ndarray(X.reshape(N_ITEMS, 2, 3))

# What Ray's batch formats and Spark's Arrow conversion make of vectors and of numbers.
VECTOR_BATCHES = {
    "numpy, 2-D": one_by_one({"vector": X}),
    "numpy, 3-D": one_by_one({"vector": X.reshape(N_ITEMS, 2, 3)}),
    "numpy, objects": VECTORS,
    "pandas, arrays": pd.DataFrame(VECTORS),
    "pandas, lists": pd.DataFrame({"vector": X.tolist(), "id": IDS}),
    "pandas, of Arrow": pa.table({"vector": list(X)}).to_pandas(types_mapper=pd.ArrowDtype),
    "pandas, other index": pd.DataFrame(VECTORS).set_index(IDS),
    "arrow, lists": pa.table({"id": IDS, "vector": pa.array(list(X))}),
    "arrow, large lists": pa.table({"v": pa.array(list(X), pa.large_list(pa.float32()))}),
    "arrow, fixed lists": pa.table({"v": pa.array(list(X), pa.list_(pa.float32(), N_FEATURES))}),
    "arrow, tensors": pa.table({"id": IDS, "vector": TENSOR}),
    "arrow, sliced": pa.table({"v": pa.array([[7.0] * 6, *X.tolist()])}).slice(1),
    "arrow, chunked": pa.table({"v": pa.chunked_array([list(X[:7]), list(X[7:])])}),
}
NUMBER_BATCHES = {
    "numpy": NAMED,
    "numpy, other order": dict(reversed(NAMED.items())),
    "pandas": pd.DataFrame(NAMED),
    "pandas, nullable": pd.DataFrame(NAMED).astype(dict.fromkeys(NAMES, "Float32")),
    "arrow": pa.table(NAMED),
}


def codes_of(batch, name="code"):
    """Return the codes of an encoded batch as an array, whatever its kind."""
    column = batch[name]
    if isinstance(column, np.ndarray):
        assert column.dtype == np.uint8
        return column
    rows = column.to_pylist() if isinstance(batch, pa.Table) else list(column)
    assert all(type(row) is bytes for row in rows)
    return np.frombuffer(b"".join(rows), dtype=np.uint8).reshape(-1, WIDTH)


def column_names(batch):
    return list(batch.column_names if isinstance(batch, pa.Table) else batch)


def rows_of(batch, rows):
    if isinstance(batch, pd.DataFrame):
        return batch.iloc[rows]
    if isinstance(batch, pa.Table):
        return batch.slice(rows.start, rows.stop - rows.start)
    return {name: column[rows] for name, column in batch.items()}
