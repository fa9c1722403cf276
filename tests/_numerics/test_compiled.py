"""Loops are compiled, and kept on disk where that is possible."""

from functools import partial

from hashlearn._numerics.compiled import compiled


def twice(x):
    return 2 * x


def test_a_function_with_a_file_is_kept():
    function = compiled(twice)
    assert function(3) == 6
    assert function.stats.cache_path


def test_a_function_is_compiled_where_nothing_can_be_kept():
    names = {}
    exec("def thrice(x):\n    return 3 * x", names)  # has no file beside which to keep it
    assert compiled(names["thrice"])(3) == 9


def test_options_are_passed_on():
    assert partial(compiled, fastmath=True)(twice).targetoptions["fastmath"]
