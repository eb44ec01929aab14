"""Judging a proposal, event by event, in layers. Pure.

envelope, allowlist, schema, references, canon (with contradiction), evidence: each reads only what those
before it have let through, so that of an event of an unknown type nothing but the type is read.
What was accepted counts for the events after it; what was refused does not.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal

from pydantic import ValidationError

from campaigns.texts import clean_text, join_halves
from narrative.state.apply import Writing, apply_event, fact_key
from narrative.state.canon import Canon, find_breach, find_forbidden_change
from narrative.state.contradiction import find_contradiction, find_player_word, says_the_same
from narrative.state.document import Document
from narrative.state.events import (
    EVENT_TYPES,
    MODELS,
    WITHDRAWN,
    AddFact,
    CreateEntity,
    EndRelationship,
    Event,
    OpenStoryThread,
    SetEntityStatus,
    parse_event,
)
from narrative.state.evidence import Evidence
from narrative.state.extraction import UNPARSEABLE
from narrative.state.holding import is_redundant, value_before
from narrative.state.keys import folded_key, folded_label, folded_name, fresh_key, key_of
from narrative.state.references import Resolver, UnknownReferenceError

MOST_EVENTS = 40
_SHOWN = 80
# No event is nested deeper; of what is, so much is kept with its refusal.
_LEVELS = 6

Layer = Literal["envelope", "allowlist", "schema", "references", "canon", "evidence"]
Demand = Literal["mark", "refuse", "off"]


class Status(StrEnum):
    """What became of a proposal as a whole."""

    ACCEPTED = "accepted"
    PARTIALLY_ACCEPTED = "partially_accepted"
    REJECTED = "rejected"
    UNPARSEABLE = "unparseable"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Accepted:
    """``is_unsupported``: applied, though the story does not name what it names."""

    event: Event
    before: Any
    is_unsupported: bool = False


@dataclass(frozen=True, slots=True)
class Refused:
    """``raw`` is what was proposed, as it came, but for what is nested beyond any event."""

    raw: Any
    layer: Layer
    reason: str
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What a proposal is judged by. Without ``evidence`` nothing is asked of the story's words."""

    writing: Writing
    canon: Canon = field(default_factory=Canon)
    evidence: Evidence | None = None
    demand: Demand = "mark"
    most: int = MOST_EVENTS

    @property
    def is_players(self) -> bool:
        return self.writing.source == "manual_correction"


@dataclass(frozen=True, slots=True)
class Review:
    """The verdicts, in the order of the proposal, and the document with what was accepted."""

    document: Document
    status: Status
    accepted: tuple[Accepted, ...] = ()
    redundant: tuple[Event, ...] = ()
    refused: tuple[Refused, ...] = ()

    @property
    def events(self) -> tuple[Event, ...]:
        return tuple(each.event for each in self.accepted)


class _RefusedError(Exception):
    def __init__(self, layer: Layer, reason: str, detail: str) -> None:
        super().__init__(detail)
        self.layer, self.reason, self.detail = layer, reason, detail


def review_proposal(document: Document, proposal: object, rules: Rules) -> Review:
    """Judge a proposal as it was parsed: its envelope, or a bare list. The document is not changed."""
    if proposal is UNPARSEABLE:
        return Review(document, Status.UNPARSEABLE)
    try:
        events = _open(proposal)
    except _RefusedError as error:
        return Review(document, Status.REJECTED, refused=(_refusal(proposal, error),))
    return _Reviewing(document, rules).judge(events)


def _open(proposal: object) -> Sequence[object]:
    if isinstance(proposal, list):
        return proposal
    if not isinstance(proposal, dict):
        raise _RefusedError("envelope", "not_a_proposal", "A proposal is an object with a list of events.")
    if "events" not in proposal:
        return [proposal] if isinstance(proposal.get("type"), str) else []
    events = proposal["events"]
    if events is None:
        return []
    if not isinstance(events, list):
        raise _RefusedError("envelope", "not_a_list", "“events” must be a list.")
    return events


def _refusal(raw: object, error: _RefusedError) -> Refused:
    detail = " ".join(clean_text(join_halves(error.detail)).split())
    return Refused(_shallow(raw, _LEVELS), error.layer, error.reason, detail)


def _shallow(raw: Any, levels: int) -> Any:
    if not isinstance(raw, dict | list):
        return raw
    if not levels:
        return "…"
    if isinstance(raw, list):
        return [_shallow(part, levels - 1) for part in raw]
    return {name: _shallow(part, levels - 1) for name, part in raw.items()}


class _Reviewing:
    """One pass over a proposal, with the document as it is so far."""

    def __init__(self, document: Document, rules: Rules) -> None:
        self.rules = rules
        self.resolver = Resolver(document)
        self.accepted: list[Accepted] = []
        self.redundant: list[Event] = []
        self.refused: list[Refused] = []
        self.given_ids: set[str] = set()

    def judge(self, events: Sequence[object]) -> Review:
        most = self.rules.most
        self.given_ids = _asked_ids(events[:most])
        for raw in events[:most]:
            try:
                self._judge_one(raw)
            except _RefusedError as error:
                self.refused.append(_refusal(raw, error))
        for raw in events[most:]:
            limit = f"Only the first {most} events of a proposal are read."
            self.refused.append(_refusal(raw, _RefusedError("envelope", "too_many", limit)))
        return Review(
            self.resolver.document,
            self._status(),
            tuple(self.accepted),
            tuple(self.redundant),
            tuple(self.refused),
        )

    def _status(self) -> Status:
        if not self.refused:
            return Status.ACCEPTED
        return Status.PARTIALLY_ACCEPTED if self.accepted or self.redundant else Status.REJECTED

    def _judge_one(self, raw: object) -> None:
        event = _read(raw, is_players=self.rules.is_players)
        try:
            event = self.resolver.resolve(event)
        except UnknownReferenceError as error:
            raise _RefusedError("references", "unknown_reference", str(error)) from None
        document = self.resolver.document
        self._judge_references(event)
        if self._is_known(event) or (not isinstance(event, CreateEntity) and is_redundant(document, event)):
            self.redundant.append(event)
            self._remember_known_fact(event)
            return
        self._judge_meaning(event)
        is_unsupported = self._judge_evidence(event)
        event = self._with_id(event)
        self.accepted.append(Accepted(event, value_before(document, event), is_unsupported))
        self.resolver.document = apply_event(document, event, self.rules.writing)

    def _judge_references(self, event: Event) -> None:
        if isinstance(event, EndRelationship) and value_before(self.resolver.document, event) is None:
            detail = f"There is no relationship “{event.relationship}” from {event.source} to {event.target}."
            raise _RefusedError("references", "unknown_reference", detail)

    def _is_known(self, event: Event) -> bool:
        """Whether something new is there already, by a name that fits. Raises where the key is another's."""
        document = self.resolver.document
        if isinstance(event, CreateEntity):
            key = next((k for k in document.entities if folded_key(k) == folded_key(event.entity)), None)
            if key is None:
                return False
            entity = document.entities[key]
            if not self.rules.is_players and folded_label(entity.status) == WITHDRAWN:
                return False
            if _is_compatible([entity.name, *entity.aliases], event.name):
                return True
            taken = (
                f"The key “{key}” is {entity.name}’s already. To change it, use a set_ event; for somebody "
                "else, a new key."
            )
            raise _RefusedError("references", "key_taken", taken)
        if isinstance(event, OpenStoryThread):
            key = next((k for k in document.threads if folded_key(k) == folded_key(event.thread)), None)
            if key is None:
                return False
            thread = document.threads[key]
            if thread.status in ("open", "dormant") and _is_compatible([thread.title], event.title):
                return True
            taken = (
                f"There is a thread “{key}” already ({thread.status}). Use set_thread_status, or a new key."
            )
            raise _RefusedError("references", "key_taken", taken)
        return False

    def _judge_meaning(self, event: Event) -> None:
        document, rules = self.resolver.document, self.rules
        if detail := find_contradiction(document, event):
            raise _RefusedError("canon", "contradiction", detail)
        if rules.writing.takes_back:
            return
        if detail := self._find_breach(event):
            raise _RefusedError("canon", "canon_conflict", detail)
        single = rules.writing.single_valued
        if not rules.is_players and (detail := find_player_word(document, event, single)):
            raise _RefusedError("canon", "player_correction", detail)

    def _find_breach(self, event: Event) -> str | None:
        """What a campaign begins with is what is locked, and the first status of a thing is no change."""
        document, canon = self.resolver.document, self.rules.canon
        if self.rules.writing.source != "campaign_setup":
            return find_breach(document, event, canon)
        if isinstance(event, SetEntityStatus) and document.entities[event.entity].earlier_statuses:
            return find_forbidden_change(document, event, canon)
        return None

    def _judge_evidence(self, event: Event) -> bool:
        """Whether the event is applied though unsupported. Raises where it may not be."""
        document, evidence = self.resolver.document, self.rules.evidence
        if evidence is None:
            return False
        missing = evidence.find_missing(document, event)
        if not missing:
            return False
        if evidence.is_only_in_passages(document, event):
            detail = "Only a supplied passage says so. What the story has not told is not established."
            raise _RefusedError("evidence", "passage_only", detail)
        if self.rules.demand == "off":
            return False
        if self.rules.demand == "refuse":
            named = ", ".join(f"“{name}”" for name in missing)
            detail = f"Not in the text: {named}."
            raise _RefusedError("evidence", "not_in_the_text", detail)
        return True

    def _remember_known_fact(self, event: Event) -> None:
        """What is established already stands under its own id, whatever this proposal calls it."""
        if isinstance(event, AddFact) and event.fact_id is not None:
            known = next(fact for fact in self.resolver.document.facts if says_the_same(fact, event))
            self.resolver.fact_ids[folded_key(event.fact_id)] = known.id

    def _with_id(self, event: Event) -> Event:
        """A fact with the id that it gets: the one it asks for if that is free, else a fresh one."""
        if not isinstance(event, AddFact):
            return event
        taken = {fact.id for fact in self.resolver.document.facts}
        if event.fact_id is None:
            return event.model_copy(update={"fact_id": fresh_key(fact_key(event), taken | self.given_ids)})
        fact_id = event.fact_id
        if fact_id in taken:
            fact_id = fresh_key(fact_id, taken | self.given_ids)
            self.resolver.fact_ids[folded_key(event.fact_id)] = fact_id
        return event.model_copy(update={"fact_id": fact_id})


def _read(raw: object, *, is_players: bool) -> Event:
    if not isinstance(raw, dict):
        raise _RefusedError("envelope", "not_an_event", "An event is an object with a “type”.")
    name = raw.get("type")
    if not isinstance(name, str) or name not in EVENT_TYPES:
        shown = f" “{name[:_SHOWN]}”" if isinstance(name, str) else ""
        raise _RefusedError("allowlist", "unknown_type", f"There is no event of the type{shown}.")
    if name in MODELS and MODELS[name].is_for_players and not is_players:
        raise _RefusedError("allowlist", "players_only", f"Only the player’s corrections may use {name}.")
    try:
        return parse_event({str(key): value for key, value in raw.items()})
    except ValidationError as error:
        raise _RefusedError("schema", "invalid_field", _fault(error)) from None


def _fault(error: ValidationError) -> str:
    """One sentence that names the first field at fault."""
    found = error.errors(include_url=False, include_context=True, include_input=False)[0]
    field_name = str(found["loc"][0]) if found["loc"] else "the event"
    match found["type"]:
        case "missing":
            return f"“{field_name}” is missing."
        case "extra_forbidden":
            return f"It has no “{field_name[:_SHOWN]}”."
        case "value_error":
            return f"“{field_name}”: {found['ctx']['error']}."
        case "string_too_short":
            return f"“{field_name}” is empty."
        case "string_too_long" | "too_long":
            unit = "labels" if found["ctx"].get("field_type") == "List" else "characters"
            return f"“{field_name}” has more than {found['ctx']['max_length']} {unit}."
    if len(error.errors()) > 1 and field_name == "value":
        return "“value” must be a text, a number, yes or no, or a list of labels."
    return f"“{field_name}”: {found['msg'][:1].lower()}{found['msg'][1:]}."


def _asked_ids(events: Sequence[object]) -> set[str]:
    asked = (raw.get("fact_id") for raw in events if isinstance(raw, dict) and raw.get("type") == "add_fact")
    return {key_of(text) for text in asked if isinstance(text, str)}


def _is_compatible(names: list[str], name: str) -> bool:
    """Whether two names can be one thing's: equal, or one the other with more words."""
    wanted = set(folded_name(name).split())
    return any(wanted <= words or words <= wanted for words in (set(folded_name(n).split()) for n in names))
