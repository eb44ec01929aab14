"""Who in this process watches which story, and waking them when it changes.

A watcher is woken, not told: it reads what is true now and compares. Nothing is queued for it, so a slow one
falls behind by nothing, and two changes at once are one wake-up. Changes of this process wake at once; those
of another are noticed by the campaign's change count, read once a second while anybody watches.
"""

import asyncio
import contextvars
import logging
import threading
from collections.abc import AsyncGenerator, Iterator
from contextlib import contextmanager
from weakref import WeakKeyDictionary

from django.db import DatabaseError

from campaigns.changes import StoryChange
from campaigns.models import Campaign
from narrative.database import in_database
from narrative.prompt_records import sweep_texts

_log = logging.getLogger(__name__)

POLL_SECONDS = 1.0
ELSEWHERE = "elsewhere"
# The reason of a wake-up that no change of the story brought.
DERIVED = "derived"
# A change after which prompt records may be gone.
_DELETED = "delete"

_guard = threading.Lock()
_watchers: dict[int, set["Watcher"]] = {}
_seen: dict[int, int] = {}
_polls: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Task[None]] = WeakKeyDictionary()


class Watcher:
    """One watch on one story, to be awaited in the event loop that made it."""

    def __init__(self) -> None:
        self.reason = ""
        self._loop = asyncio.get_running_loop()
        self._woken = asyncio.Event()

    def wake(self, reason: str) -> None:
        """From any thread. A loop that has ended has nobody left to wake."""
        self.reason = reason
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._woken.set)

    async def changes(self) -> AsyncGenerator[str, None]:
        """The reason of the last change, whenever there was at least one since the last time."""
        while True:
            await self._woken.wait()
            self._woken.clear()
            yield self.reason


@contextmanager
def watching(campaign_id: int) -> Iterator[Watcher]:
    """A watcher for as long as the block runs."""
    watcher = Watcher()
    with _guard:
        _watchers.setdefault(campaign_id, set()).add(watcher)
    _keep_polling()
    try:
        yield watcher
    finally:
        with _guard:
            _watchers[campaign_id].discard(watcher)
            if not _watchers[campaign_id]:
                del _watchers[campaign_id]
                _seen.pop(campaign_id, None)


def story_changed(change: StoryChange) -> None:
    """A change of this process was committed (settings.STORY_CHANGE_LISTENER)."""
    if change.reason == _DELETED:
        sweep_texts(change.campaign_id)
    with _guard:
        _seen[change.campaign_id] = max(change.change_count, _seen.get(change.campaign_id, 0))
    wake_watchers(change.campaign_id, change.reason)


def wake_watchers(campaign_id: int, reason: str) -> None:
    """Wake everybody in this process who watches a story. From any thread."""
    with _guard:
        watchers = list(_watchers.get(campaign_id, ()))
    for watcher in watchers:
        watcher.wake(reason)


def _keep_polling() -> None:
    """One poll for all watchers of this event loop, started by the first and ended by the last."""
    loop = asyncio.get_running_loop()
    task = _polls.get(loop)
    if task is None or task.done():
        _polls[loop] = asyncio.create_task(_poll(), context=contextvars.Context())


async def _poll() -> None:
    """Notice what other processes did to the stories that are watched here."""
    read = in_database(_read_change_counts)
    while watched := list(_watchers):
        try:
            counts = await read(watched)
        except DatabaseError:
            _log.exception("The change counts could not be read.")
            counts = {}
        for campaign_id, count in counts.items():
            with _guard:
                before = _seen.get(campaign_id)
                _seen[campaign_id] = max(count, before or 0)
            if before is not None and count > before:
                wake_watchers(campaign_id, ELSEWHERE)
        await asyncio.sleep(POLL_SECONDS)


def _read_change_counts(campaign_ids: list[int]) -> dict[int, int]:
    return dict(Campaign.objects.filter(pk__in=campaign_ids).values_list("pk", "change_count"))
