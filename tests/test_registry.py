"""A name stands for one class or function, which keeps its type and may be defined again."""

import pytest

from hashlearn._registry import NameTable


def class_named(name, module="__main__"):
    """Return a new class, as a notebook cell that is run again defines it."""
    return type(name, (), {"__module__": module})


def test_what_is_registered_comes_back_unchanged():
    table, mine = NameTable("part"), class_named("Mine")
    assert table.register("mine")(mine) is mine
    assert table.get("mine") is mine


def test_a_definition_that_is_run_again_replaces_itself():
    table = NameTable("part")
    for name in ("first", "mine", "last"):
        table.register(name)(class_named(name.title()))
    again = table.register("mine")(class_named("Mine"))
    assert table.get("mine") is again
    assert table.names() == ["first", "mine", "last"]


@pytest.mark.parametrize("other", [class_named("Other"), class_named("Mine", "elsewhere")])
def test_another_definition_under_a_taken_name_is_refused(other):
    table, mine = NameTable("part"), class_named("Mine")
    table.register("mine")(mine)
    sentence = (
        r"part 'mine' is already registered, for __main__\.Mine; choose another name for "
        rf"{other.__module__}\.{other.__name__}\."
    )
    with pytest.raises(ValueError, match=sentence):
        table.register("mine")(other)
    assert table.get("mine") is mine
