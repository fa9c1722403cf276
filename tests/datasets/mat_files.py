"""MATLAB files of every version, written by tests."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
import scipy.io


def write_hdf5(path, arrays):
    """Write a file as MATLAB's `save -v7.3` does: arrays transposed, a text in front."""
    h5py = pytest.importorskip("h5py")
    with h5py.File(path, "w", userblock_size=512) as file:
        for name, array in arrays.items():
            file[name] = np.asarray(array).T
            kind = {"float64": "double", "float32": "single"}.get(array.dtype.name)
            file[name].attrs["MATLAB_class"] = np.bytes_(kind or array.dtype.name)
    with path.open("r+b") as file:
        file.write(b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(124) + b"\x00\x02IM")


WRITERS = {
    "version 5": partial(scipy.io.savemat, do_compression=False),
    "version 7": partial(scipy.io.savemat, do_compression=True),
    "version 7.3": write_hdf5,
}
