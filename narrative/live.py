"""The turns that this process is telling. No socket and no request owns one: they come, follow, and go."""

import asyncio
import contextvars
import logging
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass
from functools import partial

from django.db import DatabaseError

from campaigns.errors import StoppedError, StoryError
from campaigns.models import TurnRequest
from campaigns.services import requests
from campaigns.services.requests import Opened, Submission
from campaigns.services.story_write import INTERRUPTED, INTERRUPTED_DETAIL
from narrative.database import in_database
from narrative.derived.running import player_first, wake
from narrative.errors import NarrativeError, TurnFailedError
from narrative.frames import read_final, read_started
from narrative.inference.base import InferenceError
from narrative.narrator_status import forget_status, forget_trouble
from narrative.proposing import propose
from narrative.protocol import Final, TurnAccepted, TurnFailed, TurnFrame
from narrative.relay import Relay
from narrative.streaming import StopAskedError, stream_reply
from narrative.turns import commit_turn, prepare_turn, stop_turn

_log = logging.getLogger(__name__)

STORAGE_FAILED = "storage_failed"
STORAGE_DETAIL = (
    "The story could not be saved: the disk may be full, or another program holds the database. "
    "Make room, then retry. What had been saved is kept."
)
_BUG_DETAIL = (
    "The program made a mistake while telling this turn. What had arrived is kept; the log has the details."
)
_SETTLE_AGAIN_SECONDS = 2.0
# How often the text that another process stores is looked at.
_MIRROR_SECONDS = 0.25


@dataclass(frozen=True, slots=True)
class Ticket:
    """A submission that was taken in. One that had been accepted under its request id before is not new."""

    request_id: int
    is_new: bool


@dataclass(frozen=True, slots=True)
class _Running:
    campaign_id: int
    relay: Relay
    wake: asyncio.Event


_running: dict[int, _Running] = {}
_tasks: set[asyncio.Task[None]] = set()


async def submit(*, campaign_id: int, submission: Submission) -> Ticket:
    """Store a submission and begin telling it. Raises what ``open_request`` raises."""
    return await _begin(partial(requests.open_request, campaign_id=campaign_id, submission=submission))


async def resubmit(*, campaign_id: int, request_id: int, backend: str | None = None) -> Ticket:
    """Begin telling a failed or stopped submission once more, by another back end if one is named."""
    return await _begin(
        partial(requests.reopen_request, campaign_id=campaign_id, request_id=request_id, backend=backend)
    )


async def outcome(ticket: Ticket) -> TurnRequest:
    """The accepted request, when it is. Raises TurnFailedError or StoppedError.

    Whoever waits here may go away: the turn does not.
    """
    running = _running.get(ticket.request_id)
    final = await running.relay.wait() if running else None
    request = await in_database(_get_request)(ticket.request_id)
    if request.status == TurnRequest.Status.ACCEPTED:
        return request
    if request.status == TurnRequest.Status.STOPPED:
        raise StoppedError
    if request.is_running and isinstance(final, TurnFailed):  # its end could not be written yet
        request.status, request.code, request.detail = TurnRequest.Status.FAILED, final.code, final.detail
    raise TurnFailedError(request)


async def frames(ticket: Ticket) -> AsyncGenerator[TurnFrame, None]:
    """A submission from its start to its final frame."""
    yield await in_database(read_started)(ticket.request_id)
    async for frame in follow(ticket.request_id):
        yield frame


async def follow(request_id: int, *, shown: int = 0, reasoned: int = 0) -> AsyncGenerator[TurnFrame, None]:
    """A submission's frames from these places in its text on, whichever process is telling it."""
    running = _running.get(request_id)
    relay = running.relay if running else Relay(request_id)
    mirror = None if running else asyncio.create_task(_mirror(relay))
    try:
        async for frame in relay.follow(shown=shown, reasoned=reasoned):
            yield frame
    finally:
        if mirror is not None:
            mirror.cancel()


async def stop(*, campaign_id: int, keep: bool) -> None:
    """Stop the campaign's turn, wherever it is told. Raises NothingRunningError."""
    request_id = await in_database(requests.ask_stop)(campaign_id=campaign_id, keep=keep)
    if running := _running.get(request_id):
        running.wake.set()


def forget_all() -> None:
    """Let go of every turn without a word, as a new process would begin."""
    _running.clear()
    _tasks.clear()


async def _begin(open_request: Callable[[], Opened]) -> Ticket:
    """Open a request and start its task, even if whoever asked is gone by then: a request without a task
    would hold the campaign's lock until the process ends."""
    return await asyncio.shield(asyncio.create_task(_open_and_start(open_request)))


async def _open_and_start(open_request: Callable[[], Opened]) -> Ticket:
    opened = await in_database(open_request)()
    request = opened.request
    if opened.is_new:
        running = _Running(request.campaign_id, Relay(request.pk), asyncio.Event())
        _running[request.pk] = running
        # A context of its own: the thread that serves the caller's database calls ends with the caller.
        task = asyncio.create_task(_tell(running), context=contextvars.Context())
        _tasks.add(task)
        task.add_done_callback(_tasks.discard)
    return Ticket(request.pk, opened.is_new)


async def _tell(running: _Running) -> None:
    relay = running.relay
    try:
        with player_first():
            end = await _tell_or_end(running)
            relay.end(await _write_end(relay, end))
        wake(running.campaign_id)
    except asyncio.CancelledError:
        await asyncio.shield(in_database(_fail)(relay, INTERRUPTED, INTERRUPTED_DETAIL))
        raise
    finally:
        _running.pop(relay.request_id, None)


async def _tell_or_end(running: _Running) -> Callable[[], None] | None:
    """Tell the turn. Where it did not become one, what has still to be written of its end."""
    relay = running.relay
    try:
        prepared = await in_database(prepare_turn)(relay.request_id)
        reply = await stream_reply(prepared, relay=relay, wake=running.wake)
        forget_trouble()
        relay.settle()
        await in_database(requests.begin_settling)(request_id=relay.request_id)
        proposed = await propose(
            prepared.extraction, reply.separated, request_id=relay.request_id, wake=running.wake
        )
        await in_database(commit_turn)(relay.request_id, prepared, reply, proposed)
    except StopAskedError as stopped:
        return partial(_stop, relay, keep=stopped.keep)
    except InferenceError as error:
        forget_status()  # what was seen of the narrator before holds no more
        return partial(_fail, relay, f"inference_{error.code}", error.message)
    except (NarrativeError, StoryError) as error:
        return partial(_fail, relay, error.code, error.message)
    except DatabaseError:
        _log.exception("A turn could not be stored (request %s).", relay.request_id)
        return partial(_fail, relay, STORAGE_FAILED, STORAGE_DETAIL)
    except Exception:  # noqa: BLE001 - the outermost loop of a turn: a bug must not hold the campaign
        _log.exception("A turn failed by a fault of the program (request %s).", relay.request_id)
        return partial(_fail, relay, "internal_error", _BUG_DETAIL)
    return None


async def _write_end(relay: Relay, end: Callable[[], None] | None) -> Final:
    """Write how a turn ended, as often as it takes: until then its campaign is locked."""
    while True:
        try:
            if end is not None:
                await in_database(end)()
            return await in_database(read_final)(relay.request_id)
        except DatabaseError:
            _log.exception("The end of a turn could not be stored (request %s).", relay.request_id)
            relay.end(_storage_failure(relay))
            await asyncio.sleep(_SETTLE_AGAIN_SECONDS)


def _storage_failure(relay: Relay) -> TurnFailed:
    return TurnFailed(
        request=relay.request_id, code=STORAGE_FAILED, detail=STORAGE_DETAIL, partial=relay.text
    )


def _fail(relay: Relay, code: str, detail: str) -> None:
    requests.fail_request(
        request_id=relay.request_id, code=code, detail=detail, partial=relay.text, reasoning=relay.reasoning
    )


def _stop(relay: Relay, *, keep: bool) -> None:
    stop_turn(relay.request_id, text=relay.text, reasoning=relay.reasoning, keep=keep)


async def _mirror(relay: Relay) -> None:
    """Show what another process stores of a turn."""
    while True:
        request = await in_database(_get_request)(relay.request_id)
        relay.show(text=request.partial, reasoning=request.partial_reasoning)
        if request.status == TurnRequest.Status.SETTLING:
            relay.settle()
        if not request.is_running:
            final = await in_database(read_final)(relay.request_id)
            if isinstance(final, TurnAccepted):  # it was settled between two looks
                relay.settle()
            relay.end(final)
            return
        await asyncio.sleep(_MIRROR_SECONDS)


def _get_request(request_id: int) -> TurnRequest:
    return TurnRequest.objects.select_related("turn__live_take", "take").get(pk=request_id)
