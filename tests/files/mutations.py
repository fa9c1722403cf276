"""For the fuzz test: what can happen to a tensor file, by accident or on purpose."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tests.files.tensor_file_parts import Parts, header_end

Random = np.random.Generator
JSON_CHARACTERS = b'0123456789"{}[],:.-eEtrufalsn \\'
ODD_VALUES = [0, -1, 1, 64, 2**31, 2**32, 2**63, 2**64, 10**30, 0.5, 1e300, True, None]
ODD_VALUES += ["", "U8", "I64", "F32", "BOOL", "plain", "bucketed", "0" * 64, [], {}, [0], "words"]


def accidents(content: bytes, n: int, random: Random) -> Iterator[bytes]:
    """Yield n damaged copies, none of whose checksums was made to fit."""
    for i in range(n):
        if i % 3:
            yield BYTES[i % len(BYTES)](bytearray(content), random)
        else:
            parts = Parts.of(content)
            EDITS[i % len(EDITS)](parts, random)
            yield parts.join()


def forgeries(content: bytes, n: int, random: Random) -> Iterator[bytes]:
    """Yield n changed copies whose checksums fit, of the document or of the arrays too."""
    for i in range(n):
        parts = Parts.of(content)
        edit = [*EDITS, change_data][i % (len(EDITS) + 1)]
        edit(parts, random)
        seal = parts.seal_arrays if edit is change_data or random.random() < 0.7 else parts.seal
        seal()
        yield parts.join()


def place_in(content: bytearray, random: Random) -> int:
    """Return a place, every other time in the header, where most of the meaning is."""
    end = header_end(content) if random.random() < 0.5 else len(content)
    return int(random.integers(end))


def truncate(content: bytearray, random: Random) -> bytes:
    return bytes(content[: place_in(content, random)])


def extend(content: bytearray, random: Random) -> bytes:
    return bytes(content) + random.bytes(int(random.integers(1, 100)))


def flip_a_bit(content: bytearray, random: Random) -> bytes:
    content[place_in(content, random)] ^= 1 << int(random.integers(8))
    return bytes(content)


def overwrite_a_run(content: bytearray, random: Random) -> bytes:
    start = place_in(content, random)
    stop = min(len(content), start + int(random.integers(1, 64)))
    run = random.bytes(stop - start) if random.random() < 0.5 else bytes(stop - start)
    content[start:stop] = run
    return bytes(content)


def swap_bytes(content: bytearray, random: Random) -> bytes:
    a, b = place_in(content, random), place_in(content, random)
    content[a], content[b] = content[b], content[a]
    return bytes(content)


def insert_bytes(content: bytearray, random: Random) -> bytes:
    place = place_in(content, random)
    content[place:place] = random.bytes(int(random.integers(1, 9)))
    return bytes(content)


def delete_bytes(content: bytearray, random: Random) -> bytes:
    place = place_in(content, random)
    del content[place : place + int(random.integers(1, 9))]
    return bytes(content)


def write_json_characters(content: bytearray, random: Random) -> bytes:
    place = int(random.integers(8, header_end(content)))
    content[place : place + 1] = bytes(random.choice(list(JSON_CHARACTERS), 2))
    return bytes(content)


def change_header_length(content: bytearray, random: Random) -> bytes:
    length = header_end(content) - 8
    others = [0, 1, length - 8, length - 1, length + 1, length + 8, len(content), 2**63, 2**64 - 1]
    content[:8] = int(random.choice(np.array(others, dtype=np.uint64))).to_bytes(8, "little")
    return bytes(content)


def change_a_leaf(parts: Parts, random: Random) -> None:
    """Change one value of the header or of a part of the document."""
    document = parts.document
    roots = [parts.entries, document, document["content"], document["digests"]]
    leaves = list(_leaves(roots[int(random.integers(len(roots)))]))
    if leaves:
        container, key = leaves[int(random.integers(len(leaves)))]
        container[key] = _other_value(container[key], random)


def change_an_entry(parts: Parts, random: Random) -> None:
    """Change dtype, shape or place of an array so that it may still fit the file."""
    entry = parts.entries[_name_in(parts.entries, random)]
    shape, (start, stop) = entry["shape"], entry["data_offsets"]
    changes: list[dict[str, Any]] = [
        {"dtype": str(random.choice(["U64", "I64", "F64", "U32", "U8", "BOOL", "BF16", "X"]))},
        {"shape": shape[::-1]},
        {"shape": [*shape, 1]},
        {"shape": [int(np.prod(shape))]},
        {"shape": [2**32, 2**32, *shape]},
        {"data_offsets": [start + 8, stop + 8]},
        {"data_offsets": [start, stop - 8], "shape": [*shape[:-1], shape[-1] - 1] if shape else []},
        {"data_offsets": [stop, start]},
        {"data_offsets": [0, stop - start]},
    ]
    entry.update(changes[int(random.integers(len(changes)))])


def rename_an_array(parts: Parts, random: Random) -> None:
    name = _name_in(parts.entries, random)
    parts.entries[str(random.choice(["", "ids", "words2", "__metadata__"]))] = parts.entries.pop(
        name
    )


def drop_an_array(parts: Parts, random: Random) -> None:
    """Leave out an array, and its bytes where it is the last."""
    start, stop = parts.entries.pop(_name_in(parts.entries, random))["data_offsets"]
    if stop == len(parts.data):
        parts.data = parts.data[:start]


def swap_arrays(parts: Parts, random: Random) -> None:
    """Let two names stand for each other's arrays."""
    a, b = _name_in(parts.entries, random), _name_in(parts.entries, random)
    parts.entries[a], parts.entries[b] = parts.entries[b], parts.entries[a]


def change_the_content(parts: Parts, random: Random) -> None:
    """Change a value that the content holds, such as n_bits, a little or to another's."""
    leaves = list(_leaves(parts.document["content"]))
    container, key = leaves[int(random.integers(len(leaves)))]
    container[key] = _other_value(container[key], random)


def change_data(parts: Parts, random: Random) -> None:
    """Overwrite numbers of the arrays, aligned, by large, small or neighbouring ones."""
    data = bytearray(parts.data)
    for _ in range(int(random.integers(1, 4))):
        size = int(random.choice([4, 8]))
        place = int(random.integers(max(1, len(data) // size))) * size
        number = int.from_bytes(data[place : place + size], "little")
        numbers = [0, number + 1, number - 1, 2 * number, 2 ** (8 * size - 1), -1, 2**31, 1000]
        other = numbers[int(random.integers(len(numbers)))] % 2 ** (8 * size)
        data[place : place + size] = other.to_bytes(size, "little")
    parts.data = bytes(data[: len(parts.data)])


def _leaves(root: Any) -> Iterator[tuple[Any, Any]]:
    """Yield container and key of every value in a JSON value, containers too."""
    if isinstance(root, dict | list):
        for key in list(root) if isinstance(root, dict) else range(len(root)):
            yield root, key
            yield from _leaves(root[key])


def _other_value(value: Any, random: Random) -> Any:
    if type(value) is int and random.random() < 0.6:
        return int(value + random.choice([-64, -8, -1, 1, 8, 64]))
    return ODD_VALUES[int(random.integers(len(ODD_VALUES)))]


def _name_in(entries: dict[str, Any], random: Random) -> str:
    return list(entries)[int(random.integers(len(entries)))]


BYTES: list[Callable[[bytearray, Random], bytes]] = [
    truncate,
    extend,
    flip_a_bit,
    overwrite_a_run,
    swap_bytes,
    insert_bytes,
    delete_bytes,
    write_json_characters,
    change_header_length,
    flip_a_bit,
    overwrite_a_run,
]
EDITS: list[Callable[[Parts, Random], None]] = [
    change_a_leaf,
    change_an_entry,
    rename_an_array,
    drop_an_array,
    swap_arrays,
    change_the_content,
    change_a_leaf,
]
