"""Finding out what a narration changed, once its text is complete: the block that came with it, or a call.

It never fails a turn. Where no proposal can be had in time, the turn is settled without one, and says why.
"""

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from django.conf import settings

from campaigns.models import Take, TurnRequest
from campaigns.services import requests
from knowledge.tokens import count_tokens
from narrative.database import in_database
from narrative.inference.base import Backend, ChatRequest, InferenceError, Message
from narrative.inference.completing import complete
from narrative.inference.ollama import OllamaBackend
from narrative.inference.roles import Served
from narrative.models import Proposal
from narrative.prompt.builder import StateAhead
from narrative.prompt.state_texts import choices_of, extraction_text
from narrative.prompt.window import MARGIN, MESSAGE_OVERHEAD
from narrative.state.extraction import UNPARSEABLE, Separated, parse_lenient
from narrative.state.vocabulary import FEW_ASKED, Choices, name_new_ones, proposal_schema
from narrative.state_records import Proposed

# What the call adds to the narrator's prompt: narration, instruction and output together.
EXTRACTION_TOKENS = 900
_MOST_OUTPUT = 400
_LEAST_OUTPUT = 96
_STOP_POLL_SECONDS = 0.5

_TOO_LATE = "Nothing was heard in time of what this changed. The story goes on without it."
_SKIPPED = "You stopped while it was being asked what this changed."
_NO_ROOM = "The context window has no room left to ask what this changed. Raise it, or lower the reply."
_NO_ANSWER = "What this changed could not be asked: {}"

_STORY = Proposal.Source.ACCEPTED_STORY
_read_stop = in_database(requests.read_stop)


@dataclass(frozen=True, slots=True)
class Extraction:
    """How to ask for the events of a narration: on the narrator's own prompt, with its narration added."""

    backend: Backend
    chat: ChatRequest
    instruction: str
    choices: Choices
    keys: frozenset[str]


@dataclass(frozen=True, slots=True)
class Answer:
    """What a call brought. Without ``parsed``, ``note`` says why."""

    parsed: object = None
    raw: tuple[str, ...] = ()
    note: str = ""


def plan_extraction(extractor: Served, chat: ChatRequest, ahead: StateAhead) -> Extraction:
    """The call that would be made for the reply to ``chat``. Asks nobody."""
    return Extraction(
        backend=extractor.backend,
        chat=replace(chat, model=extractor.model),
        instruction=extraction_text(ahead.refused),
        choices=choices_of(ahead.document, ahead.focus),
        keys=frozenset(ahead.document.entities),
    )


async def propose(
    extraction: Extraction, separated: Separated, *, request_id: int, wake: asyncio.Event
) -> Proposed:
    """What is proposed for a narration: its own block where that can be read, else what a call answers."""
    block = () if separated.raw is None else (separated.raw,)
    if separated.raw is not None and separated.parsed is not UNPARSEABLE:
        return Proposed(
            way=Take.ProposalWay.BLOCK,
            source=_STORY,
            parsed=separated.parsed,
            raw=block,
            model=extraction.chat.model,
        )
    answer = await _unless_stopped(ask(extraction, separated.prose), request_id=request_id, wake=wake)
    if answer.parsed is None and block:
        way: Take.ProposalWay | None = Take.ProposalWay.BLOCK
        parsed: object = UNPARSEABLE
    else:
        way, parsed = Take.ProposalWay.CALL if answer.raw else None, answer.parsed
    return Proposed(
        way=way,
        source=_STORY,
        parsed=parsed,
        raw=(*block, *answer.raw),
        model=extraction.chat.model,
        note=answer.note,
    )


async def ask(extraction: Extraction, narration: str) -> Answer:
    """Ask what a narration changed, within the time limit. Never raises for what a model or server does."""
    request = _request(extraction, narration)
    if request is None:
        return Answer(note=_NO_ROOM)
    raw: list[str] = []
    try:
        async with asyncio.timeout(settings.SETTLE_TIMEOUT):
            parsed = await _ask_twice(extraction, request, raw)
    except TimeoutError:
        return Answer(raw=tuple(raw), parsed=UNPARSEABLE if raw else None, note=_TOO_LATE)
    except InferenceError as error:
        note = _NO_ANSWER.format(error.message)
        return Answer(raw=tuple(raw), parsed=UNPARSEABLE if raw else None, note=note)
    return Answer(parsed, tuple(raw))


async def _ask_twice(extraction: Extraction, request: ChatRequest, raw: list[str]) -> object:
    """The answer's JSON. One that is no proposal is asked for once more: for fewer events, and without a word
    on thinking where the server's handling of the two together is known to go wrong."""
    parsed: object = UNPARSEABLE
    again = replace(
        request,
        schema=proposal_schema(extraction.choices, most=FEW_ASKED),
        leaves_thinking_unsaid=extraction.backend.api == OllamaBackend.api,
    )
    for attempt in (request, again):
        completion = await complete(extraction.backend, attempt)
        raw.append(completion.text)
        parsed = UNPARSEABLE if completion.is_cut else parse_lenient(completion.text)
        if _fits(parsed):
            return name_new_ones(parsed, extraction.keys)
    return parsed


def _fits(parsed: object) -> bool:
    events = parsed.get("events") if isinstance(parsed, dict) else None
    return isinstance(events, list) and all(isinstance(event, dict) for event in events)


def _request(extraction: Extraction, narration: str) -> ChatRequest | None:
    """The call on the same prefix; None where the window has no room for its answer."""
    chat, window = extraction.chat, extraction.chat.options.context_window
    added = count_tokens(narration) + count_tokens(extraction.instruction) + 2 * MESSAGE_OVERHEAD
    read = (chat.estimated_prompt_tokens or 0) + added
    room = min(_MOST_OUTPUT, window - read - MARGIN)
    if room < _LEAST_OUTPUT:
        return None
    options = replace(chat.options, max_output_tokens=room, reasoning=False, temperature=0.0)
    return replace(
        chat,
        messages=(
            *chat.messages,
            Message("assistant", narration),
            Message("user", extraction.instruction),
        ),
        options=options,
        schema=proposal_schema(extraction.choices),
        estimated_prompt_tokens=read,
    )


async def _unless_stopped(
    asking: Coroutine[Any, Any, Answer], *, request_id: int, wake: asyncio.Event
) -> Answer:
    """The answer, or none as soon as the player asks to stop, from whichever process."""
    task = asyncio.create_task(asking)
    task.add_done_callback(lambda _: wake.set())
    try:
        while not task.done():
            with suppress(TimeoutError):
                await asyncio.wait_for(wake.wait(), _STOP_POLL_SECONDS)
            wake.clear()
            if not task.done() and await _read_stop(request_id=request_id) != TurnRequest.Stop.NONE:
                return Answer(note=_SKIPPED)
        return task.result()
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
