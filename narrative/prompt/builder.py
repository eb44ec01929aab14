"""Make a prompt within its budget. Reads the story it replays, and writes nothing.

    window
    ├─ reserve      the reply, a margin, and what the call for events adds to the same prefix
    ├─ protected    rules, canon, note, hint, the player's input: what they need
    └─ left         every share is a share of this one figure
        ├─ state      at most 30 %, its core whatever it costs
        ├─ summary    at most 10 %
        ├─ memories   at most 15 %
        └─ history    everything that is still unspent

A part that stays below its share leaves the rest to the history.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from campaigns.models import Branch, Campaign, Turn, TurnRequest
from campaigns.path import Position
from knowledge.tokens import count_tokens
from narrative.errors import ContextOverflowError
from narrative.inference.base import Message
from narrative.prompt.counting import Count, counter
from narrative.prompt.length_hint import length_hint
from narrative.prompt.overlap import Said
from narrative.prompt.record import Dropped, PartBudget, Prompt, SummaryUsed
from narrative.prompt.remembered import Recall, Recalled, SummaryInForce, recall_nothing
from narrative.prompt.sections import (
    LiveParts,
    Section,
    StateParts,
    StoryRules,
    live_sections,
    render_input,
    system_sections,
)
from narrative.prompt.state_texts import canon_lines, refusals_text, state_reminder, state_rule
from narrative.prompt.told_memory import frame_of_memories, tell_memories, tell_summary
from narrative.prompt.window import (
    MARGIN,
    MESSAGE_OVERHEAD,
    PROMPT_OVERHEAD,
    HistoryWindow,
    PastTurn,
    fill_window,
)
from narrative.state.canon import read_canon
from narrative.state.document import Document
from narrative.state.render import Focus, RenderedState, render_state

# Turns are read from the database in parts while the window fills. The first part is meant to be enough: from
# where the window began before, and some for filling it again; else as many short turns as the budget holds.
_MORE = 8
_SHORT_TURN = 60
_LEAST_BATCH = 24


@dataclass(frozen=True, slots=True)
class TokenLimits:
    """The window the model is given and what of it the reply may take, in tokens. ``extraction`` is what the
    call that lists a turn's events adds to the same prefix, 0 where there is none; ``words`` is the limit of
    the reply's prose, without the thinking before it; the shares are parts of what is left. ``ratio`` is how
    much more the model's server counts than is estimated here."""

    window: int
    reply: int
    extraction: int = 0
    words: int = 0
    state_share: float = 0.30
    summary_share: float = 0.10
    memories_share: float = 0.15
    ratio: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class StateAhead:
    """The state that a turn is told from, and how its changes are to be proposed. ``told`` is the narration
    of the turn before, ``refused`` what was refused of it."""

    document: Document
    focus: Focus
    told: str = ""
    is_block: bool = False
    refused: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryAhead:
    """What is remembered where a turn is told, and the prompt of the turn before it, which this one should
    begin like: the messages, and the depth at which its history began."""

    summary: SummaryInForce | None = None
    recall: Recall = recall_nothing
    previous: Sequence[Message] = field(default_factory=tuple)
    history_start: int | None = None


NOTHING_REMEMBERED = MemoryAhead()


def build_prompt(
    request: TurnRequest,
    *,
    limits: TokenLimits,
    ahead: StateAhead,
    remembered: MemoryAhead = NOTHING_REMEMBERED,
) -> Prompt:
    """The prompt of a submission, from the story on the path to where it will stand.

    Reads as many turns as the budget holds, not the story. Raises ContextOverflowError.
    """
    rules = story_rules(request.campaign)
    end = history_end(request)
    count = counter(limits.ratio)
    reserve = limits.reply + MARGIN + limits.extraction
    overhead = 2 * MESSAGE_OVERHEAD + PROMPT_OVERHEAD
    parts = _protocol(ahead)
    hint = LiveParts(length_hint=length_hint(limits.words, is_block=ahead.is_block))

    def live(state: StateParts, told: LiveParts) -> list[Section]:
        return live_sections(
            rules, mode=request.mode, text=request.text, state=state, parts=told, count=count
        )

    system = system_sections(rules, parts, count=count)
    needed = overhead + sum(section.tokens for section in (*system, *live(parts, hint)))
    left = limits.window - reserve - needed
    state = render_state(
        ahead.document, ahead.focus, budget=int(max(0, left) * limits.state_share), count=count
    )
    parts = replace(parts, state=state.text, reason=_state_reason(state))
    told, elastic = _tell_memory(rules, state, remembered, left=left, limits=limits, count=count)
    sections = live(parts, replace(told, length_hint=hint.length_hint))
    spent = overhead + sum(section.tokens for section in (*system, *sections))
    budget = limits.window - reserve - spent
    if budget <= 0:
        raise ContextOverflowError(needed=spent, window=limits.window, reply=reserve)
    start = remembered.history_start
    batch = budget // _SHORT_TURN if start is None else end.depth - start + _MORE
    history = fill_window(newest_turns(end, batch), budget=budget, start=start, count=count)
    messages = _messages(system, history, sections)
    return Prompt(
        sections=(*system, *_history_sections(history), *sections),
        messages=messages,
        total=spent + history.spent,
        estimated=PROMPT_OVERHEAD + sum(count_tokens(each.content) + MESSAGE_OVERHEAD for each in messages),
        reserve=reserve,
        protected=needed + state.core,
        left=max(0, left),
        ratio=limits.ratio,
        prefix_reused=_reused(messages, remembered.previous, count),
        history_budget=budget,
        history_spent=history.spent,
        history_start=history.start,
        history_included=len(history.turns),
        history_total=end.depth + 1,
        summary=elastic.summary,
        recalled=elastic.recalled,
        parts=(PartBudget("state", int(max(0, left) * limits.state_share), state.tokens), *elastic.parts),
        dropped=elastic.dropped,
    )


@dataclass(frozen=True, slots=True)
class _Elastic:
    summary: SummaryUsed | None
    recalled: Recalled
    parts: tuple[PartBudget, ...]
    dropped: tuple[Dropped, ...]


def _tell_memory(
    rules: StoryRules,
    state: RenderedState,
    remembered: MemoryAhead,
    *,
    left: int,
    limits: TokenLimits,
    count: Count,
) -> tuple[LiveParts, _Elastic]:
    """Summary and memories within their shares, without what the canon and the state say already."""
    said = Said(canon_lines(read_canon(rules.canon)))
    said.add(*(line.split(": ", 1)[-1] for line in state.text.splitlines()))
    room = max(0, left - state.tokens)
    summary_cap = min(room, int(max(0, left) * limits.summary_share))
    memories_cap = min(room - summary_cap, int(max(0, left) * limits.memories_share))
    summary, text, dropped = _summary(remembered.summary, summary_cap, said, count)
    said.add(*text.splitlines()[1:])
    recalled = remembered.recall(max(0, memories_cap - frame_of_memories(count)), said.has)
    memories = tell_memories(recalled.used)
    told = LiveParts(
        summary=text,
        summary_reason="" if summary is None else summary.reason,
        memories=memories,
        memories_reason=f"{len(recalled.used)} of the {recalled.considered} that were looked at",
    )
    parts = (
        PartBudget("summary", summary_cap, count(text) if text else 0),
        PartBudget("memories", memories_cap, count(memories) if memories else 0),
    )
    return told, _Elastic(summary, recalled, parts, dropped)


def _summary(
    summary: SummaryInForce | None, cap: int, said: Said, count: Count
) -> tuple[SummaryUsed | None, str, tuple[Dropped, ...]]:
    if summary is None:
        return None, "", ()
    text, repeated, is_partly = tell_summary(summary, budget=cap, said=said, count=count)
    dropped = [Dropped("story_summary", each, "the canon or the state says it already") for each in repeated]
    if not text:
        if is_partly:
            dropped.append(Dropped("story_summary", summary.text, "no room for it within its share"))
        return None, "", tuple(dropped)
    used = SummaryUsed(summary, tokens=count(text), is_partly=is_partly)
    return used, text, tuple(dropped)


def _reused(messages: Sequence[Message], previous: Sequence[Message], count: Count) -> int:
    """Tokens of the messages that the prompt before this one began with too."""
    reused = 0
    for message, before in zip(messages, previous, strict=False):
        if message != before:
            break
        reused += count(message.content) + MESSAGE_OVERHEAD
    return reused


def story_rules(campaign: Campaign) -> StoryRules:
    return StoryRules(
        profile=campaign.profile,
        protagonist_name=campaign.protagonist_name,
        protagonist_description=campaign.protagonist_description,
        narrator_rules=tuple(campaign.narrator_rules),
        canon=campaign.canon,
        authors_note=campaign.authors_note,
    )


def newest_turns(end: Position, batch: int) -> Iterator[PastTurn]:
    """The turns on the path to a position, newest first, read so many at a time as they are asked for."""
    last, batch = end.depth, max(batch, _LEAST_BATCH)
    while last >= 0:
        first = max(0, last - batch + 1)
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
    older = f"; the {first} before them do not fit" if first else ""
    return (Section("history", text, f"turns {first} to {last}, as told{older}", history.spent),)


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
