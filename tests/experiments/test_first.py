"""Who is first where: ranked by the numbers of the records alone."""

from hashlearn._report.content import Cell
from hashlearn.experiments.report.first import first_places, standings_of
from hashlearn.experiments.report.material import Material
from hashlearn.experiments.summaries import summarise
from tests.experiments.fake_records import a_record, many_records


def runs(method, *maps, **cell):
    """Return a run per mean average precision, equal in every other measure."""
    same = {"pr_area": 0.5, "precision_at_k": 0.5}
    return [
        a_record(method, seed, testing=same | {"mean_average_precision": value}, **cell)
        for seed, value in enumerate(maps)
    ]


def standing(records):
    """Return who is first in MAP."""
    found = {one.measure: one for one in standings_of(summarise(records))}
    return found["mean_average_precision"]


def part_of(records):
    return first_places(Material(summarise(records), lambda dataset: None))


def test_the_first_is_the_best_and_the_default_has_its_place():
    found = standing([*runs("itq", 0.5), *runs("tsh", 0.7), *runs("ksh", 0.9), *runs("lsh", 0.8)])
    assert [title for title, _ in found.ranked] == ["KSH", "LSH", "TSH (default)", "ITQ"]
    place, own = found.default
    assert (place, own.mean) == (3, 0.7)
    assert not found.is_level


def test_level_is_within_the_larger_deviation():
    near, far = (0.78, 0.80), (0.76, 0.78)  # below the first by .02 and .04
    for values, is_level in ((near, True), (far, False)):
        found = standing([*runs("ksh", 0.78, 0.84), *runs("tsh", *values)])  # deviation .03
        assert (found.default[0], found.is_level) == (2, is_level)
    assert not standing([*runs("ksh", 0.81), *runs("tsh", 0.80)]).is_level  # one seed has none
    assert standing([*runs("ksh", 0.80), *runs("tsh", 0.81)]).is_level


def test_on_unseen_classes_the_difference_of_each_seed_decides():
    always_above = [*runs("ksh", 0.9, 0.5), *runs("tsh", 0.87, 0.47)]
    unseen = [
        *runs("ksh", 0.9, 0.5, protocol="unseen"),
        *runs("tsh", 0.87, 0.47, protocol="unseen"),
        *runs("itq", 0.95, protocol="unseen"),  # of other classes
    ]
    assert standing(always_above).is_level
    found = standing(unseen)
    assert not found.is_level
    assert [title for title, _ in found.ranked] == ["KSH", "TSH (default)"]
    crossing = [*unseen[:2], *runs("tsh", 0.8, 0.55, protocol="unseen")]
    assert standing(crossing).is_level


def test_one_loss_counts_and_the_reference_is_named_if_it_is_above():
    records = [*runs("tsh-bre", 0.7), *runs("tsh-ksh", 0.8), *runs("tsh", 0.6)]
    records += runs("classifier-codes", 0.9)
    found = standing(records)
    assert [title for title, _ in found.ranked] == ["TSH-BRE", "TSH (default)"]
    assert found.reference.mean == 0.9
    row = next(row for row in part_of(records).tables[0].sections[0].rows if "MAP" in row[3].text)
    assert row[4] == Cell("TSH-BRE: 0.700", "reference 0.900")


def test_a_run_without_the_default_says_so():
    part = part_of(runs("lsh", 0.5))
    assert "TSH (default) was not run" in part.tables[0].note
    assert [cell.text for cell in part.tables[0].sections[0].rows[0][6:]] == ["not run", "–", "–"]


def test_every_protocol_and_measure_has_a_row_and_a_line_for_machines():
    records = [
        record
        for protocol in ("usual", "unseen", "l2", "all-labels")
        for record in many_records(("tsh", "lsh"), protocol=protocol)
    ]
    part = part_of(records)
    rows = part.tables[0].sections[0].rows
    assert len(rows) == len(part.rows) == 4 * 3
    assert {row[1].text for row in rows} == {
        *("usual", "unseen classes", "Euclidean neighbours", "all labels")
    }
    assert {line["place"] for line in part.rows} <= {1, 2}
    level = sum(line["is_level"] for line in part.rows)
    assert f"first or level with the first in {level} of 12 rows" in part.tables[0].note


def test_lengths_have_their_own_firsts():
    records = [
        *runs("tsh", 0.9, n_bits=16),
        *runs("lsh", 0.8, n_bits=16),
        *runs("tsh", 0.8, 0.8),
        *runs("lsh", 0.78, 0.84),
        *runs("lsh", 0.9, n_bits=64),
    ]
    _, lengths = part_of(records).tables
    assert lengths.columns[3:] == ["16 bits", "32 bits", "64 bits"]
    row = next(row for row in lengths.sections[0].rows if row[2].text == "MAP")
    assert row[3:] == [Cell("TSH (default)"), Cell("LSH", "TSH 2 level"), Cell("LSH")]
