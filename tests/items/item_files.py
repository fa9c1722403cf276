"""The same items in every kind of file."""

import csv

import numpy as np
import pyarrow as pa
import pyarrow.parquet

KINDS = (".npy", ".npz", ".csv", ".tsv", ".parquet")
TABLES = (".csv", ".tsv", ".parquet")


def write(path, X, row_group_size=7, **others):
    """Write items, and columns beside them, as the path's suffix says."""
    if path.suffix == ".parquet":
        write_parquet(path, np.asarray(X), others, row_group_size)
    else:
        WRITERS[path.suffix](path, np.asarray(X), others)
    return path


def write_npy(path, X, others):
    np.save(path, X)


def write_npz(path, X, others):
    np.savez_compressed(path, X=X, **others)


def write_csv(path, X, others):
    with path.open("w", newline="") as file:
        table = csv.writer(file, delimiter="\t" if path.suffix == ".tsv" else ",")
        table.writerow([f"x{i}" for i in range(X.shape[1])] + list(others))
        for i, row in enumerate(X):
            table.writerow(
                [repr(v.item()) for v in row] + [values[i] for values in others.values()]
            )


def write_parquet(path, X, others, row_group_size):
    columns = {f"x{i}": column for i, column in enumerate(X.T)}
    pa.parquet.write_table(pa.table({**columns, **others}), path, row_group_size=row_group_size)


WRITERS = {".npy": write_npy, ".npz": write_npz, ".csv": write_csv, ".tsv": write_csv}


def read(source, **columns):
    """Return all items of a source as one block."""
    return source.join(list(source.blocks(**columns)), **columns)
