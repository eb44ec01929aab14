"""What a turn changed in the state, and why: each proposal for its live take, and what became of it."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from campaigns.models import Campaign, Take, Turn
from campaigns.positions import is_on_path
from campaigns.selectors import get_turn
from campaigns.services.writing import has_continuation
from narrative.models import Proposal, StateEvent
from narrative.state.changes import change_line
from narrative.state.document import Document
from narrative.state.earlier import Step, read_step
from narrative.state.events import parse_event
from narrative.state.undoing import undo_events
from narrative.state.wording import fact_words, label_words, name_of, shortened, value_words
from narrative.state_history import StateAt, proposals_of

_WAYS = {
    Take.ProposalWay.BLOCK: "written with the narration",
    Take.ProposalWay.CALL: "asked for after the narration",
    Take.ProposalWay.EDIT: "came with your edit",
    Take.ProposalWay.CORRECTION: "your correction",
    Take.ProposalWay.SETUP: "what the story began with",
}
_LAYERS = {
    "envelope": "not a list of changes",
    "allowlist": "no such kind of change",
    "schema": "not filled in as it must be",
    "references": "names what is not there",
    "canon": "against what holds",
    "evidence": "not in the text",
}
# Where the reason says more than its layer.
_REASONS = {
    "too_many": "too many at once",
    "key_taken": "there already, as something else",
    "canon_conflict": "against canon",
    "player_correction": "against your correction",
    "passage_only": "only in a supplied passage",
}
_QUOTED = re.compile("“([^“”]+)”")
_UNCLEAR = (Take.ProposalStatus.NONE, Take.ProposalStatus.UNPARSEABLE)


@dataclass(frozen=True, slots=True)
class WhyEvent:
    """``can_be_taken_back``: what it set still holds, and there is a way back."""

    event: StateEvent
    step: Step
    can_be_taken_back: bool


@dataclass(frozen=True, slots=True)
class WhyRefused:
    """``asked`` is what was asked for, in words as far as that can be."""

    asked: str
    layer: str
    detail: str


@dataclass(frozen=True, slots=True)
class WhyProposal:
    proposal: Proposal
    way: str
    events: list[WhyEvent]
    refused: list[WhyRefused]
    redundant: list[str]

    @property
    def is_empty(self) -> bool:
        return not (self.events or self.refused or self.redundant)

    @property
    def is_unreadable(self) -> bool:
        return self.proposal.status == Take.ProposalStatus.UNPARSEABLE


@dataclass(frozen=True, slots=True)
class Why:
    turn: Turn
    is_on_path: bool
    proposals: list[WhyProposal]
    can_ask_again: bool


def read_why(campaign: Campaign, state: StateAt, turn_id: int) -> Why:
    """What was proposed for a turn. ``state`` is what holds where the story is read. Raises NotFoundError."""
    turn = get_turn(campaign_id=campaign.pk, turn_id=turn_id)
    take, is_here = turn.live_take, is_on_path(campaign, turn)
    proposals = proposals_of(take) if take is not None else []
    return Why(
        turn=turn,
        is_on_path=is_here,
        proposals=[_why_proposal(each, state.document, is_here=is_here) for each in proposals],
        can_ask_again=_can_ask_again(turn, take, state),
    )


def _can_ask_again(turn: Turn, take: Take | None, state: StateAt) -> bool:
    is_unclear = take is not None and take.proposal_status in _UNCLEAR
    return is_unclear and turn.mode is not None and turn.pk == state.turn.pk and not has_continuation(turn)


def _why_proposal(proposal: Proposal, document: Document, *, is_here: bool) -> WhyProposal:
    return WhyProposal(
        proposal=proposal,
        way=_WAYS.get(proposal.way, ""),  # type: ignore[call-overload]
        events=[_why_event(each, document, is_here=is_here) for each in proposal.events.all()],
        refused=[_why_refused(each, document) for each in proposal.refused],
        redundant=list(_said(document, proposal.redundant)),
    )


def _why_event(event: StateEvent, document: Document, *, is_here: bool) -> WhyEvent:
    step = read_step(document, event.type, event.payload, event.before)
    return WhyEvent(event, step, is_here and can_be_taken_back(document, event))


def can_be_taken_back(document: Document, event: StateEvent) -> bool:
    try:
        undone = undo_events(document, {"type": event.type, **event.payload}, event.before, reason="")
    except ValidationError:  # of an event that is written otherwise by now
        return False
    return undone is not None


def _why_refused(refused: dict[str, Any], document: Document) -> WhyRefused:
    layer, reason = str(refused.get("layer", "")), str(refused.get("reason", ""))
    words = _REASONS.get(reason) or _LAYERS.get(layer) or label_words(layer)
    detail = name_keys(document, str(refused.get("detail", "")))
    return WhyRefused(asked_words(document, refused.get("event")), words, detail)


def _said(document: Document, events: Iterable[Any]) -> Iterable[str]:
    return (asked_words(document, each) for each in events)


def name_keys(document: Document, said: str) -> str:
    """What a refusal says, with names in the place of keys: it was written for a model as well."""

    def named(found: re.Match[str]) -> str:
        key = found[1]
        fact = document.fact(key)
        if fact is not None and key not in document.entities:
            return f"“{fact_words(document, fact)}”"
        return f"“{name_of(document, key)}”"

    return _QUOTED.sub(named, said)


def asked_words(document: Document, raw: Any) -> str:
    """What an event as it was proposed asks for. One that nobody can read is shown as it came."""
    if not isinstance(raw, dict) or not isinstance(raw.get("type"), str):
        return shortened(str(raw))
    try:
        return shortened(change_line(document, parse_event(raw)))
    except (ValidationError, KeyError):
        said = (f"{label_words(name)} {value_words(part)}" for name, part in raw.items() if name != "type")
        return shortened(f"{label_words(raw['type'])}: {', '.join(said)}".removesuffix(": "))
