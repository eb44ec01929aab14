"""What was sent, as the document that is kept for ever. Pure."""

import json
import zlib
from dataclasses import asdict, dataclass
from typing import Any

from narrative.inference.base import GenerationOptions, Message
from narrative.prompt.sections import Section


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """A prompt that fits its window, with all that the record tells of it. Counts are in tokens."""

    sections: tuple[Section, ...]
    messages: tuple[Message, ...]
    total: int
    reserve: int
    protected: int
    history_budget: int
    history_spent: int
    history_included: int
    history_total: int


def pack_record(prompt: Prompt, *, model: str, options: GenerationOptions) -> bytes:
    """The record of a prompt in full text, compressed."""
    document = {
        "sections": [
            {"label": s.label, "text": s.text, "tokens": s.tokens, "reason": s.reason}
            for s in prompt.sections
        ],
        "messages": [asdict(message) for message in prompt.messages],
        "tokens": {
            "window": options.context_window,
            "total": prompt.total,
            "output_reserve": prompt.reserve,
            "protected": prompt.protected,
            "history_budget": prompt.history_budget,
            "history_spent": prompt.history_spent,
        },
        "history": {"included": prompt.history_included, "total": prompt.history_total},
        "model": model,
        "options": asdict(options),
    }
    return zlib.compress(json.dumps(document, ensure_ascii=False).encode(), 6)


def unpack_record(packed: bytes | memoryview) -> dict[str, Any]:
    """The document of a record."""
    document: dict[str, Any] = json.loads(zlib.decompress(packed))
    return document
