"""What is sent to Milvus is what its documentation and its client take."""

import numpy as np
import pytest

from hashlearn.search import pack_codes, unpack_codes
from hashlearn.stores import StoreError
from hashlearn.stores.recipes import make_layout, milvus
from tests.search.brute_force import distances_between, random_codes
from tests.stores.recipes.items import COLUMNS, WHERES, as_lists, expected, values_of

ZEROS = np.zeros((2, 1), dtype=np.uint8)


def bits_of(code):
    """Return bits in the order of "Binary Vector": bit i is 1 << (i % 8) of byte i // 8."""
    return [code[i // 8] >> (i % 8) & 1 for i in range(8 * len(code))]


def hamming(a, b):
    return (int.from_bytes(a) ^ int.from_bytes(b)).bit_count()


def all_rows(*given, **named):
    return [row for rows in milvus.row_batches(*given, **named) for row in rows]


def answer_to(search, rows):
    """Answer as BIN_FLAT does; Milvus' filters read as Python's conditions."""
    params = search["search_params"]["params"]
    assert search["search_params"]["metric_type"] == "HAMMING"
    condition = search["filter"]
    for name, value in search["filter_params"].items():
        condition = condition.replace(f"{{{name}}}", repr(value))
    allowed = [row for row in rows if not condition or eval(condition, {}, dict(row))]
    for query in search["data"]:
        hits = [
            {"id": row["id"], "distance": float(hamming(query, row["code"]))} for row in allowed
        ]
        hits = [hit for hit in hits if hit["distance"] < params.get("radius", np.inf)]
        yield sorted(hits, key=lambda hit: hit["distance"])[: search["limit"]]


def read(search, rows):
    return milvus.read(search, answer_to(search, rows))


@pytest.mark.parametrize("first", range(1, 131, 26))
def test_codes_come_back_at_their_distances(first):
    for n_bits in range(first, first + 26):
        random = np.random.default_rng(n_bits)
        layout, packed = make_layout(n_bits), random_codes(random, 20, n_bits)
        rows = all_rows(layout, packed, np.arange(20), batch_size=7)
        assert milvus.fields(layout)[1]["dim"] == 8 * len(rows[0]["code"])
        stored = np.array([bits_of(row["code"]) for row in rows])
        assert np.array_equal(stored[:, :n_bits], unpack_codes(packed, n_bits))
        assert not stored[:, n_bits:].any()
        search = milvus.nearest(layout, packed[:3], 20)
        for query, found in zip(packed, read(search, rows), strict=False):
            assert as_lists(found) == expected(query, packed, np.arange(20))


def test_documented_bits_become_the_documented_byte():
    """The first example of "Binary Vector", whose function sets 1 << shift."""
    code = pack_codes([[1, 0, 0, 1, 1, 0, 1, 1, 0, 1, 0, 1, 0, 1, 0, 0]])
    ((row,),) = milvus.row_batches(make_layout(16), code, [1])
    assert row == {"id": 1, "code": bytes([0b11011001, 0b00101010])}


@pytest.mark.parametrize("radius", [0, 2, 13, pytest.param(10**400, id="huge")])
def test_within_excludes_the_next_distance(radius, random):
    layout, packed, ids = make_layout(13), random_codes(random, 100, 13), np.arange(100)
    rows = all_rows(layout, packed, ids)
    (found,) = read(milvus.within(layout, packed[:1], radius), rows)
    assert as_lists(found) == expected(packed[0], packed, ids, radius=radius)


def test_within_is_whole_or_an_error(random):
    layout, packed = make_layout(13), random_codes(random, 40, 13)
    rows = all_rows(layout, packed, np.arange(40))
    (found,) = read(milvus.within(layout, packed[:1], 13, limit=41), rows)
    assert len(found.ids) == 40
    with pytest.raises(StoreError, match=r"limit=40 allows, .* a smaller radius"):
        read(milvus.within(layout, packed[:1], 13, limit=40), rows)


def test_one_query_of_many_that_is_cut_is_an_error(random):
    layout, packed = make_layout(64), random_codes(random, 40, 64)
    packed[1:10] = packed[1]
    rows = all_rows(layout, packed, np.arange(40))
    with pytest.raises(StoreError, match="limit=9 allows"):
        read(milvus.within(layout, packed[:3], 0, limit=9), rows)
    assert len(read(milvus.within(layout, packed[:3], 0, limit=10), rows)) == 3


def test_no_query_has_no_items():
    search = milvus.within(make_layout(8), ZEROS[:0], 8)
    assert milvus.read(search, []) == []


@pytest.mark.parametrize("where", WHERES)
def test_where_is_fulfilled_and_holds_no_values(where, random):
    n, given_where, fulfilled = 120, *WHERES[where]
    layout, ids, values = make_layout(9, COLUMNS), np.arange(n), values_of(n)
    packed = random_codes(random, n, 9)
    rows = all_rows(layout, packed, ids, values)
    search = milvus.nearest(layout, packed[:1], n, given_where)
    assert not set("'\"\\") & set(search["filter"])
    (found,) = read(search, rows)
    assert as_lists(found) == expected(packed[0], packed, ids, allowed=fulfilled(values, ids))


def test_indexes_are_described_as_documented():
    flat = {"field_name": "code", "index_type": "BIN_FLAT", "metric_type": "HAMMING", "params": {}}
    assert milvus.index() == flat
    clustered = flat | {"index_type": "BIN_IVF_FLAT", "params": {"nlist": 64}}
    assert milvus.index(n_lists=64) == clustered
    search = milvus.nearest(make_layout(8), ZEROS, 5, effort=10)
    assert search["search_params"]["params"] == {"nprobe": 10}


def test_a_range_search_of_clusters_takes_its_own_effort():
    """In range searches Milvus reads no `nprobe`: it has another word for when to end."""
    search = milvus.within(make_layout(8), ZEROS, 5, effort=10)
    wanted = {"radius": 6, "max_empty_result_buckets": 10}
    assert search["search_params"]["params"] == wanted


@pytest.mark.parametrize(
    "word",
    ["in", "AND", "True", "null", "threshold", "json_contains_any", "ST_DWITHIN"],
)
def test_words_of_filters_are_no_columns(word):
    with pytest.raises(ValueError, match=f"column '{word}' is a word of Milvus' filters"):
        milvus.fields(make_layout(8, {"digit": int, word: int}))


def test_names_that_hold_words_of_filters_are_columns():
    names = ["inner", "order", "notes", "contains", "json_contains_none", "is", "between"]
    columns = milvus.fields(make_layout(8, dict.fromkeys(names, int)))[2:]
    assert [field["field_name"] for field in columns] == names


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        (lambda: milvus.index(n_lists=0), "n_lists=0"),
        (lambda: milvus.within(make_layout(8), ZEROS, 1, effort=0), "effort=0"),
        (
            lambda: milvus.nearest(make_layout(8), np.zeros(1, dtype=np.uint8), 1),
            "queries has shape",
        ),
        (
            lambda: milvus.within(make_layout(8), np.zeros((1, 1), dtype=np.uint8), -1),
            "radius must be",
        ),
        (lambda: milvus.row_batches(make_layout(8), np.zeros((2, 1), dtype=np.uint8), [1, 1]), "1"),
    ],
)
def test_what_is_wrong_is_refused(call, reason):
    with pytest.raises(ValueError, match=reason):
        call()


@pytest.fixture(scope="module")
def client():
    """The client, whose checks run without a server."""
    return pytest.importorskip("pymilvus")


def test_the_client_takes_the_fields_and_the_index(client):
    schema = client.MilvusClient.create_schema()
    for field in milvus.fields(make_layout(13, COLUMNS)):
        schema.add_field(**field)
    schema.verify()
    types = {field.name: field.dtype for field in schema.fields}
    assert types == {
        "id": client.DataType.INT64,
        "code": client.DataType.BINARY_VECTOR,
        "order": client.DataType.INT64,
        "select": client.DataType.VARCHAR,
        "distance": client.DataType.DOUBLE,
        "user": client.DataType.BOOL,
    }
    assert schema.primary_field.name == "id"
    indexes = client.MilvusClient.prepare_index_params()
    indexes.add_index(**milvus.index(n_lists=64))
    configs = {"index_type": "BIN_IVF_FLAT", "metric_type": "HAMMING", "nlist": 64}
    assert indexes[0].get_index_configs() == configs


def test_the_client_takes_rows_and_searches(client, random):
    from pymilvus.client.prepare import Prepare

    layout, packed = make_layout(13, COLUMNS), random_codes(random, 10, 13)
    schema = client.MilvusClient.create_schema()
    for field in milvus.fields(layout):
        schema.add_field(**field)
    rows = all_rows(layout, packed, np.arange(10), values_of(10))
    request = Prepare.row_upsert_param("items", rows, "", schema.to_dict()["fields"])
    sent = {data.field_name: data for data in request.fields_data}
    assert sent["code"].vectors.dim == 16
    assert sent["code"].vectors.binary_vector == b"".join(row["code"] for row in rows)
    search = milvus.nearest(layout, packed[:2], 3, {"select": ["it's"], "user": True})
    request = Prepare.search_requests_with_expr(
        "items",
        search["anns_field"],
        search["search_params"],
        search["limit"],
        data=search["data"],
        expr=search["filter"],
        expr_params=search["filter_params"],
    )
    assert request.dsl == "select in {values_0} and user in {values_1}"
    wanted = request.expr_template_values
    assert list(wanted["values_0"].array_val.string_data.data) == ["it's"]
    assert list(wanted["values_1"].array_val.bool_data.data) == [True]
    assert search["data"][0] in request.placeholder_group


def test_reversed_bits_are_at_the_same_distances(random):
    layout, packed = make_layout(100), random_codes(random, 8, 100)
    codes = [row["code"] for row in all_rows(layout, packed, np.arange(8))]
    distances = [[hamming(a, b) for b in codes] for a in codes]
    assert np.array_equal(distances, distances_between(packed, packed))
