"""Packed codes as a .npy file, written block by block."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.lib import format as npy

from hashlearn.cli.codes import CodeSource
from hashlearn.cli.progress import Advance
from hashlearn.files import atomic_writer


def write_codes(path: Path, codes: CodeSource, advance: Advance) -> int:
    """Write packed codes to an .npy file, whole or not at all.

    Parameters
    ----------
    path : Path
        The file.
    codes : CodeSource
        What to write.
    advance : callable
        Called with the number of rows of every block written.

    Returns
    -------
    n_items : int
        Rows written.
    """
    n_items, width = 0, -(-codes.n_bits // 8)
    with atomic_writer(path) as file:
        _write_header(file, n_items, width)
        for block in codes.blocks():
            file.write(np.ascontiguousarray(block.packed).data)
            n_items += len(block.packed)
            advance(len(block.packed))
        # Only now is the number of rows known; numpy's header leaves room for any.
        file.seek(0)
        _write_header(file, n_items, width)
    return n_items


def _write_header(file: BinaryIO, n_items: int, width: int) -> None:
    header = {"descr": "|u1", "fortran_order": False, "shape": (n_items, width)}
    npy.write_array_header_1_0(file, header)
