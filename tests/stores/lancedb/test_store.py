"""LanceDB's store, beyond what every store does."""

import datetime
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from hashlearn.search import PackedCodes
from hashlearn.stores import LanceStore, StoreError
from hashlearn.stores.lancedb import store as adapter
from hashlearn.stores.lancedb.store import KEPT, _age_to_remove
from tests.files.test_kill import without_rights_of_root
from tests.search.brute_force import random_codes
from tests.stores.kill import Load, assert_whole_batches, kill_during, resume

lancedb = pytest.importorskip("lancedb")
pa = pytest.importorskip("pyarrow")


@pytest.fixture
def store(tmp_path):
    return LanceStore(str(tmp_path / "codes"))


@pytest.fixture
def packed():
    return random_codes(np.random.default_rng(0), 300, 64)


def engine_table(store):
    """Return the table as LanceDB itself opens it."""
    return lancedb.connect(store.place).open_table(store.table)


def one_sentence(error):
    text = str(error.value)
    return "\n" not in text and ".rs:" not in text and len(text) < 500 and text.endswith(".")


def test_errors_leave_out_kinds_and_places_in_lancedb_itself(store):
    said = "lance error: LanceError(IO): disk full, /build/src/io.rs:12:34"
    with pytest.raises(StoreError, match=r" failed: disk full\.$"), store._translated():
        raise RuntimeError(said)


def test_codes_lie_in_a_list_of_bytes_and_the_table_says_how_many_bits(store):
    store.create(13, {"title": str, "Order": float})
    schema = engine_table(store).schema
    assert schema.field("id").type == pa.int64()
    assert schema.field("code").type == pa.list_(pa.uint8(), 2)
    assert schema.metadata[b"hashlearn.n_bits"] == b"13"
    assert LanceStore(store.place).n_bits == 13


def codes_of(packed):
    return pa.FixedSizeListArray.from_arrays(pa.array(packed.reshape(-1)), packed.shape[1])


def test_a_table_of_somebody_else_is_searched_and_filled(store, packed):
    days = pa.array([datetime.date(2026, 1, 1)] * 300)  # a type that stores do not know
    names = pa.array(["x"] * 300, type=pa.large_utf8())
    columns = {"id": range(300), "code": codes_of(packed), "day": days, "name": names}
    lancedb.connect(store.place).create_table("items", pa.table(columns))
    assert (store.n_bits, store.columns) == (64, {"name": str})
    assert store.search(packed[7:8], 1).ids.tolist() == [[7]]
    store.add(packed[:2], [8, 300], {"name": ["y", "z"]})
    assert store.count({"name": ["y", "z"]}) == 2
    assert store.count() == 301


@pytest.mark.parametrize(
    "columns",
    [
        {"id": pa.array([1])},
        {"id": pa.array([0.5]), "code": codes_of(np.zeros((1, 2), np.uint8))},
        {"id": pa.array([1]), "code": pa.array([[1.0, 2.0]], type=pa.list_(pa.float32(), 2))},
        {"id": pa.array([1]), "code": pa.array([[1, 2]], type=pa.list_(pa.uint8()))},
    ],
)
def test_a_table_without_ids_or_codes_is_refused(store, columns):
    lancedb.connect(store.place).create_table("items", pa.table(columns))
    with pytest.raises(StoreError, match="must have a column id of type int64") as error:
        store.count()
    assert one_sentence(error)


def test_entries_without_a_value_are_read(store):
    codes = codes_of(np.zeros((2, 2), np.uint8))
    table = pa.table({"id": [1, 2], "code": codes, "digit": pa.array([None, 3], pa.int64())})
    lancedb.connect(store.place).create_table("items", table)
    assert set(store.search(np.zeros((1, 2), np.uint8), 2).ids[0]) == {1, 2}
    assert store.get([2, 1]).values["digit"].tolist() == [3, None]


def test_a_table_of_an_earlier_version_has_no_missing_values(store):
    schema = pa.schema(
        [
            pa.field("id", pa.int64(), nullable=False),
            pa.field("code", pa.list_(pa.uint8(), 2), nullable=False),
            pa.field("digit", pa.int64(), nullable=False),
        ]
    )
    lancedb.connect(store.place).create_table("items", schema=schema)
    with pytest.raises(StoreError, match="'digit' is declared as non-nullable") as error:
        store.add(np.zeros((1, 2), np.uint8), [1], {"digit": [None]})
    assert one_sentence(error)


def test_a_table_of_somebody_else_takes_the_model_of_the_first_codes(store, packed):
    table = pa.table({"id": range(300), "code": codes_of(packed)})
    lancedb.connect(store.place).create_table("items", table)
    assert store.model is None
    store.add(PackedCodes(packed[:5], "0123456789abcdef"), range(5))
    metadata = engine_table(store).schema.field("code").metadata
    assert metadata == {b"hashlearn.model": b"0123456789abcdef"}
    store.add(packed, range(300, 600))
    assert store.model == "0123456789abcdef"


def test_asking_for_a_table_leaves_no_folder(store):
    assert not store.exists()
    with pytest.raises(StoreError, match="create it first"):
        store.count()
    assert not Path(store.place).exists()


@pytest.mark.parametrize("address", ["", "s3://me:secret@bucket/codes"])
def test_an_address_that_is_no_folder_is_refused(address):
    with pytest.raises(ValueError, match="must be a folder") as caught:
        LanceStore(address)
    assert "secret" not in str(caught.value)


def test_a_file_in_the_place_of_the_folder_is_one_sentence(tmp_path):
    (tmp_path / "codes").write_text("not a database")
    with pytest.raises(StoreError, match="File exists") as error:
        LanceStore(str(tmp_path / "codes")).exists()
    assert one_sentence(error)


@pytest.mark.parametrize("part", ["_versions", "data"])
@pytest.mark.parametrize("content", [b"", b"junk" * 1000, None])
def test_a_damaged_table_is_one_sentence(store, packed, part, content):
    store.create(64).add(packed, range(300))
    for file in (Path(store.place) / "items.lance" / part).iterdir():
        file.unlink() if content is None else file.write_bytes(content)
    again = LanceStore(store.place)
    with pytest.raises(StoreError) as error:
        again.search(packed[:1], 1)
    assert one_sentence(error)


def test_a_folder_without_rights_is_read_and_not_written(packed):
    with tempfile.TemporaryDirectory() as name:  # pytest's own folder is closed to others
        folder = Path(name) / "codes"
        os.chmod(name, 0o755)
        LanceStore(str(folder)).create(64).add(packed, range(300))
        for parent, _, _ in os.walk(folder):
            os.chmod(parent, 0o555)
        store = LanceStore(str(folder))
        with without_rights_of_root():
            assert store.search(packed[5:6], 1).ids.tolist() == [[5]]
            for change in (lambda: store.add(packed, range(300)), lambda: store.remove([1])):
                with pytest.raises(StoreError, match="Permission denied") as error:
                    change()
                assert one_sentence(error)
        for parent, _, _ in os.walk(folder):
            os.chmod(parent, 0o755)


def test_a_store_sees_what_others_wrote_dropped_and_created_again(store, packed):
    other = LanceStore(store.place)
    store.create(64).add(packed[:10], range(10))
    assert other.count() == 10
    store.add(packed, range(300))
    assert other.search(packed[200:201], 1).ids.tolist() == [[200]]
    store.drop()
    with pytest.raises(StoreError, match="does not exist any more"):
        other.count()
    store.create(64).add(packed[:3], range(3))
    assert other.count() == 3


def test_reading_goes_on_while_others_write(store, packed):
    store.create(64).add(np.tile(packed, (40, 1)), range(12_000))
    reading = store.read()
    first = next(reading)
    LanceStore(store.place).add(packed, range(12_000, 12_300))
    assert store.remove(range(11_000)) == 11_000
    assert len(first.ids) + sum(len(batch.ids) for batch in reading) == 12_000


def test_writers_that_add_the_same_items_at_once_store_each_once(store, packed):
    store.create(64)
    writers = [LanceStore(store.place) for _ in range(4)]
    with ThreadPoolExecutor(4) as pool:
        adding = [pool.submit(each.add, packed, range(300), batch_size=30) for each in writers]
        assert [future.result() for future in adding] == [None] * 4
    ids = np.concatenate([batch.ids for batch in store.read()])
    np.testing.assert_array_equal(np.sort(ids), np.arange(300))


@pytest.mark.slow
def test_a_client_killed_during_a_load_leaves_whole_batches(tmp_path):
    load = Load(f"lancedb:{tmp_path / 'codes'}")
    n_confirmed = kill_during(load)
    assert_whole_batches(load, at_least=n_confirmed)
    resume(load)


@pytest.mark.slow
def test_a_client_killed_again_and_again_leaves_whole_batches(tmp_path):
    load = Load(f"lancedb:{tmp_path / 'codes'}", n_items=30_000)
    for n_batches in range(1, 11):
        assert_whole_batches(load, at_least=kill_during(load, n_batches))
    resume(load)


def test_many_small_batches_are_joined_and_old_versions_removed(store, packed, monkeypatch):
    monkeypatch.setattr(adapter, "KEPT", datetime.timedelta(0))
    monkeypatch.setattr(adapter, "SLACK", datetime.timedelta(0))
    monkeypatch.setattr(adapter, "TIDY_EVERY", 10)
    store.create(64).build_index()
    store.add(packed[:45], range(45), batch_size=1)
    table = engine_table(store)
    assert table.stats()["fragment_stats"]["num_fragments"] <= 12
    assert len(table.list_versions()) <= 15
    assert table.list_indices()[0].num_unindexed_rows <= 12
    assert store.search(packed[:45], 1, effort=1000).ids[:, 0].tolist() == list(range(45))


def test_versions_that_were_the_newest_within_a_day_stay():
    now = datetime.datetime(2026, 3, 1)
    ages = [100 * KEPT, 50 * KEPT, 2 * KEPT, KEPT / 2, KEPT / 4]
    versions = [{"timestamp": now - age} for age in ages]
    assert 2 * KEPT < _age_to_remove(versions, now) < 50 * KEPT
    assert _age_to_remove(versions[:1], now) > 100 * KEPT  # the newest of all may be any age
    assert _age_to_remove([], now) > KEPT


def test_an_index_has_about_the_root_of_the_items_as_groups(store, packed):
    store.create(64).add(packed, range(300))
    store.build_index()
    store.build_index()  # again, not a second one
    (index,) = engine_table(store).list_indices()
    assert index.index_type == "IvfFlat"
    assert engine_table(store).index_stats(index.name).distance_type == "hamming"
    exact = store.search(packed[:20], 5)
    np.testing.assert_array_equal(
        store.search(packed[:20], 5, effort=17).distances, exact.distances
    )
    few = store.search(packed[:20], 5, effort=1)
    assert (few.distances[:, 0] == 0).all()
    assert few.distances.sum() > exact.distances.sum()


@pytest.mark.parametrize("n", [0, 1, 2])
def test_an_index_of_next_to_nothing_works(store, packed, n):
    store.create(64).add(packed[:n], range(n))
    store.build_index()
    store.add(packed[n : n + 5], range(n, n + 5))
    assert store.search(packed[:1], 3, effort=1).ids[0, 0] == 0


def test_an_exact_search_does_not_use_the_index(store, packed, monkeypatch):
    store.create(64).add(packed, range(300))
    store.build_index()
    plan = store._search(packed[0], ()).limit(5)
    assert "ANN" in plan.explain_plan()
    assert "ANN" not in plan.bypass_vector_index().explain_plan()
    used = []
    search = LanceStore._search

    def keeping(*args, **how):
        used.append(search(*args, **how))
        return used[-1]

    monkeypatch.setattr(LanceStore, "_search", keeping)
    store.search(packed[:1], 5)
    store.radius_search(packed[:1], 5)
    assert len(used) == 2
    assert all("ANN" not in builder.explain_plan() for builder in used)


QUIET = """
import sys, numpy as np
from hashlearn.stores import LanceStore
store = LanceStore(sys.argv[1]).create(64)
store.add(np.zeros((200, 8), dtype=np.uint8), range(200))
store.build_index()
store.search(np.zeros((1, 8), dtype=np.uint8), 3, effort=2)
"""


def test_warnings_of_the_engine_are_switched_off(monkeypatch, tmp_path):
    monkeypatch.delenv("LANCEDB_LOG", raising=False)
    LanceStore(str(tmp_path))
    assert os.environ["LANCEDB_LOG"] == "error"


@pytest.mark.slow
def test_a_program_writes_nothing_to_the_terminal(store):
    environment = {name: value for name, value in os.environ.items() if name != "LANCEDB_LOG"}
    command = [sys.executable, "-W", "error", "-c", QUIET, store.place]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout + done.stderr == ""


def test_without_the_package_the_extra_is_named(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "lancedb", None)
    with pytest.raises(ImportError, match=re.escape("pip install 'hashlearn[lancedb]'")):
        LanceStore(str(tmp_path))


def test_threads_may_share_a_store(store, packed):
    store.create(64).add(packed, range(300))
    with ThreadPoolExecutor(8) as pool:
        adding = [pool.submit(store.add, packed[i : i + 1], [1000 + i]) for i in range(8)]
        found = list(pool.map(lambda i: store.search(packed[i : i + 1], 1).distances, range(50)))
        assert [future.result() for future in adding] == [None] * 8
    assert not np.concatenate(found).any()
    assert store.count() == 308
