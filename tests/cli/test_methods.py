"""The list of methods names every one that `fit --method` takes."""

import json

from typer.testing import CliRunner

from hashlearn.base import METHODS
from hashlearn.cli.app import app


def test_every_method_is_listed_with_what_it_learns_from():
    result = CliRunner().invoke(app, ["methods", "--json"])
    assert result.exit_code == 0
    rows = {row["method"]: row for row in json.loads(result.stdout)}
    assert set(rows) == set(METHODS.names())
    assert rows["itq"]["learns_from"] == "items alone"
    assert rows["sdh"]["learns_from"] == "labels"
    assert all(row["idea"].endswith(".") and "[1]" not in row["idea"] for row in rows.values())
    defaults = {name for name, row in rows.items() if row["default"]}
    assert defaults == {"tsh", "itq", "klsh"}


def test_people_get_a_table_that_marks_the_defaults():
    text = CliRunner().invoke(app, ["methods"], env={"COLUMNS": "120"}).stdout
    assert "\n itq * " in text
    assert "\n * itq is the default without labels.\n" in text
    for name in METHODS.names():
        assert f"\n {name} " in text
