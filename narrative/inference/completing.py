"""A reply as a whole: for what is used as data and not read by the player as it comes."""

import json
import re
from contextlib import aclosing
from dataclasses import dataclass, replace

from narrative.inference.base import Backend, BadResponseError, ChatRequest, Finished, TextDelta, Usage
from narrative.inference.server_json import JsonObject, is_object

# A grammar for chat may let a model put a Markdown fence around its JSON.
FENCE = re.compile(r"\A\s*```(?:json)?\s*\n(.*?)\n?\s*```\s*\Z", re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Completion:
    text: str
    usage: Usage
    is_cut: bool


async def complete(backend: Backend, request: ChatRequest) -> Completion:
    """The text of a whole reply; its reasoning is dropped. Raises InferenceError."""
    parts: list[str] = []
    finished = Finished("stop")
    async with aclosing(backend.stream_chat(request)) as events:
        async for event in events:
            if isinstance(event, TextDelta):
                parts.append(event.text)
            elif isinstance(event, Finished):
                finished = event
    return Completion("".join(parts), finished.usage, is_cut=finished.reason == "length")


async def complete_object(backend: Backend, request: ChatRequest) -> JsonObject:
    """The JSON object that a model was asked for with ``request.schema``.

    That it follows the schema is the caller's to check: servers drop what they do not know of one. Where the
    reply is no object it is asked for once more without a word on thinking, which some versions of Ollama
    need. Raises InferenceError; BadResponseError also for a reply that was cut off.
    """
    try:
        return _read_object(await complete(backend, request))
    except BadResponseError:
        if backend.api != "ollama":
            raise
    return _read_object(await complete(backend, replace(request, leaves_thinking_unsaid=True)))


def _read_object(completion: Completion) -> JsonObject:
    if completion.is_cut:
        raise BadResponseError("The model's answer was longer than it may be and was cut off.")
    fenced = FENCE.match(completion.text)
    try:
        value: object = json.loads(fenced[1] if fenced else completion.text)
    except (ValueError, RecursionError):
        raise BadResponseError("The model answered something other than the JSON it was asked for.") from None
    if not is_object(value):
        raise BadResponseError("The model answered JSON of another shape than it was asked for.")
    return value
