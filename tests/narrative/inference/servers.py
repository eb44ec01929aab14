"""What the tests of the two server back ends share: a request, and a stream read to its end."""

from contextlib import aclosing

from narrative.inference.base import (
    Backend,
    ChatRequest,
    Finished,
    GenerationOptions,
    Message,
    ReasoningDelta,
    TextDelta,
)
from narrative.inference.http import HttpClient, Timeouts
from tests.inference_servers.scripted import MODEL, ScriptedServer

TIMEOUTS = Timeouts(first_token=1.2, between_tokens=0.3)
OPTIONS = GenerationOptions(context_window=4096, max_output_tokens=300, seed=11, stop=("\n>",))


def client_of(server: ScriptedServer, path: str = "") -> HttpClient:
    return HttpClient(server.url + path, TIMEOUTS)


def ask(
    *, model: str = MODEL, options: GenerationOptions = OPTIONS, estimate: int | None = None
) -> ChatRequest:
    messages = (Message("system", "You narrate."), Message("user", "I wake."))
    return ChatRequest(model, messages, options, estimated_prompt_tokens=estimate)


async def read(backend: Backend, request: ChatRequest) -> tuple[str, str, Finished]:
    """Narration, reasoning and the last event."""
    text = reasoning = ""
    async with aclosing(backend.stream_chat(request)) as events:
        async for event in events:
            match event:
                case TextDelta():
                    text += event.text
                case ReasoningDelta():
                    reasoning += event.text
                case Finished():
                    return text, reasoning, event
    raise AssertionError("the stream ended without its last event")
