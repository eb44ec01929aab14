"""When memories and summaries are made: in the background, one pass at a time, while no turn is told.

    turn committed ──wake──▶ [wait until no turn is told] ──▶ what is due? ──▶ ask ──▶ store ──┐
                                        ▲                                                       │
                                        └───────────── given way to the player, or done ────────┘

The player comes first: when a turn begins, a request that is under way for the background is broken off, and
made again afterwards. A pass that fails keeps what was finished, says so, and is tried again by the next one.
"""

import asyncio
import contextvars
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from weakref import WeakKeyDictionary

from django.conf import settings
from django.db import DatabaseError
from filelock import FileLock, Timeout

from campaigns.errors import InvalidError, StoryError
from campaigns.models import Campaign, TurnRequest
from narrative.database import in_database
from narrative.derived.planning import Work, is_wanted, plan_asked, plan_memory, plan_summary
from narrative.derived.status import Kind, record_disabled, record_done, record_failed
from narrative.derived.storing import store_memory, store_summary
from narrative.derived.writing import (
    clean_answer,
)
from narrative.inference.base import InferenceError
from narrative.inference.completing import complete
from narrative.models import Summary
from narrative.watching import DERIVED, wake_watchers

_log = logging.getLogger(__name__)

# So much is caught up with after one turn; a long story that was never remembered takes several.
MOST_IN_A_PASS = 8
_LOOK_AGAIN_SECONDS = 1.0
_OFF = {
    Kind.MEMORY: "Memories have no room in the prompt by the settings, so none are written.",
    Kind.SUMMARY: "The summary has no room in the prompt by the settings, so none is written.",
}
_BUG = "The program made a mistake here; the log has the details. The story itself is not affected."
_STORAGE = "What was written could not be saved: the disk may be full. It is tried again after the next turn."


@dataclass(slots=True)
class _Desk:
    """What one event loop is at: who is being told a turn, and the background's own work."""

    players: int = 0
    is_quiet: asyncio.Event = field(default_factory=asyncio.Event)
    passes: dict[int, asyncio.Task[None]] = field(default_factory=dict)
    calls: set[asyncio.Task[str]] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.is_quiet.set()


_desks: WeakKeyDictionary[asyncio.AbstractEventLoop, _Desk] = WeakKeyDictionary()


def _desk() -> _Desk:
    return _desks.setdefault(asyncio.get_running_loop(), _Desk())


@contextmanager
def player_first() -> Iterator[None]:
    """While this runs, nothing is asked of a model for the background; what is being asked is broken off."""
    desk = _desk()
    desk.players += 1
    desk.is_quiet.clear()
    for call in desk.calls:
        call.cancel()
    try:
        yield
    finally:
        desk.players -= 1
        if not desk.players:
            desk.is_quiet.set()


def wake(campaign_id: int) -> None:
    """See to what is due in a campaign, some time soon. Returns at once; needs a running event loop."""
    if not settings.DERIVED_WORK:
        return
    desk = _desk()
    if campaign_id not in desk.passes:
        # A context of its own: the thread that serves the caller's database calls ends with the caller.
        task = asyncio.create_task(_run(campaign_id), context=contextvars.Context())
        desk.passes[campaign_id] = task
        task.add_done_callback(lambda _: desk.passes.pop(campaign_id, None))


async def run_due(campaign_id: int) -> None:
    """See to what is due in a campaign and return when it is done, or has failed."""
    async with _only_one(campaign_id) as is_ours:
        if is_ours:
            await _pass(campaign_id, Kind.MEMORY, _write_memory)
            await _pass(campaign_id, Kind.SUMMARY, _write_summary)


async def summarize(campaign_id: int, *, kind: Summary.Type, first: int, last: int) -> Summary:
    """Write a summary that the player asked for, of turns on the path to the head. Raises InvalidError where
    they are too many or not there, and an InferenceError."""
    while True:
        await _until_quiet(campaign_id)
        work = await in_database(plan_asked)(campaign_id, kind, first, last)
        answer = await _ask(campaign_id, work)
        if answer is not None:
            break
    text = clean_answer(answer, words=work.words)
    asked = partial(store_summary, kind=kind, trigger=Summary.Trigger.MANUAL)
    stored = await in_database(asked)(campaign_id, work.stretch, text, model=work.served.model)
    if stored is None:
        raise InvalidError("These turns were told otherwise meanwhile. Ask again.")
    await in_database(wake_watchers)(campaign_id, DERIVED)
    return stored


async def settle() -> None:
    """Wait until nothing runs in the background of this event loop."""
    while passes := list(_desk().passes.values()):
        await asyncio.gather(*passes, return_exceptions=True)


async def _run(campaign_id: int) -> None:
    try:
        await run_due(campaign_id)
    except Exception:  # noqa: BLE001 - the outermost loop of the background: nobody else would hear of it
        _log.exception("The background work of campaign %s broke off.", campaign_id)


@asynccontextmanager
async def _only_one(campaign_id: int) -> AsyncIterator[bool]:
    """Whether no other process is at this campaign's work. The system frees the lock at a process's death."""
    lock = _lock_of(campaign_id)
    try:
        lock.acquire()
    except Timeout:
        yield False
        return
    try:
        yield True
    finally:
        lock.release()


def _lock_of(campaign_id: int) -> FileLock:
    folder: Path = settings.DATA_FOLDER / "locks" / "derived"
    folder.mkdir(parents=True, exist_ok=True)
    return FileLock(folder / str(campaign_id), timeout=0, thread_local=False)


_Step = Callable[[int], Awaitable[bool]]


async def _pass(campaign_id: int, kind: Kind, write_next: _Step) -> None:
    """Write what is due of one kind, and say how it went. A failure of one kind stops no other."""
    count = 0
    try:
        if not await in_database(is_wanted)(campaign_id, kind):
            await in_database(record_disabled)(campaign_id, kind, _OFF[kind])
            return
        while count < MOST_IN_A_PASS and await write_next(campaign_id):
            count += 1
        await in_database(record_done)(campaign_id, kind, count=count)
    except Campaign.DoesNotExist:
        return
    except InferenceError as error:
        await _say_failed(campaign_id, kind, error.message)
    except DatabaseError:
        _log.exception("The %s pass of campaign %s could not be stored.", kind, campaign_id)
        await _say_failed(campaign_id, kind, _STORAGE)
    except Exception:  # noqa: BLE001 - a bug in one kind must be seen, and must not stop the others
        _log.exception("The %s pass of campaign %s failed.", kind, campaign_id)
        await _say_failed(campaign_id, kind, _BUG)


async def _say_failed(campaign_id: int, kind: Kind, detail: str) -> None:
    try:
        await in_database(record_failed)(campaign_id, kind, detail)
    except (DatabaseError, StoryError):
        _log.exception("That the %s pass of campaign %s failed could not be stored.", kind, campaign_id)


async def _write_memory(campaign_id: int) -> bool:
    return await _write(campaign_id, plan_memory, store_memory)


async def _write_summary(campaign_id: int) -> bool:
    return await _write(campaign_id, plan_summary, store_summary)


async def _write(campaign_id: int, plan: Callable[[int], Work | None], store: Callable[..., object]) -> bool:
    """Whether a row was written. What was read may be told otherwise by the time the answer is there: then
    nothing is stored, and the stretch is due again."""
    await _until_quiet(campaign_id)
    work = await in_database(plan)(campaign_id)
    if work is None:
        return False
    answer = await _ask(campaign_id, work)
    if answer is None:
        return await _write(campaign_id, plan, store)
    text = clean_answer(answer, words=work.words)
    return await in_database(store)(campaign_id, work.stretch, text, model=work.served.model) is not None


async def _ask(campaign_id: int, work: Work) -> str | None:
    """The summarizer's answer; None where it gave way to the player."""
    desk = _desk()
    if desk.players:
        return None
    call = asyncio.create_task(_complete(work))
    desk.calls.add(call)
    try:
        await asyncio.wait({call})
    except asyncio.CancelledError:
        call.cancel()
        raise
    finally:
        desk.calls.discard(call)
    return None if call.cancelled() else call.result()


async def _complete(work: Work) -> str:
    return (await complete(work.served.backend, work.chat)).text


async def _until_quiet(campaign_id: int) -> None:
    """Wait while a turn is told: any in this process, since they may share the model, and this campaign's in
    another."""
    while True:
        await _desk().is_quiet.wait()
        if not await in_database(_is_told_elsewhere)(campaign_id):
            return
        await asyncio.sleep(_LOOK_AGAIN_SECONDS)


def _is_told_elsewhere(campaign_id: int) -> bool:
    return TurnRequest.objects.filter(campaign=campaign_id, status__in=TurnRequest.RUNNING).exists()
