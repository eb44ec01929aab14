"""What a model does when it is asked as a turn asks it: a sentence as a stream, an answer in a given form."""

import time
from contextlib import aclosing
from dataclasses import replace

from knowledge.tokens import count_tokens
from narrative.checkup.lines import Finding, Status, sentences
from narrative.checkup.looking import window_in_use
from narrative.checkup.subject import Subject, Tried
from narrative.inference.base import (
    BadResponseError,
    ChatRequest,
    Finished,
    Message,
    Priority,
    ReasoningDelta,
    StreamEvent,
    TextDelta,
    Usage,
)
from narrative.inference.completing import complete_object
from narrative.inference.one_at_a_time import line_of
from narrative.inference.roles import Role, serve_role
from narrative.inference.server_json import JsonObject
from narrative.prompt.window import MESSAGE_OVERHEAD, PROMPT_OVERHEAD

# Long enough for the two counts of it to be compared, short enough for the slowest machine.
_SCENE = (
    "You are the narrator of a story that a person plays by writing what they do. You tell in the second "
    "person and the present tense what follows, in plain words, and never decide what the person does. What "
    "is written here is true: The harbour town of Westhaven lies under a cliff, and its lamps are lit from "
    "the first dusk of autumn to the last of spring. The inn by the lower stairs is called the Crooked "
    "Lantern; it has nine rooms, a cellar that floods in winter, and a bell that nobody rings. North of the "
    "town a road of five miles leads to the old abbey, whose crypt was closed after the flood. The person "
    "carries a brass key, a letter with a broken seal, and eleven silver coins. It rains. Tell what follows "
    "in one sentence."
)
_ACTION = "I step in from the rain and look around the inn."
_SENTENCE_TOKENS = 60
_FORM = (
    "Name the place in this sentence, and say whether it is dark there: “The cellar of the mill lay in "
    "darkness.” Answer in JSON with the keys place and is_dark."
)
_FORM_SCHEMA: JsonObject = {
    "type": "object",
    "properties": {"place": {"type": "string", "maxLength": 40}, "is_dark": {"type": "boolean"}},
    "required": ["place", "is_dark"],
    "additionalProperties": False,
}
_FORM_TOKENS = 100
_SHOWN_LENGTH = 240
_WORTH_SAYING_SECONDS = 0.5
_READING_PACE = 4.0  # tokens a second, about what a slow reader reads
_MEASURABLE_TOKENS = 8
# Between these the game's count is right enough, for it keeps a margin.
_LOW_RATIO, _HIGH_RATIO = 0.6, 1.25


async def try_sentence(subject: Subject) -> Finding:
    """The first words of a turn, with the window and sampling that every turn has."""
    messages = (Message("system", _SCENE), Message("user", _ACTION))
    estimate = sum(count_tokens(message.content) + MESSAGE_OVERHEAD for message in messages) + PROMPT_OVERHEAD
    options = replace(
        subject.engine.options,
        max_output_tokens=min(_SENTENCE_TOKENS, subject.engine.max_output_tokens),
    )
    request = ChatRequest(
        subject.model,
        messages,
        options,
        priority=Priority.BACKGROUND,
        estimated_prompt_tokens=estimate,
    )
    subject.tried = await _time_stream(subject, request, estimate)
    return _judge_pace(subject.tried)


async def compare_counts(subject: Subject) -> Finding:
    """Whether the server reads all that is sent, by its own count, and in the window that was asked for."""
    assert subject.tried is not None  # noqa: S101 - this look needs the sentence
    in_use, window = await window_in_use(subject), subject.engine.context_window
    if in_use is not None and in_use < window:
        return Finding(
            Status.WARNING,
            f"The server loaded the model with a window of {in_use:,} tokens, not the {window:,} that are "
            "set. Long prompts would be cut.",
            f"Set the window to {in_use:,}, or have the server give the model more.",
        )
    reported, estimate = subject.tried.usage.prompt_tokens, subject.tried.estimated_tokens
    if not reported:
        return Finding(
            Status.SKIPPED, f"The server does not tell how many of about {estimate:,} tokens it read."
        )
    ratio = reported / estimate
    seen = f"Of a prompt of {estimate:,} tokens by the game’s count the server read {reported:,} by its own."
    if ratio < _LOW_RATIO:
        return Finding(
            Status.WARNING,
            f"{seen} It may have left out a part of what was sent.",
            "Check again. If it stays so, look at the server’s own log for prompts that were cut.",
        )
    reserve = int(window * (1 - 1 / ratio)) + 1  # with so much kept free, a full window is no fuller
    if ratio > _HIGH_RATIO and reserve > subject.engine.options.reply_tokens:
        return Finding(
            Status.WARNING,
            f"{seen} A prompt that just fits by the game’s count is too long for this model.",
            f"Let replies be up to {reserve:,} tokens long: so much of the window is then kept free.",
        )
    return Finding(Status.OK, seen)


async def try_structure(subject: Subject) -> Finding:
    """A JSON object by a schema, from the model that is asked for events."""
    served = serve_role(subject.connection, Role.EXTRACTOR)
    options = replace(
        subject.engine.options, max_output_tokens=_FORM_TOKENS, reasoning=False, temperature=0.0
    )
    request = ChatRequest(
        served.model,
        (Message("system", "You answer with JSON and nothing else."), Message("user", _FORM)),
        options,
        priority=Priority.BACKGROUND,
        schema=_FORM_SCHEMA,
    )
    try:
        document = await complete_object(served.backend, request)
    except BadResponseError as error:
        return _no_structure(served.model, sentences(error.message)[0])
    if set(document) != {"place", "is_dark"} or not isinstance(document["is_dark"], bool):
        return _no_structure(served.model, "It answered JSON of another form than it was given.")
    return Finding(Status.OK, f"“{served.model}” keeps to a form that it is given, as events need it.")


def _no_structure(model: str, reason: str) -> Finding:
    return Finding(
        Status.WARNING,
        f"“{model}” was given a form for its answer and did not keep to it. {reason} What it "
        "proposes as data may be of no use; the narration does not depend on it.",
        "Choose another model for events on the settings page, or a newer version of the model server.",
    )


async def _time_stream(subject: Subject, request: ChatRequest, estimate: int) -> Tried:
    was_busy = line_of(subject.connection.url, subject.model).is_taken
    began, first = time.monotonic(), 0.0
    parts: list[str] = []
    has_thought, usage = False, Usage()
    async with aclosing(subject.backend.stream_chat(request)) as events:
        async for event in events:
            first = first or time.monotonic() - began
            parts += _text(event)
            has_thought = has_thought or isinstance(event, ReasoningDelta)
            if isinstance(event, Finished):
                usage = event.usage
    total = time.monotonic() - began
    return Tried("".join(parts), first, total, has_thought, was_busy, estimate, usage)


def _text(event: StreamEvent) -> list[str]:
    return [event.text] if isinstance(event, TextDelta) else []


def _judge_pace(tried: Tried) -> Finding:
    count = tried.usage.output_tokens or count_tokens(tried.text)
    seconds = tried.usage.output_seconds or tried.total_seconds - tried.first_seconds
    pace = count / seconds if seconds > 0 else 0.0
    seen = f"{_quote(tried.text)} {_first_word(tried)} {_pace(count, pace)}"
    if count >= _MEASURABLE_TOKENS and 0 < pace < _READING_PACE:
        return Finding(
            Status.WARNING,
            f"{seen} That is slower than reading.",
            "A smaller model, or one of fewer bits, writes faster.",
        )
    return Finding(Status.OK, seen)


def _quote(text: str) -> str:
    words = " ".join(text.split())
    return f"“{words}”" if len(words) <= _SHOWN_LENGTH else f"“{words[:_SHOWN_LENGTH].rstrip()}…”"


def _first_word(tried: Tried) -> str:
    loading = tried.usage.load_seconds or 0.0
    asides = [f"{loading:.1f} s of it for loading the model"] if loading >= _WORTH_SAYING_SECONDS else []
    if tried.was_busy:
        asides.append("the wait for another answer of the model included")
    aside = f" ({', '.join(asides)})" if asides else ""
    what = "thought" if tried.has_thought else "word"
    return f"The first {what} came after {tried.first_seconds:.2f} s{aside}."


def _pace(count: int, pace: float) -> str:
    tokens = "one token" if count == 1 else f"{count:,} tokens"
    return f"It wrote {tokens}, {pace:,.1f} a second." if pace else f"It wrote {tokens} at once."
