"""Gather what a prompt is made of, and make it. Writes nothing."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from campaigns.models import Branch, Campaign, Turn, TurnRequest
from campaigns.path import Position
from knowledge.tokens import count_tokens
from narrative.errors import ContextOverflowError
from narrative.inference.base import Message
from narrative.prompt.record import Prompt
from narrative.prompt.sections import (
    Section,
    StateParts,
    StoryRules,
    live_sections,
    render_input,
    system_sections,
)
from narrative.prompt.state_texts import refusals_text, state_reminder, state_rule
from narrative.prompt.window import (
    MARGIN,
    MESSAGE_OVERHEAD,
    PROMPT_OVERHEAD,
    HistoryWindow,
    PastTurn,
    fill_window,
)
from narrative.state.document import Document
from narrative.state.render import Focus, RenderedState, render_state

# Turns read from the database at a time while the window fills.
_BATCH = 40


@dataclass(frozen=True, slots=True)
class TokenLimits:
    """The window the model is given and what of it the reply may take, in tokens. ``extraction`` is what the
    call that lists a turn's events adds to the same prefix, 0 where there is none; ``state_share`` is the
    part of what is left that the state may take."""

    window: int
    reply: int
    extraction: int = 0
    state_share: float = 0.30


@dataclass(frozen=True, slots=True, kw_only=True)
class StateAhead:
    """The state that a turn is told from, and how its changes are to be proposed. ``refused`` is what was
    refused of the turn before."""

    document: Document
    focus: Focus
    is_block: bool = False
    refused: tuple[Mapping[str, Any], ...] = ()


def build_prompt(request: TurnRequest, *, limits: TokenLimits, ahead: StateAhead) -> Prompt:
    """The prompt of a submission, from the story on the path to where it will stand.

    Reads as many turns as the budget holds, not the story. Raises ContextOverflowError.
    """
    rules = story_rules(request.campaign)
    end = history_end(request)
    reserve = limits.reply + MARGIN + limits.extraction
    overhead = 2 * MESSAGE_OVERHEAD + PROMPT_OVERHEAD
    protocol = _protocol(ahead)
    bare = (
        *system_sections(rules, protocol),
        *live_sections(rules, mode=request.mode, text=request.text, state=protocol),
    )
    left = limits.window - reserve - overhead - sum(section.tokens for section in bare)
    state = render_state(
        ahead.document, ahead.focus, budget=int(max(0, left) * limits.state_share), count=count_tokens
    )
    parts = replace(protocol, state=state.text, reason=_state_reason(state))
    system = system_sections(rules, parts)
    live = live_sections(rules, mode=request.mode, text=request.text, state=parts)
    protected = sum(section.tokens for section in (*system, *live)) + overhead
    budget = limits.window - reserve - protected
    if budget < 0:
        raise ContextOverflowError(needed=protected, window=limits.window, reply=reserve)
    history = fill_window(newest_turns(end), budget=budget)
    return Prompt(
        sections=(*system, *_history_sections(history), *live),
        messages=_messages(system, history, live),
        total=protected + history.spent,
        reserve=reserve,
        protected=protected,
        history_budget=budget,
        history_spent=history.spent,
        history_included=len(history.turns),
        history_total=end.depth + 1,
    )


def story_rules(campaign: Campaign) -> StoryRules:
    return StoryRules(
        profile=campaign.profile,
        protagonist_name=campaign.protagonist_name,
        protagonist_description=campaign.protagonist_description,
        narrator_rules=tuple(campaign.narrator_rules),
        canon=campaign.canon,
        authors_note=campaign.authors_note,
    )


def newest_turns(end: Position) -> Iterator[PastTurn]:
    """The turns on the path to a position, newest first, read in batches as they are asked for."""
    last = end.depth
    while last >= 0:
        first = max(0, last - _BATCH + 1)
        path = Branch.objects.path_to(end, floor=first).between(first, last)
        rows = Turn.objects.on_path(path).order_by("-depth")
        for depth, mode, text, narration in rows.values_list(
            "depth", "mode", "input", "live_take__narration"
        ):
            yield PastTurn(depth, render_input(mode=mode, text=text), narration)
        last = first - 1


def history_end(request: TurnRequest) -> Position:
    """The turn that the new one follows: the head, or the one before the turn that is told anew, so that the
    take being replaced has no part in its replacement."""
    if request.replaces is None:
        return request.position
    return Position(request.branch_id, request.replaces.depth - 1)


def _protocol(ahead: StateAhead) -> StateParts:
    """What the narrator is told where it proposes the events itself, in a block after its prose."""
    if not ahead.is_block:
        return StateParts()
    return StateParts(rule=state_rule(), refusals=refusals_text(ahead.refused), reminder=state_reminder())


def _state_reason(state: RenderedState) -> str:
    left_out = f"; {state.left_out} lines left out for want of room" if state.left_out else ""
    return f"what holds now: {state.told} lines{left_out}"


def _history_sections(history: HistoryWindow) -> tuple[Section, ...]:
    if not history.turns:
        return ()
    text = "\n\n".join(f"{turn.input}\n\n{turn.narration}" for turn in history.turns)
    first, last = history.turns[0].depth, history.turns[-1].depth
    return (Section("history", text, f"turns {first} to {last}, as told", history.spent),)


def _messages(system: list[Section], history: HistoryWindow, live: list[Section]) -> tuple[Message, ...]:
    past = [
        message
        for turn in history.turns
        for message in (Message("user", turn.input), Message("assistant", turn.narration))
    ]
    return (
        Message("system", "\n\n".join(section.text for section in system)),
        *past,
        Message("user", "\n\n".join(section.text for section in live)),
    )
