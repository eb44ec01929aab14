"""The server in this process. Told to end, it has ended a few seconds later, whatever is going on."""

import asyncio
import atexit
import os
import socket
import sys
import threading
import time
from typing import Any

from daphne.server import Server
from twisted.internet import defer, reactor

from storyteller.bounded_requests import BoundedHTTPFactory

# Together below the five seconds that service managers and people are promised.
_TASKS_END_SECONDS = 3.0
_PROCESS_ENDS_SECONDS = 4.5


class GameServer(Server):  # type: ignore[misc]  # Daphne has no types
    """Daphne, with an end that waits for nobody.

    Daphne's own waits for every application without a limit, trips over a connection that has none, and
    leaves alone the tasks that no connection owns. A turn being told is one of those: cancelled, it stores
    what had arrived.
    """

    def __init__(self, application: Any, listener: socket.socket) -> None:
        super().__init__(
            application, endpoints=[listener], ready_callable=self._adopt, server_name="storyteller"
        )
        # Daphne describes its endpoints in words, and has none for an IPv6 socket that is open already.
        self.endpoints: list[str] = []
        self._listener = listener

    def _adopt(self) -> None:
        # Daphne has made a factory by now, and has no other place to say which.
        self.http_factory = BoundedHTTPFactory(self)
        reactor.adoptStreamPort(self._listener.fileno(), self._listener.family, self.http_factory)

    def kill_all_applications(self) -> Any:
        threading.Thread(target=_end_process_late, daemon=True).start()
        return defer.Deferred.fromFuture(asyncio.ensure_future(_end_all_tasks()))


def serve(application: Any, listener: socket.socket) -> None:
    """Serve until SIGINT or SIGTERM, then return. The process ends with code 0 after that."""
    # Before anything that serving registers, so that it runs after all of that.
    atexit.register(_end_process)
    try:
        GameServer(application, listener).run()
    except BaseException:
        atexit.unregister(_end_process)
        raise


async def _end_all_tasks() -> None:
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    if tasks:
        await asyncio.wait(tasks, timeout=_TASKS_END_SECONDS)


def _end_process_late() -> None:
    """A thread that is still at work, in a query or a computation, would keep the process; it is cut off.

    Nothing accepted is lost by that: what is written, is written in transactions.
    """
    time.sleep(_PROCESS_ENDS_SECONDS)
    _end_process()


def _end_process() -> None:
    """Without taking the interpreter apart, which was measured to take three seconds on a busy machine."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)
