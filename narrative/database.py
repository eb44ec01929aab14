"""The one way from the async island to the database."""

import functools
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, ParamSpec, TypeVar

from asgiref.sync import sync_to_async
from django.db import connection

_P = ParamSpec("_P")
_T = TypeVar("_T")

# Threads of their own: a write that waits for the database, or a prompt that takes a while to build, must
# hold up no other story's socket. Each keeps its connection, because opening one costs more than storing a
# sentence does, and a stream stores thirty a second.
_threads = ThreadPoolExecutor(max_workers=16, thread_name_prefix="database")


def in_database(function: Callable[_P, _T]) -> Callable[_P, Coroutine[Any, Any, _T]]:
    """A plain function over the database, to be awaited."""

    @functools.wraps(function)
    def run(*args: _P.args, **kwargs: _P.kwargs) -> _T:
        if connection.errors_occurred:
            connection.close()  # after an error of the disk a connection may be of no more use
        return function(*args, **kwargs)

    return sync_to_async(run, thread_sensitive=False, executor=_threads)
