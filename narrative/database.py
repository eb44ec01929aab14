"""The one way from the async island to the database."""

from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, ParamSpec, TypeVar

from channels.db import database_sync_to_async

_P = ParamSpec("_P")
_T = TypeVar("_T")

# Threads of their own: a write that waits for the database, or a prompt that takes a while to build, must
# hold up no other story's socket.
_threads = ThreadPoolExecutor(max_workers=16, thread_name_prefix="database")


def in_database(function: Callable[_P, _T]) -> Callable[_P, Coroutine[Any, Any, _T]]:
    """A plain function over the database, to be awaited. It runs in a thread that keeps no connection."""
    awaitable: Callable[_P, Coroutine[Any, Any, _T]] = database_sync_to_async(
        function, thread_sensitive=False, executor=_threads
    )
    return awaitable
