"""JSON rows of results, with the paper's number next to ours."""

from __future__ import annotations

from typing import Any

from hashlearn.experiments.known_methods import KnownMethod
from hashlearn.experiments.published import MEASURES, published_quality, published_seconds
from hashlearn.experiments.report.tables import rows_for
from hashlearn.experiments.summaries import SIZES, Curve, Result

SIDES = ("training", "testing")
TIMES = ("fit", "step_one", "encode")


def result_row(
    part: str, result: Result, *, with_curves: bool = True, **further: Any
) -> dict[str, Any]:
    """Return the measures, times and curves over seeds of a result.

    Curves are most of a row: a part that does not draw them leaves them out.
    """
    curves = {
        "precision_at_k": _curve(result.precision_at_k(), "k"),
        "precision_recall": _curve(result.precision_recall(), "recall"),
    }
    setting = result.setting
    method = next(row for row in rows_for([result]) if row.name == setting.method)
    return {
        "part": part,
        "status": "run",
        **setting._asdict(),
        **{name: _count(result, name) for name in SIZES},
        "title": method.title,
        "group": method.group,
        "seeds": result.seeds,
        **{side: _measures(result, side) for side in SIDES},
        "seconds": _seconds(result),
        "encode_microseconds": result.encode_microseconds._asdict(),
        "chance": result.chance._asdict(),
        **({"curves": curves} if with_curves else {}),
        **further,
    }


def missing_row(
    part: str, status: str, method: KnownMethod, dataset: str, n_bits: int
) -> dict[str, Any]:
    """Return the row of a method without results: the numbers in the paper."""
    return {
        "part": part,
        "status": status,
        "dataset": dataset,
        "protocol": "usual",
        "method": method.name,
        "n_bits": n_bits,
        "title": method.title,
        "group": method.group,
        **{side: _published(dataset, method.name, side, n_bits) for side in SIDES},
        "seconds": _published_seconds(dataset, method.name, n_bits),
    }


def _measures(result: Result, side: str) -> dict[str, Any]:
    names = {name: None for record in result.records for name in record.get(side) or ()}
    setting = result.setting
    is_printed = setting.protocol == "usual"
    return {
        name: result.spread(side, name)._asdict()
        | {
            "paper": published_quality(setting.dataset, setting.method, side, name, setting.n_bits)
            if is_printed
            else None
        }
        for name in names
    }


def _published(dataset: str, method: str, side: str, n_bits: int) -> dict[str, Any]:
    return {
        name: {"paper": published_quality(dataset, method, side, name, n_bits)} for name in MEASURES
    }


def _seconds(result: Result) -> dict[str, Any]:
    setting = result.setting
    times = {name: result.spread("seconds", name)._asdict() for name in TIMES}
    times["selection"] = result.spread("selection", "seconds")._asdict()
    if setting.protocol == "usual":
        paper = _published_seconds(setting.dataset, setting.method, setting.n_bits)
        for name, values in paper.items():
            times[name] |= values
    return times


def _published_seconds(dataset: str, method: str, n_bits: int) -> dict[str, Any]:
    printed = published_seconds(dataset, method, n_bits)
    total, step_one = printed or (None, None)
    return {"fit": {"paper": total}, "step_one": {"paper": step_one}}


def _count(result: Result, name: str) -> int | list[int]:
    """Return a size, or the sizes of all seeds where they differ."""
    least, greatest = result.size(name)
    return least if least == greatest else result.drawn(name)


def _curve(curve: Curve | None, x: str) -> dict[str, list[float]] | None:
    if curve is None:
        return None
    values = {x: curve.x, "precision": curve.y, "std": curve.std}
    return {name: [round(float(value), 4) for value in array] for name, array in values.items()}
