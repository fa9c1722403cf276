"""Encoding in other systems' workers: a function of one batch, for Ray, Spark and the like.

The function carries the path of a model and nothing else. Each process loads the model when its
first batch comes, and keeps it. Neither Ray nor Spark is imported: they hand in tables that
`batch_tables.py` knows.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from hashlearn._numerics.columns import listing
from hashlearn.base import BaseHasher
from hashlearn.distributed.batch_tables import Table, as_table
from hashlearn.distributed.models import load_hasher

KEPT_MODELS = 4  # per process; a job uses one, and a notebook's worker perhaps some more


def encode_batch(
    model_path: str | os.PathLike[str],
    *,
    columns: str | Sequence[str] | None = None,
    output: str = "code",
) -> BatchEncoder:
    """Return a function from a batch of items to the batch with its packed codes.

    It can be pickled, also without cloudpickle, and it is pure: a row's code depends on the row
    and the model alone, not on the process or on how the rows were cut into batches.

    Parameters
    ----------
    model_path : str or path-like
        A model file that every worker can read under this path. It is opened where the first
        batch is encoded, not here; a file that changes is loaded anew.
    columns : str or sequence of str, optional
        The columns of features, in the model's order: of numbers, or of vectors, which are
        features one after the other. By default those that the model was fitted on, if it knows
        their names; else the one column of vectors; else all columns of numbers, if there are
        as many as the model takes.
    output : str
        The name of the column of codes.

    Returns
    -------
    encode : BatchEncoder
        Of a dict of arrays it makes a dict with the codes as a 2-D `uint8` array; of a pandas
        DataFrame or a pyarrow Table the same with one `bytes` per row; of a 2-D array the codes;
        and of an iterator, as Spark's `mapInPandas` hands it in, an iterator of tables without
        the columns of features, because Spark's schema has to name every column that comes back.

    Examples
    --------
    >>> import tempfile
    >>> from hashlearn import make_hasher
    >>> X = np.random.default_rng(0).normal(size=(50, 3)).astype(np.float32)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     make_hasher("lsh", n_bits=12, random_state=0).fit(X).save(f"{folder}/model")
    ...     encode = encode_batch(f"{folder}/model")
    ...     batch = encode({"id": np.arange(50), "vector": X})
    >>> list(batch), batch["code"].shape, batch["code"].dtype
    (['id', 'vector', 'code'], (50, 2), dtype('uint8'))
    """
    if not isinstance(output, str):
        raise TypeError(f"output={output!r} is not taken: it takes a name, as a string.")
    return BatchEncoder(os.fspath(model_path), _as_names(columns), output)


@dataclass(frozen=True)
class BatchEncoder:
    """What :func:`encode_batch` returns.

    Attributes
    ----------
    model_path : str
        The model file.
    columns : tuple of str or None
        The columns of features, if they were named.
    output : str
        The column of codes.

    Examples
    --------
    >>> encode_batch("cats.hashlearn", columns="vector")
    BatchEncoder(model_path='cats.hashlearn', columns=('vector',), output='code')
    """

    model_path: str
    columns: tuple[str, ...] | None
    output: str

    def __call__(self, batch: Any) -> Any:
        """Encode a batch, or lazily each of an iterator.

        Parameters
        ----------
        batch : dict of ndarray, DataFrame, Table, ndarray of shape (n, n_features) or iterator
            The items.

        Returns
        -------
        encoded : of the batch's kind
            With the column of codes; of a plain array the packed codes alone.
        """
        if isinstance(batch, np.ndarray):
            return _encode_array(_current(self.model_path), batch)
        if isinstance(batch, Iterator):
            return self._encode_each(batch)
        model, table = _current(self.model_path), as_table(batch)
        features = self._features(table, model)
        packed = _encode(model, table.features(features or ()))
        return table.extended(self._new_name(table.names), packed)

    def _encode_each(self, batches: Iterable[Any]) -> Iterator[Any]:
        """Yield the batches with codes in place of features."""
        model = _current(self.model_path)
        for batch in batches:
            table = as_table(batch)
            features = self._features(table, model)
            if features is None:
                continue  # nothing to encode, and nothing says which columns to leave out
            packed = _encode(model, table.features(features))
            rest = as_table(table.without(features))
            yield rest.extended(self._new_name(rest.names), packed)

    def _features(self, table: Table, model: Model) -> tuple[str, ...] | None:
        """Return the columns of features; None: without rows no column shows what it holds."""
        named = self.columns or model.names
        if named is not None:
            missing = [name for name in named if name not in table.names]
            if missing:
                raise ValueError(
                    f"the batch has no column {listing(missing)}; it has {listing(table.names)}."
                )
            return named
        return _guess_features(table, model.hasher.n_features_in_) if table.n_rows else None

    def _new_name(self, names: Sequence[str]) -> str:
        if self.output in names:
            raise ValueError(
                f"output={self.output!r} is a column of the batch already; name another."
            )
        return self.output


class Model(NamedTuple):
    """A hasher that takes plain arrays, and the names of its features if it has them."""

    hasher: BaseHasher
    names: tuple[str, ...] | None


def _current(path: str) -> Model:
    """Return the model that a file holds now, loaded at most once per process."""
    status = os.stat(path)
    return _load(path, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=KEPT_MODELS)
def _load(path: str, modified: int, size: int) -> Model:
    """Load a model; time and size tell versions of a file apart."""
    hasher = load_hasher(path)
    # Columns are found by name here, and scikit-learn would warn of arrays without names.
    names = hasher.__dict__.pop("feature_names_in_", None)
    return Model(hasher, None if names is None else tuple(names))


def _as_names(columns: str | Sequence[str] | None) -> tuple[str, ...] | None:
    """Return names of columns as a tuple."""
    if columns is None:
        return None
    if isinstance(columns, str):
        return (columns,)
    if not isinstance(columns, Iterable):
        raise TypeError(f"columns={columns!r} is not taken: it takes a name, or several, or None.")
    names = tuple(columns)
    if not names:
        raise ValueError("columns is empty; it takes the names of at least one column, or None.")
    return names


def _encode_array(model: Model, X: np.ndarray) -> np.ndarray:
    """Encode a plain array; also one without rows shows by its shape whether it fits."""
    n_features = model.hasher.n_features_in_
    if X.shape[1:] != (n_features,):
        raise ValueError(f"the batch has shape {X.shape}: the model takes (n, {n_features}).")
    return _encode(model, X)


def _encode(model: Model, X: np.ndarray) -> np.ndarray:
    """Return the packed codes of any number of rows, also of none."""
    if not len(X):
        return np.empty((0, -(-model.hasher.n_bits // 8)), dtype=np.uint8)
    return model.hasher.encode(X)


def _guess_features(table: Table, n_features: int) -> tuple[str, ...]:
    """Return the one column of vectors, else all numbers if they are as many as the model's."""
    vectors = tuple(name for name in table.names if table.holds_vectors(name))
    if len(vectors) > 1:
        raise ValueError(
            f"the batch has several columns of vectors, {listing(vectors)}; columns says which "
            "holds the features."
        )
    numbers = tuple(name for name in table.names if table.holds_numbers(name))
    if not vectors and len(numbers) != n_features:
        raise ValueError(
            f"the batch has no column of vectors, and {len(numbers)} columns of numbers: the "
            f"model takes {n_features} features, and columns says which they are."
        )
    return vectors or numbers
