"""The cluster: who the client is, and what happens when work on it fails."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import contextmanager
from importlib import import_module
from typing import Any

CONNECT_SECONDS = 10

START_AGAIN = "Start again once a scheduler runs."


def extra(name: str) -> Any:
    """Import a module that comes with the extra `dask`.

    Examples
    --------
    >>> extra("dask.array").zeros(3, chunks=2).numblocks
    (2,)
    """
    try:
        return import_module(name)
    except ImportError as error:
        raise ImportError(
            f"{name} is not installed: pip install 'hashlearn[dask]' for work on a Dask cluster."
        ) from error


@contextmanager
def connect(address: str, *, timeout: float = CONNECT_SECONDS) -> Iterator[Any]:
    """Connect to the scheduler of a Dask cluster, as long as a `with` block lasts.

    Parameters
    ----------
    address : str
        Where the scheduler listens, such as ``"tcp://host:8786"``.
    timeout : float, default=10
        Seconds after which a scheduler that does not answer is given up.

    Yields
    ------
    client : distributed.Client
        Also the default one inside of the block.

    Raises
    ------
    TypeError
        If the address is not a string.
    ConnectionError
        If there is no scheduler at the address.

    Examples
    --------
    >>> from distributed import LocalCluster
    >>> with LocalCluster(processes=False, n_workers=1, dashboard_address=":0") as cluster:
    ...     with connect(cluster.scheduler_address) as client:
    ...         client.submit(sum, [1, 2, 3]).result()
    6
    """
    _check_scheduler(address, timeout)
    with extra("distributed").Client(address, timeout=timeout) as client:
        yield client


def _check_scheduler(address: str, timeout: float) -> None:
    """Ask who listens: a client that finds nobody would stay behind as the default one."""
    distributed = extra("distributed")
    if not isinstance(address, str):
        raise TypeError(
            f"address={address!r} is not taken: it takes a string, such as 'tcp://host:8786'."
        )

    async def ask() -> str:
        options = distributed.Security().get_connection_args("client")
        async with distributed.rpc(address, timeout=timeout, connection_args=options) as listener:
            return (await asyncio.wait_for(listener.identity(), timeout))["type"]

    try:
        with ThreadPoolExecutor(1) as thread:  # this one may run an event loop already
            kind = thread.submit(asyncio.run, ask()).result()
    except Exception as error:  # of any kind: bytes of another protocol are read as sizes, too
        raise ConnectionError(
            f"No Dask scheduler answers at {address!r} ({str(error) or type(error).__name__}): "
            "it takes the address of one that runs, such as 'tcp://host:8786'."
        ) from error
    if kind != "Scheduler":
        raise ConnectionError(f"A Dask {kind.lower()} is at {address!r}: it takes a scheduler's.")


def find_client(client: Any = None) -> Any:
    """Return the client that is given, or else the default one of this process.

    Parameters
    ----------
    client : distributed.Client, optional

    Returns
    -------
    client : distributed.Client

    Examples
    --------
    >>> find_client()
    Traceback (most recent call last):
    ValueError: There is no Dask client: make one with distributed.Client("tcp://host:8786"), or \
with distributed.Client(distributed.LocalCluster()) on this machine, or give client=.
    """
    distributed = extra("distributed")
    if client is not None:
        if not isinstance(client, distributed.Client):
            raise TypeError(f"client={client!r} is not taken: it takes a distributed.Client.")
        return client
    try:
        return distributed.get_client()
    except ValueError as error:
        raise ValueError(
            'There is no Dask client: make one with distributed.Client("tcp://host:8786"), or with '
            "distributed.Client(distributed.LocalCluster()) on this machine, or give client=."
        ) from error


def check_connected(client: Any, advice: str = START_AGAIN) -> None:
    """Refuse a client that is closed or about to be, whose tasks would never end."""
    if client.status in ("closing", "closed"):
        raise _lost(advice)


def count_threads(client: Any, advice: str = START_AGAIN) -> dict[str, int]:
    """Return the threads of each worker, as the scheduler knows them now.

    Parameters
    ----------
    client : distributed.Client
    advice : str, optional
        What to do if the scheduler is gone.

    Raises
    ------
    RuntimeError
        If the scheduler is gone.

    Examples
    --------
    >>> from distributed import Client
    >>> options = {"n_workers": 1, "threads_per_worker": 2, "dashboard_address": ":0"}
    >>> with Client(processes=False, **options) as client:
    ...     list(count_threads(client).values())
    [2]
    """
    try:
        return client.nthreads()
    except OSError as error:
        raise _lost(advice) from error


def gather(client: Any, futures: Sequence[Any], advice: str = START_AGAIN) -> list[Any]:
    """Wait for results; if one fails, or on Ctrl-C, what has not finished is cancelled.

    Parameters
    ----------
    client : distributed.Client
    futures : sequence of distributed.Future
        Tasks that a worker's death only delays: the scheduler runs them anew, on another worker.
    advice : str, optional
        What to do if the scheduler is gone.

    Returns
    -------
    results : list

    Raises
    ------
    RuntimeError
        If a task was lost with its worker too often, or the scheduler forgot its data.

    Examples
    --------
    >>> from distributed import Client
    >>> with Client(processes=False, n_workers=1, dashboard_address=":0") as client:
    ...     gather(client, client.map(abs, [-1, -2]))
    [1, 2]
    """
    distributed = extra("distributed")
    try:
        return client.gather(list(futures))
    except BaseException as error:
        cancel(client, futures)
        if isinstance(error, distributed.KilledWorker):
            raise RuntimeError(
                f"A task was given up, since the workers that ran it died one after another: "
                f"{error}. Their logs say why; tasks that do not fit their memory are the usual "
                "reason."
            ) from error
        if isinstance(error, CancelledError):
            raise _lost(advice) from error
        raise


def cancel(client: Any, futures: Sequence[Any]) -> None:
    """Cancel tasks; a client that is closed has none any more."""
    if client.status not in ("closing", "closed"):
        client.cancel(list(futures))


def _lost(advice: str) -> RuntimeError:
    return RuntimeError(
        "The scheduler is gone, or has forgotten what it was given: it was stopped or restarted, "
        f"or the client was closed. {advice}"
    )
