"""Checkpoints: the results of long steps, kept on disk in the order in which they came.

Work that always takes the same steps in the same order needs no other memory of where it was:
begun again, it goes through its steps, and those that are on disk are read instead of done.
So the code that does the work only says what a step is, by :func:`remember`, and the result
after an interruption is that without one, to the last bit.
"""

from __future__ import annotations

import errno
import os
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np

from hashlearn.files.atomic import TEMPORARY, check_writable
from hashlearn.files.formats import CHECKPOINT
from hashlearn.files.tensor_file import read_tensors, write_tensors

FLUSH_SECONDS = 1.0  # steps that took less together are not worth a file each

Result = TypeVar("Result", np.ndarray, tuple[np.ndarray, ...])


class Step(NamedTuple):
    """What a step gave: its name, its arrays, and the source of chance after it."""

    name: str
    arrays: tuple[np.ndarray, ...]
    is_tuple: bool
    chance: tuple[np.ndarray, ...]


_journal: ContextVar[_Journal | None] = ContextVar("journal", default=None)


def remember(
    name: str,
    compute: Callable[[], Result],
    random_state: np.random.RandomState | None = None,
) -> Result:
    """Return what a step of long work gives: from the checkpoint, or by doing it.

    Without a checkpoint, and inside of another step, it is just done.

    Parameters
    ----------
    name : str
        What the step is; a checkpoint with another step at this place is refused.
    compute : callable
        Does the step; it returns an array or a tuple of arrays.
    random_state : RandomState, default=None
        The source of chance that the step uses: it goes on as if the step had been done.

    Examples
    --------
    >>> remember("squares", lambda: np.arange(3) ** 2)
    array([0, 1, 4])
    """
    journal = _journal.get()
    if journal is None:
        return _in_order(compute())
    step = journal.recall(name)
    if step is None:
        token = _journal.set(None)
        try:
            result = _in_order(compute())
        finally:
            _journal.reset(token)
        is_tuple = isinstance(result, tuple)
        arrays = result if isinstance(result, tuple) else (result,)
        journal.record(Step(name, arrays, is_tuple, _state_of(random_state)))
        return result
    if random_state is not None:
        _set_state(random_state, step.chance)
    return step.arrays if step.is_tuple else step.arrays[0]  # type: ignore[return-value]


def _in_order(result: Result) -> Result:
    """Return arrays laid out as a file gives them back: products may round by the layout."""
    if isinstance(result, tuple):
        return tuple(np.asarray(array, order="C") for array in result)
    return np.asarray(result, order="C")


@contextmanager
def checkpointing(
    folder: str | os.PathLike[str] | None,
    work: Mapping[str, str],
    random_state: np.random.RandomState,
) -> Iterator[np.random.RandomState]:
    """Keep the steps that `remember` is told of, until the work is done.

    Parameters
    ----------
    folder : str, path-like or None
        Where; it is made, and removed when the work is done. None: nowhere.
    work : mapping of str to str
        What the work is. A checkpoint of other work is refused.
    random_state : RandomState
        The source of chance.

    Yields
    ------
    random_state : RandomState
        The same, or with a folder a copy: it starts as it did when the work was first begun.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for fails in (True, False):
    ...         with suppress(KeyboardInterrupt), checkpointing(folder, {}, np.random):
    ...             steps = [remember("first", lambda: np.array([fails]))]
    ...             if fails:
    ...                 raise KeyboardInterrupt
    >>> steps  # the first step was not done again
    [array([ True])]
    """
    if folder is None:
        yield random_state
        return
    journal = _Journal(check_folder(folder), dict(work))
    token = _journal.set(journal)
    try:
        chance = np.random.RandomState()
        _set_state(chance, _state_of(random_state))
        remember("start", lambda: (), chance)
        yield chance
    except BaseException:  # Ctrl-C too: what is done is kept
        journal.flush()
        raise
    finally:
        _journal.reset(token)
    journal.remove()


def check_folder(folder: str | os.PathLike[str]) -> Path:
    """Return a folder's path; raise, before any work, if no files can be kept there.

    Examples
    --------
    >>> check_folder("/dev/null")
    Traceback (most recent call last):
    NotADirectoryError: [Errno 20] Not a directory: '/dev/null'
    """
    path = Path(folder)
    if path.exists() and not path.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(path))
    check_writable(path / _name(0) if path.exists() else path)
    return path


class _Journal:
    """The steps of one piece of work: those on disk, then those that are new."""

    def __init__(self, folder: Path, work: dict[str, str]) -> None:
        self.folder = folder
        self.work = work
        self.files = deque(_files_in_order(folder))
        self.known: deque[Step] = deque()
        self.new: list[Step] = []
        self.n_files = len(self.files)
        self.flushed = time.monotonic()

    def recall(self, name: str) -> Step | None:
        """Return the next step from disk, None if there is none left."""
        if not self.known and self.files:
            self.known.extend(self._read(self.files.popleft()))
            self.flushed = time.monotonic()
        if not self.known:
            return None
        step = self.known.popleft()
        if step.name != name:
            raise ValueError(
                f"checkpoint={str(self.folder)!r} has the step {step.name!r} where the work "
                f"comes to {name!r}: it is of other work; name another folder."
            )
        return step

    def record(self, step: Step) -> None:
        """Keep a step, on disk if enough time went by since the last."""
        self.new.append(step)
        if time.monotonic() - self.flushed >= FLUSH_SECONDS:
            self.flush()

    def flush(self) -> None:
        """Write the steps that are not on disk yet; the start alone is not worth it."""
        if not self.new or (self.n_files == 0 and len(self.new) == 1):
            return
        self.folder.mkdir(exist_ok=True)
        steps = [[step.name, len(step.arrays), step.is_tuple] for step in self.new]
        tensors = {
            f"{i}.{part}.{j}": array
            for i, step in enumerate(self.new)
            for part, arrays in (("result", step.arrays), ("chance", step.chance))
            for j, array in enumerate(arrays)
        }
        path = self.folder / _name(self.n_files)
        write_tensors(path, CHECKPOINT, {"work": self.work, "steps": steps}, tensors)
        self.n_files += 1
        self.new = []
        self.flushed = time.monotonic()

    def remove(self) -> None:
        """Delete the files, and the folder unless something else is in it."""
        for path in [*self.folder.glob("*.steps"), *self.folder.glob(f"{TEMPORARY}*")]:
            path.unlink()
        with suppress(OSError):
            self.folder.rmdir()

    def _read(self, path: Path) -> list[Step]:
        document, tensors = read_tensors(path, CHECKPOINT, mmap=False, verify=True)
        content = document["content"]
        differing = [
            key
            for key in {**self.work, **content["work"]}
            if self.work.get(key) != content["work"].get(key)
        ]
        if differing:
            raise ValueError(
                f"checkpoint={str(self.folder)!r} is of other work, with another "
                f"{' and '.join(differing)}: name another folder, or delete this one."
            )
        return [
            Step(
                name,
                tuple(tensors[f"{i}.result.{j}"] for j in range(n_arrays)),
                is_tuple,
                tuple(tensors[f"{i}.chance.{j}"] for j in range(2) if f"{i}.chance.{j}" in tensors),
            )
            for i, (name, n_arrays, is_tuple) in enumerate(content["steps"])
        ]


def _files_in_order(folder: Path) -> list[Path]:
    """Return the files of a checkpoint; raise if one is missing among them."""
    files = sorted(folder.glob("*.steps"))
    for number, path in enumerate(files):
        if path.name != _name(number):
            raise ValueError(
                f"checkpoint={str(folder)!r} lacks the file {_name(number)!r}: delete the folder "
                "to start anew."
            )
    return files


def _name(number: int) -> str:
    return f"{number:06d}.steps"


def _state_of(random_state: Any) -> tuple[np.ndarray, ...]:
    """Return the state of a source of chance as arrays."""
    if random_state is None:
        return ()
    _, keys, *rest = random_state.get_state()
    return keys, np.array(rest, dtype=np.float64)


def _set_state(random_state: Any, state: tuple[np.ndarray, ...]) -> None:
    keys, (position, has_gauss, gauss) = state
    random_state.set_state(("MT19937", keys, int(position), int(has_gauss), float(gauss)))
