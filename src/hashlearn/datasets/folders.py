"""Where files of data sets are looked for, and what to say when they are not there."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

Folder = str | os.PathLike[str]


def data_folders(data_home: Folder | None = None) -> list[Path]:
    """Return the folders that hold data sets, in the order in which they are looked at.

    Parameters
    ----------
    data_home : str or path-like, optional
        The folder to look at first; then come ``HASHLEARN_DATA`` and scikit-learn's data home.

    Examples
    --------
    >>> data_folders("sets")[0].as_posix()
    'sets'
    """
    # Not sklearn.datasets.get_data_home: it would create the folder.
    scikit_learn = os.environ.get("SCIKIT_LEARN_DATA") or "~/scikit_learn_data"
    folders = [data_home, os.environ.get("HASHLEARN_DATA") or None, scikit_learn]
    paths = [Path(folder).expanduser() for folder in folders if folder is not None]
    return list(dict.fromkeys(paths))


def find_file(
    names: Sequence[str], subfolders: Sequence[str], data_home: Folder | None
) -> Path | None:
    """Return the first file of one of these names, in a data folder or a subfolder of it."""
    for folder in data_folders(data_home):
        for place in (folder, *(folder / subfolder for subfolder in subfolders)):
            for name in names:
                if (place / name).exists():
                    return place / name
    return None


def missing(
    dataset: str, files: Sequence[str], data_home: Folder | None, *, why: str = ""
) -> FileNotFoundError:
    """Return the error that says which files to put where.

    Parameters
    ----------
    dataset : str
        The name of the set.
    files : sequence of str
        What is missing, and how it is called.
    data_home : str or path-like, optional
        As for the loader.
    why : str
        A sentence about a download that failed.
    """
    folders = " or ".join(f"{os.fspath(folder)!r}" for folder in data_folders(data_home))
    message = (
        f"{dataset} is not there: put {', '.join(files)} into {folders}, or into the folder that "
        f"data_home= or HASHLEARN_DATA names."
    )
    return FileNotFoundError(f"{message} {why}".rstrip())
