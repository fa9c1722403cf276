"""Checkpoints: the results of long steps, kept on disk in the order in which they were computed.

Work that always takes the same steps in the same order needs no other record of its progress: when
it is started again, it goes through its steps, and those on disk are read instead of computed. So
the code only marks its steps with :func:`remember`, and the result after an interruption is the
same as without one, to the last bit.
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

from hashlearn.files._tensor_file import CHECKPOINT, read_tensors, write_tensors
from hashlearn.files.writing import TEMPORARY, check_writable

FLUSH_SECONDS = 1.0  # steps that took less together share a file

Result = TypeVar("Result", np.ndarray, tuple[np.ndarray, ...])


class _Step(NamedTuple):
    """The result of a step: its name, its arrays, and the random state after it."""

    name: str
    arrays: tuple[np.ndarray, ...]
    is_tuple: bool
    random_state: tuple[np.ndarray, ...]


_journal: ContextVar[_Journal | None] = ContextVar("journal", default=None)


def remember(
    name: str,
    compute: Callable[[], Result],
    random_state: np.random.RandomState | None = None,
) -> Result:
    """Return the result of a step of long work: from the checkpoint, or by computing it.

    Without a checkpoint, and inside of another step, it is always computed.

    Parameters
    ----------
    name : str
        The name of the step; a checkpoint with another step in this place is refused.
    compute : callable
        Computes the step; it returns an array or a tuple of arrays.
    random_state : RandomState, default=None
        The random state that the step uses. When the step is read from the checkpoint, it is set
        to its state after the step.

    Returns
    -------
    result : ndarray or tuple of ndarray
        In C order.

    Examples
    --------
    >>> import numpy as np
    >>> from hashlearn.files import remember
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
        journal.record(_Step(name, arrays, is_tuple, _state_of(random_state)))
        return result
    if random_state is not None:
        _set_state(random_state, step.random_state)
    return step.arrays if step.is_tuple else step.arrays[0]  # type: ignore[return-value]


def _in_order(result: Result) -> Result:
    """Return arrays in C order, as a file returns them: rounding may depend on the layout."""
    if isinstance(result, tuple):
        return tuple(np.asarray(array, order="C") for array in result)
    return np.asarray(result, order="C")


@contextmanager
def checkpointing(
    folder: str | os.PathLike[str] | None,
    work: Mapping[str, str],
    random_state: np.random.RandomState,
) -> Iterator[np.random.RandomState]:
    """Keep the results of the steps marked with `remember` until the work is done.

    Parameters
    ----------
    folder : str, path-like or None
        The folder to keep them in. It is created, and removed when the work is done. None: no
        checkpoint.
    work : mapping of str to str
        Describes the work. A checkpoint of other work is refused.
    random_state : RandomState
        The random state that the work starts with.

    Yields
    ------
    random_state : RandomState
        The same, or with a folder a copy, in the state in which the work was first started.

    Examples
    --------
    >>> import tempfile
    >>> from contextlib import suppress
    >>> import numpy as np
    >>> from hashlearn.files import checkpointing, remember
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for fails in (True, False):
    ...         with suppress(KeyboardInterrupt), checkpointing(folder, {}, np.random):
    ...             steps = [remember("first", lambda: np.array([fails]))]
    ...             if fails:
    ...                 raise KeyboardInterrupt
    >>> steps  # the first step was not computed again
    [array([ True])]
    """
    if folder is None:
        yield random_state
        return
    journal = _Journal(check_checkpoint_folder(folder), dict(work))
    token = _journal.set(journal)
    try:
        copy = np.random.RandomState()
        _set_state(copy, _state_of(random_state))
        remember("start", lambda: (), copy)
        yield copy
    except BaseException:  # on Ctrl-C too, finished steps are kept
        journal.flush()
        raise
    finally:
        _journal.reset(token)
    journal.remove()


def check_checkpoint_folder(folder: str | os.PathLike[str]) -> Path:
    """Return the path of a checkpoint's folder; raise if files cannot be written there.

    Parameters
    ----------
    folder : str or path-like
        The folder. It need not exist; its parent must.

    Returns
    -------
    path : Path

    Examples
    --------
    >>> from hashlearn.files import check_checkpoint_folder
    >>> check_checkpoint_folder("/dev/null")
    Traceback (most recent call last):
    NotADirectoryError: [Errno 20] Not a directory: '/dev/null'
    """
    path = Path(folder)
    if path.exists() and not path.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(path))
    check_writable(path / _name(0) if path.exists() else path)
    return path


class _Journal:
    """The steps of one computation: those on disk, then new ones."""

    def __init__(self, folder: Path, work: dict[str, str]) -> None:
        self.folder = folder
        self.work = work
        self.files = deque(_files_in_order(folder))
        self.known: deque[_Step] = deque()
        self.new: list[_Step] = []
        self.n_files = len(self.files)
        self.flushed = time.monotonic()

    def recall(self, name: str) -> _Step | None:
        """Return the next step from disk, None if no more are left."""
        if not self.known and self.files:
            self.known.extend(self._read(self.files.popleft()))
            self.flushed = time.monotonic()
        if not self.known:
            return None
        step = self.known.popleft()
        if step.name != name:
            raise ValueError(
                f"checkpoint={str(self.folder)!r} belongs to other work: its next step is "
                f"{step.name!r}, not {name!r}; name another folder."
            )
        return step

    def record(self, step: _Step) -> None:
        """Keep a step, on disk if enough time has passed since the last write."""
        self.new.append(step)
        if time.monotonic() - self.flushed >= FLUSH_SECONDS:
            self.flush()

    def flush(self) -> None:
        """Write the steps that are not on disk yet, unless it is only the start."""
        if not self.new or (self.n_files == 0 and len(self.new) == 1):
            return
        self.folder.mkdir(exist_ok=True)
        steps = [[step.name, len(step.arrays), step.is_tuple] for step in self.new]
        tensors = {
            f"{i}.{part}.{j}": array
            for i, step in enumerate(self.new)
            for part, arrays in (("result", step.arrays), ("chance", step.random_state))
            for j, array in enumerate(arrays)
        }
        path = self.folder / _name(self.n_files)
        write_tensors(path, CHECKPOINT, {"work": self.work, "steps": steps}, tensors)
        self.n_files += 1
        self.new = []
        self.flushed = time.monotonic()

    def remove(self) -> None:
        """Delete the files, and the folder if nothing else is in it."""
        for path in [*self.folder.glob("*.steps"), *self.folder.glob(f"{TEMPORARY}*")]:
            path.unlink()
        with suppress(OSError):
            self.folder.rmdir()

    def _read(self, path: Path) -> list[_Step]:
        document, tensors = read_tensors(path, CHECKPOINT, mmap=False, verify=True)
        content = document["content"]
        differing = [
            key
            for key in {**self.work, **content["work"]}
            if self.work.get(key) != content["work"].get(key)
        ]
        if differing:
            raise ValueError(
                f"checkpoint={str(self.folder)!r} belongs to other work, with another "
                f"{' and '.join(differing)}: name another folder, or delete this one."
            )
        return [
            _Step(
                name,
                tuple(tensors[f"{i}.result.{j}"] for j in range(n_arrays)),
                is_tuple,
                tuple(tensors[f"{i}.chance.{j}"] for j in range(2) if f"{i}.chance.{j}" in tensors),
            )
            for i, (name, n_arrays, is_tuple) in enumerate(content["steps"])
        ]


def _files_in_order(folder: Path) -> list[Path]:
    """Return the files of a checkpoint; raise if one is missing."""
    files = sorted(folder.glob("*.steps"))
    for number, path in enumerate(files):
        if path.name != _name(number):
            raise ValueError(
                f"checkpoint={str(folder)!r} lacks the file {_name(number)!r}: delete the folder "
                "to start again."
            )
    return files


def _name(number: int) -> str:
    return f"{number:06d}.steps"


def _state_of(random_state: Any) -> tuple[np.ndarray, ...]:
    if random_state is None:
        return ()
    _, keys, *rest = random_state.get_state()
    return keys, np.array(rest, dtype=np.float64)


def _set_state(random_state: Any, state: tuple[np.ndarray, ...]) -> None:
    keys, (position, has_gauss, gauss) = state
    random_state.set_state(("MT19937", keys, int(position), int(has_gauss), float(gauss)))
