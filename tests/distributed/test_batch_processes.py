"""Any process gives the same codes, with the model file alone, and what it writes is searched."""

import multiprocessing
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from hashlearn.distributed import batches, encode_batch
from hashlearn.methods import LSHHasher
from tests.distributed.batch_forms import CODES, HASHER, N_BITS, N_ITEMS, VECTORS, X

PAGE = Path(__file__).parents[2] / "docs" / "ray-and-spark.md"


@pytest.mark.parametrize("name", ["pickle", "cloudpickle"])
def test_the_function_is_a_few_bytes_and_encodes_after_pickling(models, name):
    pickler = pytest.importorskip(name)
    encode = encode_batch(models / "plain.hashlearn", columns="v")
    encode({"v": X})
    dumped = pickler.dumps(encode)
    assert len(dumped) < 500  # the path, not the model
    np.testing.assert_array_equal(pickler.loads(dumped)({"v": X})["code"], CODES)


def test_another_process_gives_the_same_bytes(plain):
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        parts = pool.map(plain, [X[:50], X[50:]])
        pool.close()
        pool.join()
    np.testing.assert_array_equal(np.concatenate(parts), CODES)


def test_a_process_loads_a_model_once_and_anew_when_the_file_changes(tmp_path, monkeypatch):
    path = tmp_path / "model"
    HASHER.save(path)
    loads = []
    monkeypatch.setattr("hashlearn.load", lambda path: loads.append(path) or _load(path))
    from hashlearn.files import load_model as _load

    for _ in range(3):
        encode_batch(path)(X)
    assert len(loads) == 1
    other = LSHHasher(30, random_state=1).fit(X)
    other.save(path)
    os.utime(path, ns=(1, 1))
    np.testing.assert_array_equal(encode_batch(path)(X), other.encode(X))
    assert len(loads) == 2
    assert batches._load.cache_info().currsize <= batches.KEPT_MODELS


def test_the_documented_lines_make_an_index_of_written_codes(plain, tmp_path, monkeypatch):
    parts = [plain(part) for part in (pa.table(VECTORS)[:40], pa.table(VECTORS)[40:])]
    (tmp_path / "codes").mkdir()
    for i, part in enumerate(parts):
        parquet.write_table(part.select(["id", "code"]), tmp_path / "codes" / f"{i}.parquet")
    monkeypatch.chdir(tmp_path)
    *_, lines = re.findall(r"```python\n(.*?)```", PAGE.read_text(), flags=re.DOTALL)
    exec(lines, names := {"n_bits": N_BITS})
    np.testing.assert_array_equal(names["packed"], CODES)
    assert len(names["index"]) == N_ITEMS


def test_neither_dask_nor_pandas_nor_pyarrow_is_imported(models):
    script = f"""
import sys
for name in ("dask", "distributed", "pandas", "pyarrow"):
    sys.modules[name] = None  # as if it were not installed
import numpy as np
from hashlearn.distributed import encode_batch
batch = encode_batch({os.fspath(models / "plain.hashlearn")!r})({{"v": np.zeros((2, 6))}})
print(batch["code"].shape)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout == "(2, 3)\n", done.stderr
