"""Atomic writing of files, and the folder of files that can be made again."""

from __future__ import annotations

import errno
import hashlib
import os
import platform
import re
import secrets
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import BinaryIO

fcntl: ModuleType | None
try:
    import fcntl
except ImportError:  # not on every system
    fcntl = None

TEMPORARY = ".hashlearn-"  # prefix of files that are not whole yet
_NAME = re.compile(rf"{re.escape(TEMPORARY)}(?:([0-9a-f]{{8}})-)?[0-9a-f]{{16}}\.tmp")
_ABANDONED_SECONDS = 86_400  # no writer waits a day between two blocks


@contextmanager
def atomic_writer(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file for writing that replaces `path` when the block ends, and only then.

    The bytes go to a temporary file in the same folder, reach the disk, and take the final
    name in one step. If the block fails or is interrupted, the temporary file is removed and
    `path` is what it was before. What a killed process left is removed by the next writer in that
    folder; what another machine left, a day later.

    Parameters
    ----------
    path : str or path-like
        The file to write. A symbolic link is followed; an existing file keeps its permissions.

    Yields
    ------
    file : binary file object

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from hashlearn.files import atomic_writer
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = Path(folder.name) / "note.txt"
    >>> with atomic_writer(path) as file:
    ...     _ = file.write(b"whole")
    >>> path.read_bytes()
    b'whole'
    >>> folder.cleanup()
    """
    target = check_writable(path)
    _remove_abandoned(target.parent)
    temporary, file = _open_temporary(target.parent)
    try:
        with file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            shutil.copymode(target, temporary)
        os.replace(temporary, target)
    except BaseException as error:  # KeyboardInterrupt too leaves no temporary file
        with suppress(FileNotFoundError):
            temporary.unlink()
        if isinstance(error, OSError) and error.errno == errno.ENOSPC and error.filename is None:
            error.filename = str(target)  # a full disk does not say which file
        raise
    _sync_folder(target.parent)


def check_writable(path: str | os.PathLike[str]) -> Path:
    """Return the file that a path refers to; raise if it cannot be written or replaced.

    Only a regular file is ever replaced, never a device or a pipe.

    Parameters
    ----------
    path : str or path-like
        The file to write. It need not exist; its folder must.

    Returns
    -------
    target : Path
        The real path: symbolic links are followed.

    Raises
    ------
    OSError
        If the folder does not exist or is not writable, or the path is not that of a regular file.

    Examples
    --------
    >>> from hashlearn.files import check_writable
    >>> check_writable("no/such/folder/file")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    FileNotFoundError: [Errno 2] No such file or directory: '...no/such/folder'
    """
    target = Path(os.path.realpath(path))
    if not target.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(target.parent))
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(target))
    if target.exists() and not target.is_file():
        raise FileExistsError(errno.EEXIST, "is not a regular file", str(target))
    if not os.access(target.parent, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(target.parent))
    return target


def _open_temporary(folder: Path) -> tuple[Path, BinaryIO]:
    """Open a new file, locked until it is closed, if only by the end of the process."""
    while True:
        path = folder / f"{TEMPORARY}{_this_machine()}-{secrets.token_hex(8)}.tmp"
        file = path.open("xb")
        _lock(file, wait=True)
        if path.exists():  # else another writer has removed it, before it was locked
            return path, file
        file.close()


def _remove_abandoned(folder: Path) -> None:
    """Remove temporary files whose writers are gone.

    A lock that can be had says so of a writer on this machine. Those of other machines may not be
    seen here, on a network file system; their files must be old.
    """
    found = []
    with suppress(PermissionError), os.scandir(folder) as entries:
        found = [(entry.path, match) for entry in entries if (match := _NAME.fullmatch(entry.name))]
    for path, match in found:
        with suppress(OSError), open(path, "r+b") as file:  # it is locked, or gone by now
            is_free = _lock(file, wait=False) and match[1] == _this_machine()
            age = time.time() - os.fstat(file.fileno()).st_mtime
            if is_free or age > _ABANDONED_SECONDS:
                os.unlink(path)


def _lock(file: BinaryIO, *, wait: bool) -> bool:
    """Lock a file where there are locks, and tell; raise BlockingIOError if another has it."""
    if fcntl is None:
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise
    except OSError:
        return False
    return True


@cache
def _this_machine() -> str:
    """Return 8 hexadecimal digits of this machine since its start, which sees all its locks."""
    try:
        name = Path("/proc/sys/kernel/random/boot_id").read_text()
    except OSError:
        name = platform.node()
    return hashlib.sha256(name.encode()).hexdigest()[:8]


def _sync_folder(folder: Path) -> None:
    """Make a rename in `folder` survive a power failure, where the system supports it."""
    if os.name != "posix":  # elsewhere a folder cannot be opened
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):  # some network file systems refuse to sync a folder
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def cache_folder() -> Path:
    """Return the folder of files that can be made again.

    Returns
    -------
    folder : Path
        ``$HASHLEARN_CACHE`` if it is set, else ``$XDG_CACHE_HOME/hashlearn``, else
        ``~/.cache/hashlearn``. It need not exist.

    Examples
    --------
    >>> from hashlearn.files import cache_folder
    >>> cache_folder().is_absolute()
    True
    """
    if own := os.environ.get("HASHLEARN_CACHE"):
        return Path(own).expanduser()
    return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "hashlearn"
