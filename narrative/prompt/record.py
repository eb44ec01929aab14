"""What was sent, as the document that is kept for ever. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from narrative.inference.base import GenerationOptions, Message
from narrative.prompt.remembered import Recalled, SummaryInForce
from narrative.prompt.sections import Section

VERSION = 2

# The library's part of the record, as it is where nothing was searched.
NO_KNOWLEDGE: Mapping[str, Any] = {
    "query": {"terms": [], "text": ""},
    "considered": 0,
    "generated": 0,
    "admitted": 0,
    "rejected": 0,
    "used": [],
    "set_aside": [],
    "over_budget": [],
    "threshold": None,
    "semantic": {"used": False, "model": "", "calibrated": False, "note": "", "truncated": False},
    "budget": 0,
    "spent": 0,
}


@dataclass(frozen=True, slots=True)
class PartBudget:
    """What an elastic part of a prompt might have taken and took, in tokens."""

    part: str
    cap: int
    spent: int


@dataclass(frozen=True, slots=True)
class Dropped:
    """A piece of a section that was left out, and why."""

    section: str
    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class SummaryUsed:
    summary: SummaryInForce
    tokens: int
    is_partly: bool

    @property
    def reason(self) -> str:
        who = "written by you" if self.summary.type == "manual" else "generated"
        partly = "; its end, for want of room" if self.is_partly else ""
        return f"turns {self.summary.first_depth} to {self.summary.depth} in short, {who}{partly}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """A prompt that fits its window, with all that the record tells of it. Counts are in tokens, raised by
    the model's ratio; ``estimated`` is the whole prompt without it."""

    sections: tuple[Section, ...]
    messages: tuple[Message, ...]
    total: int
    estimated: int
    reserve: int
    protected: int
    left: int
    ratio: float
    prefix_reused: int
    history_budget: int
    history_spent: int
    history_start: int | None
    history_included: int
    history_total: int
    summary: SummaryUsed | None
    recalled: Recalled
    parts: tuple[PartBudget, ...]
    dropped: tuple[Dropped, ...]


def record_document(
    prompt: Prompt,
    *,
    model: str,
    options: GenerationOptions,
    derived: Iterable[Mapping[str, Any]] = (),
) -> dict[str, Any]:
    """The record of a prompt in full text. ``derived`` is the health of what is made from the story."""
    return {
        "version": VERSION,
        "sections": [
            {"label": s.label, "text": s.text, "tokens": s.tokens, "reason": s.reason}
            for s in prompt.sections
        ],
        "messages": [asdict(message) for message in prompt.messages],
        "tokens": {
            "window": options.context_window,
            "total": prompt.total,
            "estimated": prompt.estimated,
            "output_reserve": prompt.reserve,
            "protected": prompt.protected,
            "left": prompt.left,
            "history_budget": prompt.history_budget,
            "history_spent": prompt.history_spent,
            "prefix_reused": prompt.prefix_reused,
            "ratio": prompt.ratio,
        },
        "history": {
            "included": prompt.history_included,
            "total": prompt.history_total,
            "from": prompt.history_start,
        },
        "summary": None if prompt.summary is None else _summary(prompt.summary),
        "memories": _memories(prompt.recalled),
        "knowledge": dict(NO_KNOWLEDGE),
        "budget": {"parts": [asdict(part) for part in prompt.parts]},
        "dropped": [asdict(each) for each in prompt.dropped],
        "derived": [dict(each) for each in derived],
        "model": model,
        "options": asdict(options),
    }


def _summary(used: SummaryUsed) -> dict[str, Any]:
    summary = used.summary
    return {
        "id": summary.id,
        "type": summary.type,
        "trigger": summary.trigger,
        "branch": summary.branch,
        "from": summary.first_depth,
        "to": summary.depth,
        "model": summary.model,
        "tokens": used.tokens,
        "is_partly": used.is_partly,
    }


def _memories(recalled: Recalled) -> dict[str, Any]:
    return {
        "used": [
            {
                "id": memory.id,
                "text": memory.text,
                "similarity": memory.similarity,
                "score": memory.score,
                "factors": memory.factors,
                "authority": memory.authority,
                "pinned": memory.is_pinned,
                "source": {"branch": memory.branch, "from": memory.first_depth, "to": memory.depth},
                "tokens": memory.tokens,
            }
            for memory in recalled.used
        ],
        "set_aside": [asdict(each) for each in recalled.set_aside],
        "considered": recalled.considered,
    }
