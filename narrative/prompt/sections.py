"""The labelled parts of a prompt, in their order, and their words."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from knowledge.tokens import count_tokens
from narrative.prompt.counting import Count
from narrative.prompt.state_texts import canon_lines
from narrative.state.canon import read_canon

_TEXTS = Path(__file__).parent / "texts"
_DEFAULT_VOICE = "Write in the second person, present tense."


@dataclass(frozen=True, slots=True)
class Section:
    """One part of a prompt: its label, its text, and why it is there. ``tokens`` counts the blank line after
    it as well."""

    label: str
    text: str
    reason: str
    tokens: int

    @classmethod
    def counted(cls, label: str, text: str, reason: str, count: Count = count_tokens) -> "Section":
        return cls(label, text, reason, count(f"{text}\n\n"))


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryRules:
    """What the player laid down for a campaign."""

    profile: Mapping[str, str]
    protagonist_name: str
    protagonist_description: str
    narrator_rules: tuple[str, ...]
    canon: Mapping[str, Any]
    authors_note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StateParts:
    """What a prompt says of the state, as text; a part that is empty is left out. ``rule``, ``refusals`` and
    ``reminder`` are there where the narrator itself proposes the events."""

    state: str = ""
    reason: str = ""
    rule: str = ""
    refusals: str = ""
    reminder: str = ""


NO_STATE = StateParts()


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveParts:
    """What the last message says beside the player's input, as text; a part that is empty is left out."""

    summary: str = ""
    summary_reason: str = ""
    memories: str = ""
    memories_reason: str = ""
    length_hint: str = ""


NO_LIVE_PARTS = LiveParts()


def system_sections(
    rules: StoryRules, state: StateParts = NO_STATE, *, count: Count = count_tokens
) -> list[Section]:
    """The sections of the system message; those with nothing to say are left out."""
    canon = _canon_text(rules.canon)
    return _said(
        count,
        ("narrator", _narrator_text(rules), "the narrator's rules, the profile and the protagonist"),
        ("state_rule", state.rule, "how changes of the state are proposed"),
        ("campaign_canon", canon, "the campaign's own canon"),
    )


def live_sections(
    rules: StoryRules,
    *,
    mode: str,
    text: str,
    state: StateParts = NO_STATE,
    parts: LiveParts = NO_LIVE_PARTS,
    count: Count = count_tokens,
) -> list[Section]:
    """The sections of the last message, the player's input last: what is read last settles a conflict."""
    note = f"[Author's note, for your eyes: {rules.authors_note}]" if rules.authors_note else ""
    return _said(
        count,
        ("story_summary", parts.summary, parts.summary_reason),
        ("memories", parts.memories, parts.memories_reason),
        ("narrative_state", state.state, state.reason),
        ("authors_note", note, "the author's note"),
        ("length_hint", parts.length_hint, "how long the reply may be, told in words"),
        ("state_refusals", state.refusals, "what was refused of the last proposal, told once"),
        ("state_reminder", state.reminder, "the reminder to close with the state block"),
        ("player_input", render_input(mode=mode, text=text), "what the player just wrote"),
    )


def _said(count: Count, *parts: tuple[str, str, str]) -> list[Section]:
    return [Section.counted(label, text, reason, count) for label, text, reason in parts if text]


def render_input(*, mode: str | None, text: str) -> str:
    """A player's input in the words of a message. ``mode`` is None for the opening."""
    if mode is None:
        return "[Begin the story.]"
    if mode == "continue":
        return "[Continue the story.]"
    if mode == "direction":
        return f"[Direction to the narrator: {text}]"
    if mode == "dialogue":
        return f"I say: {text}" if text[:1] in "\"“„«'‘" else f"I say: “{text}”"
    return text


def _narrator_text(rules: StoryRules) -> str:
    parts = [(_TEXTS / "narrator.txt").read_text().strip()]
    voice = [rules.profile.get(name, "") for name in ("point_of_view", "tense")]
    written = [
        f"{name.replace('_', ' ').capitalize()}: {value}" for name, value in rules.profile.items() if value
    ]
    parts.append("\n".join(["The story:", *written, *([] if any(voice) else [_DEFAULT_VOICE])]))
    protagonist = _protagonist_text(rules.protagonist_name, rules.protagonist_description)
    if protagonist:
        parts.append(protagonist)
    if rules.narrator_rules:
        parts.append(_bullets("The player's rules for you:", rules.narrator_rules))
    return "\n\n".join(parts)


def _protagonist_text(name: str, description: str) -> str:
    # "The protagonist is …" is also how the embedded narrator finds the name (rehearsing/brief.py).
    named = f"The protagonist is {name}, played by the player." if name else ""
    return " ".join(part for part in (named, description) if part)


def _canon_text(canon: Mapping[str, Any]) -> str:
    lines = canon_lines(read_canon(canon))
    return _bullets("Canon. This is true in the story and nothing can change it:", lines) if lines else ""


def _bullets(heading: str, lines: tuple[str, ...] | list[str]) -> str:
    return "\n".join([heading, *(f"- {line}" for line in lines)])
