"""The two ways servers put a reply on the wire, as bytes."""

import json
from typing import Protocol

from tests.inference_servers.scripts import Script

CREATED_AT = "2026-01-01T00:00:00Z"


class Wire(Protocol):
    content_type: str

    def thinking(self, model: str, text: str) -> bytes: ...
    def delta(self, model: str, text: str) -> bytes: ...
    def ending(self, model: str, script: Script, *, has_usage: bool) -> bytes: ...
    def error(self, text: str) -> bytes: ...


class OllamaWire:
    content_type = "application/x-ndjson"

    def thinking(self, model: str, text: str) -> bytes:
        return self._message(model, {"role": "assistant", "content": "", "thinking": text})

    def delta(self, model: str, text: str) -> bytes:
        return self._message(model, {"role": "assistant", "content": text})

    def ending(self, model: str, script: Script, *, has_usage: bool) -> bytes:
        counts = {
            "prompt_eval_count": script.prompt_tokens,
            "prompt_eval_duration": 20_000_000,
            "eval_count": script.output_tokens or len(script.chunks),
            "eval_duration": 500_000_000,
            "load_duration": 1_000_000,
        }
        return _line(
            {
                "model": model,
                "created_at": CREATED_AT,
                "message": {"role": "assistant", "content": ""},
                "done": True,
                "done_reason": script.finish,
                **{key: value for key, value in counts.items() if value is not None},
            }
        )

    def error(self, text: str) -> bytes:
        return _line({"error": text})

    def _message(self, model: str, message: dict[str, str]) -> bytes:
        return _line({"model": model, "created_at": CREATED_AT, "message": message, "done": False})


class OpenAIWire:
    content_type = "text/event-stream"

    def thinking(self, model: str, text: str) -> bytes:
        return self._chunk(model, {"reasoning_content": text})

    def delta(self, model: str, text: str) -> bytes:
        return self._chunk(model, {"content": text})

    def ending(self, model: str, script: Script, *, has_usage: bool) -> bytes:
        last = self._chunk(model, {}, script.finish)
        if has_usage and script.prompt_tokens is not None:
            written = script.output_tokens or len(script.chunks)
            usage = {"prompt_tokens": script.prompt_tokens, "completion_tokens": written}
            last += b"data: " + _line({"model": model, "choices": [], "usage": usage}) + b"\n"
        return last + b"data: [DONE]\n\n"

    def error(self, text: str) -> bytes:
        return b"data: " + _line({"error": {"message": text, "type": "api_error"}}) + b"\n"

    def _chunk(self, model: str, delta: dict[str, str], finish: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return b"data: " + _line({"model": model, "choices": [choice]}) + b"\n"


def _line(document: object) -> bytes:
    return json.dumps(document).encode() + b"\n"
