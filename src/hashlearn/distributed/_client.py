"""The client of a Dask cluster, and what happens when work on it fails."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import CancelledError
from importlib import import_module
from typing import Any

START_AGAIN = "Start again once a scheduler is running."


def extra(name: str) -> Any:
    """Import a module that comes with the extra `dask`."""
    try:
        return import_module(name)
    except ImportError as error:
        raise ImportError(
            f"{name} is not installed: pip install 'hashlearn[dask]' for work on a Dask cluster."
        ) from error


def find_client(client: Any = None) -> Any:
    """Return the given client, or the default one of this process."""
    distributed = extra("distributed")
    if client is not None:
        if not isinstance(client, distributed.Client):
            raise TypeError(f"client must be a distributed.Client; got {client!r}.")
        return client
    try:
        return distributed.get_client()
    except ValueError as error:
        raise ValueError(
            'There is no Dask client. Make one with distributed.Client("tcp://host:8786"), or with '
            "distributed.Client(distributed.LocalCluster()) on this machine, or give client=."
        ) from error


def check_connected(client: Any, advice: str = START_AGAIN) -> None:
    """Raise if a client is closed or closing: its tasks would never end."""
    if client.status in ("closing", "closed"):
        raise _lost(advice)


def count_threads(client: Any, advice: str = START_AGAIN) -> dict[str, int]:
    """Return the threads of each worker, as the scheduler knows them now."""
    try:
        return client.nthreads()
    except OSError as error:
        raise _lost(advice) from error


def gather(client: Any, futures: Sequence[Any], advice: str = START_AGAIN) -> list[Any]:
    """Return the results of tasks; cancel all of them if one fails, and on Ctrl-C.

    The death of a worker only delays a task: the scheduler runs it again on another.
    """
    distributed = extra("distributed")
    try:
        return client.gather(list(futures))
    except BaseException as error:
        cancel(client, futures)
        if isinstance(error, distributed.KilledWorker):
            raise RuntimeError(
                f"A task was given up because the workers that ran it died one after another: "
                f"{error}. Their logs say why; the usual reason is a task that exceeds their "
                "memory."
            ) from error
        if isinstance(error, CancelledError):
            raise _lost(advice) from error
        raise


def cancel(client: Any, futures: Sequence[Any]) -> None:
    """Cancel tasks; a closed client has none left."""
    if client.status not in ("closing", "closed"):
        client.cancel(list(futures))


def _lost(advice: str) -> RuntimeError:
    return RuntimeError(
        "The scheduler is gone, or has forgotten its data: it was stopped or restarted, or the "
        f"client was closed. {advice}"
    )
