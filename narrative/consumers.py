"""The WebSocket of one campaign: frames in, one call, frames out.

Whenever it is woken, the consumer compares what is true with what it last told. It follows turns and owns
none.
"""

import asyncio
import logging
from collections.abc import Coroutine
from contextlib import ExitStack, aclosing
from typing import Any

from channels.generic.websocket import AsyncWebsocketConsumer
from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from django.db import DatabaseError
from pydantic import ValidationError

from campaigns.errors import NotFoundError, StoryError
from campaigns.models import TurnRequest
from campaigns.selectors import get_campaign
from campaigns.services.requests import Submission
from narrative import live
from narrative.database import in_database
from narrative.derived.running import wake
from narrative.frames import Marks, read_final, read_hello, read_marks, read_started
from narrative.protocol import (
    DerivedChanged,
    ErrorFrame,
    Frame,
    HeadMoved,
    Hello,
    Ping,
    Pong,
    Retry,
    StateChanged,
    Stop,
    StoryChanged,
    Submit,
    client_frame,
)
from narrative.watching import Watcher, watching

NOT_SIGNED_IN = 4401
NOT_FOUND = 4404
BROKEN_OFF = 1011

_log = logging.getLogger(__name__)


class StoryConsumer(AsyncWebsocketConsumer):
    """One socket, watching one story of the user's."""

    async def connect(self) -> None:
        self._work: set[asyncio.Task[None]] = set()
        self._followed: set[int] = set()
        self._marks = Marks(changes=0, state=None, derived={})
        self._watching = ExitStack()
        self.campaign_id: int = self.scope["url_route"]["kwargs"]["campaign_id"]
        await self.accept()
        user = self.scope["user"]
        if not user.is_authenticated:
            await self.close(NOT_SIGNED_IN)
            return
        try:
            await in_database(get_campaign)(owner_id=user.pk, campaign_id=self.campaign_id)
        except NotFoundError:
            await self.close(NOT_FOUND)
            return
        await self._or_hang_up(self._greet())

    async def disconnect(self, code: int) -> None:
        self._watching.close()
        for task in self._work:
            task.cancel()
        await asyncio.gather(*self._work, return_exceptions=True)

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        try:
            frame = client_frame.validate_json(text_data or b"")
        except ValidationError as error:
            await self._tell(ErrorFrame(code="invalid", detail=_first_fault(error)))
            return
        try:
            if await self._is_signed_in():
                await self._serve(frame)
        except StoryError as error:
            await self._tell(ErrorFrame(code=error.code, detail=error.message))
        except DatabaseError:
            _log.exception("A frame for campaign %s could not be served.", self.campaign_id)
            await self._tell(ErrorFrame(code=live.STORAGE_FAILED, detail=live.STORAGE_DETAIL))

    async def _is_signed_in(self) -> bool:
        """Whether the session that opened this socket still holds; closes the socket where it does not."""
        user = await in_database(get_user_now)(self.scope["session"].session_key)
        if user == self.scope["user"].pk:
            return True
        await self.close(NOT_SIGNED_IN)
        return False

    async def _serve(self, frame: Submit | Retry | Stop | Ping) -> None:
        if isinstance(frame, Ping):
            await self._tell(Pong())
        elif isinstance(frame, Stop):
            await live.stop(campaign_id=self.campaign_id, keep=frame.keep)
        else:
            ticket = await live.submit(campaign_id=self.campaign_id, submission=_submission(frame))
            if ticket.is_new:
                await self._follow_started(ticket.request_id)
            else:
                await self._tell(await in_database(read_final)(ticket.request_id))

    async def _greet(self) -> None:
        """Say where the story stands before anything else is heard or told: other frames build on it."""
        watcher = self._watching.enter_context(watching(self.campaign_id))
        told = await in_database(read_hello)(self.campaign_id)
        self._marks = await in_database(read_marks)(self.campaign_id)
        await self._tell(told)
        if told.active_request is not None:
            self._follow(told.active_request.id, shown=len(told.active_request.partial))
        self._start(self._watch(watcher, told))
        wake(self.campaign_id)

    async def _watch(self, watcher: Watcher, told: Hello) -> None:
        async with aclosing(watcher.changes()) as changes:
            async for reason in changes:
                told = await self._tell_changes(told, reason)

    async def _tell_changes(self, told: Hello, reason: str) -> Hello:
        if not await self._is_signed_in():
            return told
        try:
            now = await in_database(read_hello)(self.campaign_id)
        except NotFoundError:
            await self.close(NOT_FOUND)
            return told
        if now.active_request is not None:
            await self._follow_started(now.active_request.id)
        if now.head != told.head:
            await self._tell(HeadMoved(head=now.head, reason=reason))
        before, self._marks = self._marks, await in_database(read_marks)(self.campaign_id)
        if self._marks.state != before.state:
            await self._tell(StateChanged())
        for kind, mark in self._marks.derived.items():
            if mark != before.derived.get(kind):
                await self._tell(DerivedChanged(kind=kind, status=mark[0]))
        if self._marks.changes != before.changes:
            await self._tell(StoryChanged())
        return now

    async def _follow_started(self, request_id: int) -> None:
        if request_id in self._followed:
            return
        self._followed.add(request_id)
        await self._tell(await in_database(read_started)(request_id))
        self._follow(request_id)

    def _follow(self, request_id: int, *, shown: int = 0) -> None:
        self._followed.add(request_id)
        self._start(self._tell_turn(request_id, shown))

    async def _tell_turn(self, request_id: int, shown: int) -> None:
        async with aclosing(live.follow(request_id, shown=shown)) as frames:
            async for frame in frames:
                await self._tell(frame)

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(self._or_hang_up(work))
        self._work.add(task)
        task.add_done_callback(self._work.discard)

    async def _or_hang_up(self, work: Coroutine[Any, Any, None]) -> None:
        """A socket that can tell no more is closed, so that its page comes again; silence would look like
        a story in which nothing happens."""
        try:
            await work
        except Exception:  # noqa: BLE001 - the outermost loop of a socket
            _log.exception("A socket of campaign %s broke off.", self.campaign_id)
            await self.close(BROKEN_OFF)

    async def _tell(self, frame: Frame) -> None:
        await self.send(text_data=frame.model_dump_json())


def get_user_now(session_key: str | None) -> int | None:
    """Who is signed in with a session, as it is stored now: signing out deletes it."""
    user_id = SessionStore(session_key).get(SESSION_KEY)
    return None if user_id is None else int(user_id)


def _submission(frame: Submit | Retry) -> Submission:
    if isinstance(frame, Submit):
        return Submission(
            kind=TurnRequest.Kind.NEW, mode=frame.mode, text=frame.text, client_id=frame.request_id
        )
    return Submission(kind=TurnRequest.Kind.RETRY, replaces_id=frame.turn, client_id=frame.request_id)


def _first_fault(error: ValidationError) -> str:
    fault = error.errors()[0]
    place = ".".join(str(part) for part in fault["loc"])
    return f"{place}: {fault['msg']}" if place else fault["msg"]
