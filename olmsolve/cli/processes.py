"""Processes that share the work of a command, on this machine or on a Dask cluster."""

from __future__ import annotations

import argparse
import importlib
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING, Any, Final

import olmsolve
from olmsolve.cli.options import whole_number

if TYPE_CHECKING:
    from collections.abc import Iterator
    from concurrent.futures import Executor

MOST_PROCESSES: Final = 1024
# Seconds until a scheduler counts as unreachable, and how often a task that raised is tried once more.
_CONNECTING: Final = 10
_RETRIES: Final = 2


def add_workers(parser: argparse.ArgumentParser) -> None:
    """Add the number of processes, which :func:`processes` takes."""
    parser.add_argument(
        "--workers",
        type=whole_number(1, MOST_PROCESSES),
        default=1,
        metavar="N",
        help="how many processes share the work (default: 1)",
    )


def processes(count: int) -> AbstractContextManager[Executor | None]:
    """Return an executor with *count* processes, or None for a single one: this process itself."""
    if count == 1:
        return nullcontext()
    import signal
    from concurrent.futures import ProcessPoolExecutor

    # Terminals interrupt all processes; workers have nothing to say about it, and nothing to finish first.
    return ProcessPoolExecutor(count, initializer=signal.signal, initargs=(signal.SIGINT, signal.SIG_DFL))


@contextmanager
def dask_workers(address: str) -> Iterator[Executor]:
    """Give the workers of the Dask cluster whose scheduler has this *address* (``tcp://host:8786``) as an executor.

    Raises:
        RequestError: Dask is not installed, or no scheduler answers at the address.
    """
    try:
        distributed: Any = importlib.import_module("distributed")
    except ImportError:
        raise olmsolve.RequestError(
            "Dask is not installed", field="--dask", hint='pip install "olmsolve[dask]"'
        ) from None
    try:
        client = distributed.Client(address, timeout=_CONNECTING)
    except (OSError, ValueError, TypeError) as error:
        reason = f"no scheduler answers at {address}: {error}"
        raise olmsolve.RequestError(reason, field="--dask", hint="an address looks like tcp://host:8786") from None
    with client:
        yield client.get_executor(retries=_RETRIES)
