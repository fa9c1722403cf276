"""Names of tables and columns."""

import pytest

from hashlearn.stores._checks import MAX_LENGTH, check_name


@pytest.mark.parametrize("name", ["items", "_", "A1", "select", "x" * MAX_LENGTH])
def test_letters_digits_and_underscores_are_a_name(name):
    assert check_name(name, "table") == name


@pytest.mark.parametrize(
    "name",
    [
        *["", "1a", "a b", "a-b", "a.b", 'a"b', "a'b", "a;b", "a\n", "\na", "a\0", "x" * 49],
        *["é", "ﬁ", "a\u0661", "\ud800", None, 3, b"items", ["items"]],
    ],
)
def test_nothing_else_is_a_name(name):
    with pytest.raises(ValueError, match="must be letters, digits and _"):
        check_name(name, "table")


def test_the_message_says_whose_name_it_is_and_what_was_given():
    with pytest.raises(ValueError, match=r"name of a column must be letters.*; got 'a b'"):
        check_name("a b", "column")
