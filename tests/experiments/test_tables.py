"""Tables hold what was run, what was not, and what the paper prints."""

import pytest

from hashlearn._report.content import Cell
from hashlearn.experiments.report.bits import common_bits, lines_of, over_bits
from hashlearn.experiments.report.hash_functions import hash_functions
from hashlearn.experiments.report.material import Material
from hashlearn.experiments.report.numbers import time_text
from hashlearn.experiments.report.overview import selections_table
from hashlearn.experiments.report.printed_tables import quality, training_time
from hashlearn.experiments.report.tables import (
    at_printed_bits,
    by_dataset,
    of_protocol,
    row_titles,
    rows_for,
)
from hashlearn.experiments.report.unseen import unseen_classes
from hashlearn.experiments.summaries import Spread, summarise
from tests.experiments.fake_records import FEW, a_record, many_records, whole_run


def material(records):
    return Material(summarise(records), lambda dataset: None)


def rows_of(table):
    """Return the rows of a table by their titles."""
    return {row[0].text: row for section in table.sections for row in section.rows}


def test_our_number_has_its_spread_and_the_papers_number():
    records = [
        a_record(seed=seed, testing={"pr_area": area}) for seed, area in enumerate([0.85, 0.87])
    ]
    testing, _ = quality(material(records)).tables
    assert rows_of(testing)["TSH-BRE"][1] == Cell("0.860 ± 0.010", "paper 0.844")


@pytest.mark.parametrize("missing", [None, float("nan")])
def test_a_measure_without_a_number_says_so(missing):
    testing, _ = quality(material([a_record(testing={"pr_area": missing})])).tables
    assert rows_of(testing)["TSH-BRE"][1].text == "n/a"


def test_a_method_without_results_is_not_run_or_not_implemented():
    testing, training = quality(material([a_record()])).tables
    assert rows_of(testing)["LSH"] == [
        Cell("LSH", "not run"),
        Cell("–", "paper 0.211"),
        Cell("–", "paper 0.459"),
        Cell("–", "paper 0.448"),
    ]
    gone = quality(material([a_record("gone")])).tables[0]
    assert rows_of(gone)["GONE"][0] == Cell("GONE")
    assert {row[0].aside for row in rows_of(testing).values()} <= {
        "",
        "not run",
        "not implemented",
    }
    assert "LSH" not in rows_of(training)  # the paper has no training part for it


def test_a_training_part_without_any_number_is_left_out():
    (table,) = quality(material([a_record(dataset="digits") | {"training": None}])).tables
    assert table.title == "digits, 32 bits, testing data"


def test_a_choice_that_several_methods_share_counts_once():
    table = selections_table(summarise(many_records(("tsh-bre", "tsh-ksh"))))
    (row,) = table.sections[0].rows
    assert [cell.text for cell in row] == [
        *("MNIST", "usual", "rbf-svm", "5, 6, 7", "3.1", "0.7", "9.20 ± 0.00")
    ]
    assert selections_table(summarise([a_record("lsh")])) is None


def test_fewer_seeds_than_others_are_shown():
    records = [*many_records(("tsh-bre",)), a_record("lsh")]
    testing, _ = quality(material(records)).tables
    assert rows_of(testing)["LSH"][0].aside == "1 of 3 seeds"


def test_the_papers_numbers_are_shown_for_its_own_bits_only():
    testing, _ = quality(material([a_record(n_bits=16)])).tables
    assert testing.title == "MNIST, 16 bits, testing data"
    assert {cell.aside for cell in rows_of(testing)["TSH-BRE"]} == {""}


def test_tables_have_32_bits_alone_where_they_are_there():
    results = summarise(many_records(("lsh",), bits=(8, 32, 64)))
    assert list(at_printed_bits(results)) == [32]
    assert list(at_printed_bits([r for r in results if r.setting.n_bits != 32])) == [8, 64]


def test_sizes_that_differ_are_rows_of_their_own():
    results = summarise([a_record(), a_record(n_training=500), a_record("lsh")])
    (members,) = by_dataset(results).values()
    assert row_titles(members) == [
        "TSH-BRE, 500 training items",
        "TSH-BRE, 2,000 training items",
        "LSH",
    ]


def test_data_that_differ_are_rows_of_their_own():
    results = summarise([a_record(), a_record(fingerprint="f" * 64)])
    assert set(row_titles(results)) == {"TSH-BRE, data 01234567", "TSH-BRE, data ffffffff"}


def test_other_hash_functions_stay_out_where_the_usual_one_is_there():
    records = [a_record(), a_record(hash_function="linear-svm")]
    chosen = of_protocol(summarise(records), "usual")
    assert [result.setting.hash_function for result in chosen] == ["rbf-svm"]
    others = [a_record(hash_function=name) for name in ("linear-svm", "kernel-features")]
    assert len(of_protocol(summarise(others), "usual")) == 2


def test_data_sets_of_the_paper_come_first():
    records = many_records(("lsh",), ("zebra", "cifar10", "ant", "mnist"))
    assert list(by_dataset(summarise(records))) == ["mnist", "cifar10", "ant", "zebra"]


def test_time_has_step_1_in_brackets_and_selection_apart():
    record = a_record() | {
        "seconds": {"fit": 1.3, "step_one": 0.004, "encode": 1.0},
        "selection": {"t": 1.0, "seconds": 9.2},
    }
    (table,) = training_time(material([record])).tables
    assert rows_of(table)["TSH-BRE"][1:] == [
        Cell("1.30 (0.0040)", "paper 309 (264)"),
        Cell("9.20"),
    ]
    assert "LSH" not in rows_of(table)  # neither run, nor printed


def test_hash_functions_have_the_papers_names_and_order():
    names = ["boosted-stumps", "linear-svm", "rbf-svm", "kernel-features"]
    part = hash_functions(material([a_record(hash_function=name) for name in names]))
    assert list(rows_of(part.tables[0])) == ["TSH-RBF", "TSH-KF", "TSH-SVM", "TSH-Stump"]
    functions = [row["hash_function"] for row in part.rows]
    assert functions == ["rbf-svm", "kernel-features", "linear-svm", "boosted-stumps"]


def test_unseen_is_compared_with_usual_and_with_chance():
    records = [
        a_record(testing={"mean_average_precision": 0.93}),
        a_record(testing={"mean_average_precision": 0.65}, protocol="unseen"),
        a_record("lsh", testing={"mean_average_precision": 0.4}, protocol="unseen"),
    ]
    part = unseen_classes(material(records))
    rows = rows_of(part.tables[0])
    assert rows["TSH-BRE"][2] == Cell("0.930 → 0.650")
    assert rows["LSH"][2] == Cell("not run → 0.400")
    usual, unseen = (record["curves"]["precision"][-1] for record in records[:2])
    assert f"By chance {usual:.3f} → {unseen:.3f} of the database" in part.tables[0].note
    assert part.rows[0]["usual_testing"]["mean_average_precision"]["mean"] == 0.93
    assert part.rows[1]["usual_testing"] is None


def test_tables_say_the_sizes_of_their_runs():
    records = [a_record(), a_record(seed=1, drawn={"n_database": 17_000})]
    (table, *_) = quality(material(records)).tables
    assert "queries" in table.note
    assert "17,000 to 68,000 in the database" in table.note


def test_curves_are_drawn_at_the_largest_common_bits_up_to_32():
    records = many_records(("tsh-bre", "itq"), bits=(16, 24, 32, 64)) + many_records(
        ("lsh",), bits=(16, 24, 64)
    )
    assert common_bits(lines_of(summarise(records))) == 24
    assert common_bits(lines_of(summarise(many_records(bits=(48, 64))))) == 64


def test_every_result_of_a_part_is_a_row_for_machines_with_the_papers_number():
    part = quality(material(whole_run(FEW, ("mnist",))))
    run = [row for row in part.rows if row["status"] == "run"]
    assert [row["method"] for row in run][:2] == ["tsh-ksh", "tsh-bre"]
    assert len(run) == len(FEW)
    assert run[1]["testing"]["pr_area"]["paper"] == 0.844
    assert run[1]["seconds"]["step_one"]["paper"] == 264
    missing = next(row for row in part.rows if row["method"] == "agh")
    assert missing["status"] in ("not implemented", "not run")
    assert missing["testing"]["pr_area"] == {"paper": 0.404}


def columns_of(records):
    return quality(material(records)).tables[0].columns[1:]


def test_columns_are_those_that_say_something():
    papers = ["area under PR", "MAP", "P@300"]
    assert columns_of([a_record()]) == papers
    several = a_record(dataset="tmc2007", testing={"ndcg": 0.6})
    assert columns_of([several]) == [*papers, "MAP, whole ranking", "nDCG@1000"]
    # a tenth of 2,000 items is right: 300 cannot be
    small = a_record(dataset="banking77", drawn={"n_database": 2000})
    assert columns_of([small]) == [*papers[:2], "P@10", "MAP, whole ranking"]


def test_rows_without_training_codes_are_in_the_testing_table_alone():
    records = [a_record(), a_record("bae:float") | {"training": None}]
    testing, training = quality(material(records)).tables
    assert "BAE, float queries" in rows_of(testing)
    assert "BAE, float queries" not in rows_of(training)


def test_rows_for_machines_have_the_curves_that_are_drawn():
    part = over_bits(material(many_records(("lsh", "itq"), bits=(16, 32, 64))))
    assert {row["n_bits"] for row in part.rows if "curves" in row} == {32}
    assert len(part.rows) == 6
    assert not any("curves" in row for row in training_time(material([a_record()])).rows)


def test_lengths_that_were_not_run_are_explained():
    records = [
        *many_records(("lsh", "itq"), bits=(16, 32), seeds=(0,)),
        *many_records(("fasthash", "cghash:own", "lsh"), seeds=(0, 1)),
    ]
    table, *_ = over_bits(material(records)).tables
    assert [cell.text for cell in rows_of(table)["FastHash"]][1] == "–"
    assert "– Not run: " in table.note
    assert "FastHash (a run takes minutes)" in table.note
    assert "CGHash, weighted" not in rows_of(table)  # at one length by design
    assert "ITQ" not in table.note
    assert "over 2 seeds; a value without deviation is of one seed." in table.note


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(341.2, "341"), (34.13, "34.1"), (3.4, "3.40"), (0.34, "0.34"), (0.0042, "0.0042")],
)
def test_times_have_two_or_three_digits(seconds, text):
    assert time_text(Spread(seconds, None, 1)) == text


def test_rows_for_some_labels_only_are_left_out_without_a_result():
    names = [row.name for row in rows_for([])]
    assert "tsh" in names
    assert not {"ksh-graded", "corrected"} & set(names)
