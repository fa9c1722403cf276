"""The paper's numbers are the paper's."""

import pytest

from hashlearn.experiments.known_methods import KNOWN_METHODS
from hashlearn.experiments.published import (
    _QUALITY,
    _SECONDS,
    DATASETS,
    MEASURES,
    published_quality,
    published_seconds,
)


@pytest.mark.parametrize(
    ("dataset", "method", "side", "numbers"),
    [
        ("labelme", "tsh-ksh", "testing", (0.175, 0.296, 0.293)),
        ("mnist", "tsh-ksh", "testing", (0.843, 0.893, 0.889)),
        ("cifar10", "tsh-splh", "testing", (0.284, 0.444, 0.416)),
        ("mnist", "sths-rbf", "testing", (0.674, 0.897, 0.893)),
        ("labelme", "ksh", "testing", (0.165, 0.279, 0.158)),
        ("cifar10", "mlh", "testing", (0.150, 0.264, 0.215)),
        ("mnist", "spher", "testing", (0.296, 0.624, 0.623)),
        ("cifar10", "lsh", "testing", (0.123, 0.188, 0.162)),
        ("labelme", "tsh-bre", "training", (0.527, 0.600, 0.230)),
        ("mnist", "tsh-ee", "training", (1.000, 1.000, 0.667)),
        ("cifar10", "ksh", "training", (0.585, 0.652, 0.481)),
        ("mnist", "mlh", "training", (0.547, 0.685, 0.478)),
    ],
)
def test_table_1_is_as_printed(dataset, method, side, numbers):
    found = tuple(published_quality(dataset, method, side, name) for name in MEASURES)
    assert found == numbers


@pytest.mark.parametrize(
    ("dataset", "method", "seconds"),
    [
        ("labelme", "tsh-ksh", (198, 107)),
        ("mnist", "tsh-exph", (334, 281)),
        ("cifar10", "tsh-bre", (234, 175)),
        ("mnist", "bres", (615, None)),
        ("cifar10", "mlh", (658, None)),
    ],
)
def test_table_2_is_as_printed(dataset, method, seconds):
    assert published_seconds(dataset, method) == seconds


def test_tables_are_whole():
    assert len(_QUALITY["training"]) == 10 * 9
    assert len(_QUALITY["testing"]) == 19 * 9
    assert len(_SECONDS) == 8


def test_every_printed_method_has_a_row():
    known = {method.name for method in KNOWN_METHODS}
    printed = {method for table in _QUALITY.values() for _, method, _ in table}
    assert printed | set(_SECONDS) <= known


def test_all_printed_shares_are_between_0_and_1():
    assert all(0 < value <= 1 for table in _QUALITY.values() for value in table.values())


def test_the_paper_prints_nothing_for_other_sets_methods_and_bits():
    for dataset in DATASETS:
        assert published_quality(dataset, "sdh", "testing", "pr_area") is None
        assert published_quality(dataset, "sths-rbf", "training", "pr_area") is None
        assert published_quality(dataset, "lsh", "testing", "pr_area", n_bits=16) is None
        assert published_seconds(dataset, "lsh") is None
        assert published_seconds(dataset, "ksh", n_bits=16) is None
    assert published_quality("digits", "lsh", "testing", "pr_area") is None
    assert published_seconds("digits", "ksh") is None
