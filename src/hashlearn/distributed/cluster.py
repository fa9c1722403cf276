"""The connection to a Dask cluster."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

from hashlearn.distributed._client import extra

CONNECT_SECONDS = 10


@contextmanager
def connect(address: str, *, timeout: float = CONNECT_SECONDS) -> Iterator[Any]:
    """Connect to the scheduler of a Dask cluster for the duration of a `with` block.

    Parameters
    ----------
    address : str
        The address of the scheduler, such as ``"tcp://host:8786"``.
    timeout : float, default=10
        Seconds to wait for an answer.

    Yields
    ------
    client : distributed.Client
        It is also the default client inside the block.

    Raises
    ------
    TypeError
        If the address is not a string.
    ConnectionError
        If no scheduler answers at the address.

    Examples
    --------
    >>> from distributed import LocalCluster
    >>> from hashlearn.distributed import connect
    >>> with LocalCluster(processes=False, n_workers=1, dashboard_address=":0") as cluster:
    ...     with connect(cluster.scheduler_address) as client:
    ...         client.submit(sum, [1, 2, 3]).result()
    6
    """
    _check_scheduler(address, timeout)
    with extra("distributed").Client(address, timeout=timeout) as client:
        yield client


def _check_scheduler(address: str, timeout: float) -> None:
    """Ask who listens: a client without scheduler would remain as the default one."""
    distributed = extra("distributed")
    if not isinstance(address, str):
        raise TypeError(f"address must be a string, such as 'tcp://host:8786'; got {address!r}.")

    async def ask() -> str:
        options = distributed.Security().get_connection_args("client")
        async with distributed.rpc(address, timeout=timeout, connection_args=options) as listener:
            return (await asyncio.wait_for(listener.identity(), timeout))["type"]

    try:
        with ThreadPoolExecutor(1) as thread:  # this one may already run an event loop
            kind = thread.submit(asyncio.run, ask()).result()
    except Exception as error:  # any: bytes of another protocol may even be read as sizes
        raise ConnectionError(
            f"No Dask scheduler answers at {address!r} ({str(error) or type(error).__name__}); "
            "the address must be that of a running one, such as 'tcp://host:8786'."
        ) from error
    if kind != "Scheduler":
        raise ConnectionError(
            f"address must be that of a scheduler; a Dask {kind.lower()} is at {address!r}."
        )
