"""What is answered to a request: a narration, with or without what it changes behind it, that alone, a note or a summary.
Pure."""

from collections.abc import Sequence

from narrative.inference.base import Message
from narrative.inference.rehearsing.events import write_events
from narrative.inference.rehearsing.prose import compose
from narrative.inference.rehearsing.summarizing import (
    ASKED_TO_REMEMBER,
    ASKED_TO_SUMMARIZE,
    note_of,
    summary_of,
)

# How the two ways of asking for events are told apart (narrative/prompt).
ASKED_FOR_EVENTS = "[Read what was just told"
ASKED_FOR_BLOCK = "End every reply with one fenced block labelled state"


def reply_to(messages: Sequence[Message], *, seed: int | None, is_constrained: bool) -> str:
    """The reply: the same for the same messages and seed. ``is_constrained`` is a request with a schema."""
    rule, asked = (messages[0].content, messages[-1].content) if messages else ("", "")
    if rule.startswith(ASKED_TO_REMEMBER):
        return note_of(asked)
    if rule.startswith(ASKED_TO_SUMMARIZE):
        return summary_of(asked)
    if is_constrained and asked.startswith(ASKED_FOR_EVENTS):
        return _events_of(messages[:-1])
    narration = compose(messages, seed)
    if is_constrained or not _is_asked_for_block(messages):
        return narration
    return f"{narration}\n\n```state\n{write_events(messages, narration)}\n```"


def _events_of(messages: Sequence[Message]) -> str:
    """What the last narration changed; nothing where no narration stands last."""
    if not messages or messages[-1].role != "assistant":
        return '{"events":[]}'
    return write_events(messages[:-1], messages[-1].content)


def _is_asked_for_block(messages: Sequence[Message]) -> bool:
    return any(ASKED_FOR_BLOCK in message.content for message in messages if message.role == "system")
