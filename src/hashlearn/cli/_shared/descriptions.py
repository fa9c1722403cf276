"""Descriptions of files for `hashlearn info`: models, indexes, items."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from hashlearn._numerics.columns import listing
from hashlearn.base.summary import Summary
from hashlearn.cli._shared.codes import load_hasher
from hashlearn.files import FileInfo, file_info, read_model_facts
from hashlearn.items import open_items
from hashlearn.search import HammingIndex


@dataclass(frozen=True)
class Description:
    """Facts about a file; `text` is for people only, `for_machines` for JSON only."""

    facts: dict[str, Any]
    text: str = ""
    for_machines: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        width = max(map(len, self.facts))
        lines = [
            f"{name.replace('_', ' '):<{width}}   {_in_words(value)}"
            for name, value in self.facts.items()
        ]
        return "\n".join([*lines, "", self.text] if self.text else lines)

    def as_json(self) -> str:
        """Return the facts as one JSON object."""
        return json.dumps(self.facts | self.for_machines, default=_as_json)


def describe(path: Path, array: str | None, verify: bool) -> Description:
    """Describe a file; `verify` reads an index whole, checks its sums and counts its codes."""
    info = file_info(path)
    if info is None and path.suffix == ".hashlearn":
        load_hasher(path)  # raises an error that says what is wrong with it
    if info is not None and info.kind == "model":
        return _describe_model(path, info)
    if info is not None and info.kind == "index":
        return _describe_index(path, info, verify)
    return _describe_items(path, array)


def _describe_model(path: Path, info: FileInfo) -> Description:
    """Describe a model by its file alone: scikit-learn, which takes a second, is not imported."""
    kind, params, attributes, digest = read_model_facts(path)
    if kind.startswith("method:") and "code_summary_" in attributes:
        summary = Summary(**attributes["code_summary_"])
    else:  # it has the codes themselves, or is not a hasher
        summary = load_hasher(path).summary()
    facts = {
        "kind": "model",
        "method": kind.partition(":")[2],
        "parameters": params,
        "bits": params["n_bits"],
        "features": attributes["n_features_in_"],
        "names": list(attributes.get("feature_names_in_", [])),
        "training_items": summary.n_items,
        "fingerprint": digest,
        **_file_facts(path, info),
    }
    return Description(facts, str(summary), {"summary": asdict(summary)})


def _describe_index(path: Path, info: FileInfo, verify: bool) -> Description:
    index = HammingIndex.load(path, verify=verify)
    facts = {
        "kind": "index",
        "items": len(index),
        "bits": index.n_bits,
        "model": index.model or "unknown",
        "ids": "text" if index.ids.dtype == object else "integers",
        "layout": index.layout,
        "ties": index.ties,
        **_file_facts(path, info),
    }
    if verify or index.layout == "bucketed":  # a plain layout must read all codes to count them
        facts["distinct_codes"] = index.n_distinct
    return Description(facts, "Its checksums are right." if verify else "")


def _describe_items(path: Path, array: str | None) -> Description:
    source = open_items(path, array)
    if source.code_column is not None:
        facts: dict[str, Any] = {"kind": "codes", "items": source.n_items, "bits": source.n_bits}
        return Description(facts | {"model": source.model or "unknown", **_size(path)})
    is_counted = source.n_items is not None
    facts = {
        "kind": "items",
        "items" if is_counted else "items_about": source.approximate_n_items,
        "columns": source.n_features(),
        "names": list(source.columns or []),
        **_size(path),
    }
    return Description(facts)


def _size(path: Path) -> dict[str, int]:
    return {"bytes": path.stat().st_size}


def _file_facts(path: Path, info: FileInfo) -> dict[str, Any]:
    """Return the size of a file and the version that wrote it."""
    return {
        "bytes": path.stat().st_size,
        "format_version": info.format_version,
        "written_by": f"hashlearn {info.hashlearn_version}",
    }


def _in_words(value: Any) -> str:
    """Return a fact for people."""
    match value:
        case int():
            return f"{value:,}"
        case dict():
            return ", ".join(f"{name}={item!r}" for name, item in value.items())
        case list():
            return listing(value)
    return str(value)


def _as_json(value: Any) -> Any:
    """Return a value for JSON: arrays as lists, parts of a hasher by their repr."""
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else repr(value)
