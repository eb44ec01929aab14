"""The ways from the async island to the database."""

from collections.abc import Callable, Coroutine
from typing import Any, ParamSpec, TypeVar

from channels.db import database_sync_to_async

_P = ParamSpec("_P")
_T = TypeVar("_T")


def in_pool(function: Callable[_P, _T]) -> Callable[_P, Coroutine[Any, Any, _T]]:
    """Like ``in_database``, beside it: for what computes for a while and must not hold up the others."""
    awaitable: Callable[_P, Coroutine[Any, Any, _T]] = database_sync_to_async(
        function, thread_sensitive=False
    )
    return awaitable


def in_database(function: Callable[_P, _T]) -> Callable[_P, Coroutine[Any, Any, _T]]:
    """A plain function over the database, to be awaited. It runs in a thread that keeps no connection."""
    awaitable: Callable[_P, Coroutine[Any, Any, _T]] = database_sync_to_async(function)
    return awaitable
