"""From a model's stream to text that is stored and shown.

    model ──reader──▶ arrived ──save──▶ database ──show──▶ relay ──▶ readers

Text is stored before anybody sees it, so that no kill can take back what was shown. The reader never waits
for the database or for a browser; the save takes whatever has arrived by then, at most 30 times a second.
"""

import asyncio
from contextlib import aclosing, suppress
from dataclasses import dataclass, field

from campaigns.errors import RequestFailedError
from campaigns.models import TurnRequest
from campaigns.services import requests
from campaigns.texts import clean_text, has_words, join_halves
from narrative.database import in_database
from narrative.inference.base import BadResponseError, Finished, ReasoningDelta, TextDelta
from narrative.relay import Relay
from narrative.state.extraction import separate, visible
from narrative.turns import PreparedTurn, Reply

FRAME_SECONDS = 1 / 30
# How often a stop that another process asked for is looked for while nothing arrives.
STOP_POLL_SECONDS = 0.5
# Far above any reply that was asked for: a model that goes on for ever is cut off here.
LONGEST_REPLY = 200_000

_save_partial = in_database(requests.save_partial)
_read_stop = in_database(requests.read_stop)


class StopAskedError(Exception):
    """The player asked to stop. All that had arrived is stored."""

    def __init__(self, *, keep: bool) -> None:
        super().__init__()
        self.keep = keep


@dataclass(slots=True)
class _Arrived:
    text: str = ""
    reasoning: str = ""
    finished: Finished | None = None
    news: asyncio.Event = field(default_factory=asyncio.Event)


async def stream_reply(prepared: PreparedTurn, *, relay: Relay, wake: asyncio.Event) -> Reply:
    """Tell the turn: read the narrator's stream to its end, storing and showing it as it comes.

    ``wake`` is set by whoever asked for a stop in this process. Raises StopAskedError, an InferenceError, or
    RequestFailedError where the request was given up meanwhile; the connection to the model is closed then.
    """
    arrived = _Arrived(news=wake)
    reader = asyncio.create_task(_read(prepared, arrived))
    reader.add_done_callback(lambda _: arrived.news.set())
    try:
        while True:
            await _wait_for_news(arrived)
            is_done = reader.done()
            await _save_and_show(arrived, relay, is_done=is_done)
            if is_done:
                break
            await asyncio.sleep(FRAME_SECONDS)
        await reader
    finally:
        reader.cancel()
        await asyncio.gather(reader, return_exceptions=True)
    if arrived.finished is None or not has_words(relay.text):
        raise BadResponseError("The model sent no narration. Retry; if it happens again, try another model.")
    separated = separate(_storable(arrived.text))
    return Reply(relay.text, relay.reasoning, arrived.finished, separated)  # what was shown, and nothing else


async def _read(prepared: PreparedTurn, arrived: _Arrived) -> None:
    async with aclosing(prepared.backend.stream_chat(prepared.chat)) as events:
        async for event in events:
            if isinstance(event, TextDelta):
                arrived.text += event.text
            elif isinstance(event, ReasoningDelta):
                arrived.reasoning += event.text
            else:
                arrived.finished = event
            arrived.news.set()
            if len(arrived.text) + len(arrived.reasoning) > LONGEST_REPLY:
                raise BadResponseError("The model did not come to an end, so it was cut off. Retry.")


async def _wait_for_news(arrived: _Arrived) -> None:
    with suppress(TimeoutError):
        await asyncio.wait_for(arrived.news.wait(), STOP_POLL_SECONDS)
    arrived.news.clear()


async def _save_and_show(arrived: _Arrived, relay: Relay, *, is_done: bool) -> None:
    text, reasoning = _storable(arrived.text), _storable(arrived.reasoning)
    # What the narrator says to the game is no part of the story, and is never on screen.
    text = separate(text).prose if is_done else visible(text)
    is_new = (text, reasoning) != (relay.text, relay.reasoning)
    if is_new:
        stop = await _save_partial(request_id=relay.request_id, text=text, reasoning=reasoning)
    else:
        stop = await _read_stop(request_id=relay.request_id)
    if stop is None:
        raise RequestFailedError("This turn was given up meanwhile. Its text is kept.")
    if is_new:
        relay.show(text=text, reasoning=reasoning)
    if stop != TurnRequest.Stop.NONE:
        raise StopAskedError(keep=stop == TurnRequest.Stop.KEEP)


def _storable(text: str) -> str:
    """What of a model's text can be stored and shown. More text only ever adds to its end."""
    return clean_text(join_halves(text))
