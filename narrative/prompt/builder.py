"""Gather what a prompt is made of, and make it. Writes nothing."""

from collections.abc import Iterator
from dataclasses import dataclass

from campaigns.models import Branch, Campaign, Turn, TurnRequest
from campaigns.path import Position
from narrative.errors import ContextOverflowError
from narrative.inference.base import Message
from narrative.prompt.record import Prompt
from narrative.prompt.sections import Section, StoryRules, live_sections, render_input, system_sections
from narrative.prompt.window import (
    MARGIN,
    MESSAGE_OVERHEAD,
    PROMPT_OVERHEAD,
    HistoryWindow,
    PastTurn,
    fill_window,
)

# Turns read from the database at a time while the window fills.
_BATCH = 40


@dataclass(frozen=True, slots=True)
class TokenLimits:
    """The window the model is given and what of it the reply may take, in tokens."""

    window: int
    reply: int


def build_prompt(request: TurnRequest, *, limits: TokenLimits) -> Prompt:
    """The prompt of a submission, from the story on the path to where it will stand.

    Reads as many turns as the budget holds, not the story. Raises ContextOverflowError.
    """
    rules = story_rules(request.campaign)
    system = system_sections(rules)
    live = live_sections(rules, mode=request.mode, text=request.text)
    end = _history_end(request)
    protected = sum(section.tokens for section in (*system, *live)) + 2 * MESSAGE_OVERHEAD + PROMPT_OVERHEAD
    reserve = limits.reply + MARGIN
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


def _history_end(request: TurnRequest) -> Position:
    """The turn that the new one follows: the head, or the one before the turn that is told anew, so that the
    take being replaced has no part in its replacement."""
    if request.replaces is None:
        return request.position
    return Position(request.branch_id, request.replaces.depth - 1)


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
