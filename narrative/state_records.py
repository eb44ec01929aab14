"""The state as it is stored: reading a take's document, and recording what came of a proposal.

``settle_take`` is the one way in which a proposal changes what a take says the state is.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from campaigns.json_values import clean_value
from campaigns.models import Campaign, StateVersion, Take, Turn
from campaigns.services.state_versions import read_state, record_state_version
from narrative.models import Proposal, StateEvent
from narrative.state.apply import Writing
from narrative.state.canon import Canon, read_canon
from narrative.state.changes import change_lines
from narrative.state.document import Document, Place, read_document, store_document
from narrative.state.events import Event
from narrative.state.evidence import Evidence
from narrative.state.extraction import UNPARSEABLE
from narrative.state.fields import makes, named_by
from narrative.state.references import find_entity
from narrative.state.review import MOST_EVENTS, Accepted, Demand, Review, Rules, Status, review_proposal

_log = logging.getLogger(__name__)

# As many as a campaign can be created with.
MOST_AT_SETUP = 200
_ABOUT_LENGTH = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposed:
    """A proposal as it came. ``parsed`` is the JSON value in it, UNPARSEABLE, or None where none came; then
    ``note`` says why, if there is anything to say."""

    way: Take.ProposalWay | None
    source: Proposal.Source
    parsed: object = None
    raw: tuple[str, ...] = ()
    model: str = ""
    note: str = ""

    @property
    def came(self) -> bool:
        return self.parsed is not None


def load_document(version_id: int) -> Document:
    """The document of a state version, by one query. Where it is damaged the story goes on from the nearest
    one before it that can be read; ``verify`` names the row."""
    wanted: int | None = version_id
    while wanted is not None:
        try:
            return read_document(read_state(wanted))
        except ValueError:
            _log.exception("State version %s cannot be read; the one before it is used.", wanted)
            wanted = StateVersion.objects.filter(pk=wanted).values_list("parent_id", flat=True).first()
    return Document()


def protagonist_key(document: Document, campaign: Campaign) -> str | None:
    """The entity that the player plays, if the state holds it: by the whole name, or by the first."""
    name = campaign.protagonist_name
    return find_entity(document, name) or find_entity(document, name.split(" ")[0]) if name else None


def rules_for(
    campaign: Campaign,
    turn: Turn,
    source: Proposal.Source,
    *,
    evidence: Evidence | None = None,
    demand: Demand = "mark",
    takes_back: bool = False,
) -> Rules:
    """What a proposal for a turn is judged by."""
    canon: Canon = read_canon(campaign.canon)
    writing = Writing(
        source, Place(turn.branch_id, turn.depth), canon.single_predicates, takes_back=takes_back
    )
    most = MOST_AT_SETUP if source == Proposal.Source.CAMPAIGN_SETUP else MOST_EVENTS
    return Rules(writing=writing, canon=canon, evidence=evidence, demand=demand, most=most)


def story_evidence(
    document: Document, campaign: Campaign, turn: Turn, *, narration: str, passages: tuple[str, ...] = ()
) -> Evidence:
    """What the model's events for a turn have to stand on: its words, and those of the turn before."""
    before = turn.parent
    told = before.live_take.narration if before is not None and before.live_take is not None else ""
    texts = (narration, turn.input, told, before.input if before is not None else "")
    return Evidence(texts, passages=passages, protagonist=protagonist_key(document, campaign))


def settle_take(
    *,
    campaign: Campaign,
    take: Take,
    proposed: Proposed,
    demand: Demand = "mark",
    passages: tuple[str, ...] = (),
) -> Review:
    """Review what was proposed for a take against the state that it stands on, apply what is accepted, and
    record it all. Call it inside the transaction that places the take."""
    document = load_document(take.state_version_id)
    evidence = None
    if proposed.source == Proposal.Source.ACCEPTED_STORY or proposed.way == Take.ProposalWay.CALL:
        evidence = story_evidence(document, campaign, take.turn, narration=take.narration, passages=passages)
    rules = rules_for(campaign, take.turn, proposed.source, evidence=evidence, demand=demand)
    review = (
        review_proposal(document, proposed.parsed, rules) if proposed.came else Review(document, Status.NONE)
    )
    record_review(
        campaign=campaign, take=take, proposed=proposed, review=review, before=document, rules=rules
    )
    return review


def record_review(
    *, campaign: Campaign, take: Take, proposed: Proposed, review: Review, before: Document, rules: Rules
) -> Proposal:
    """Store a reviewed proposal with its events, and the state that it makes, on a take."""
    lines = change_lines(before, review.events, rules.writing)
    take.proposal_status, take.proposal_way = Take.ProposalStatus(review.status), proposed.way
    if review.events:
        version = record_state_version(
            campaign_id=campaign.pk,
            document=store_document(review.document),
            parent_id=take.state_version_id,
        )
        take.state_version = version
        take.changes = [*take.changes, *lines]
    take.save(update_fields=["state_version", "changes", "proposal_status", "proposal_way"])
    proposal = Proposal.objects.create(
        campaign=campaign,
        take=take,
        way=proposed.way or "",
        status=review.status,
        source=proposed.source,
        raw=[clean_value(text) for text in proposed.raw],
        redundant=[_as_json(event) for event in review.redundant],
        refused=[
            {"event": storable(each.raw), "layer": each.layer, "reason": each.reason, "detail": each.detail}
            for each in review.refused
        ],
        applied_with=_applied_with(rules.writing),
        model=proposed.model,
        note=proposed.note,
    )
    _record_events(proposal, review.accepted, lines)
    return proposal


def _applied_with(writing: Writing) -> dict[str, Any]:
    found = {"single_valued": sorted(writing.single_valued), "takes_back": writing.takes_back}
    return {name: value for name, value in found.items() if value}


def writing_of(proposal: Proposal, turn: Turn) -> Writing:
    """How a recorded proposal was applied."""
    applied = proposal.applied_with
    return Writing(
        proposal.source,
        Place(turn.branch_id, turn.depth),
        frozenset(applied.get("single_valued", ())),
        takes_back=applied.get("takes_back", False),
    )


def _record_events(proposal: Proposal, accepted: Sequence[Accepted], lines: Sequence[str]) -> None:
    StateEvent.objects.bulk_create(
        StateEvent(
            proposal=proposal,
            campaign_id=proposal.campaign_id,
            sequence=sequence,
            type=each.event.type,
            payload=each.event.payload(),
            before=each.before,
            line=line,
            is_unsupported=each.is_unsupported,
            **_about(each.event),
        )
        for sequence, (each, line) in enumerate(zip(accepted, lines, strict=True))
    )


def _about(event: Event) -> dict[str, str]:
    """The keys of what an event is about: at most two entities, a fact and a thread."""
    entities = [
        key for name, role, key in named_by(event) if role.to in ("entity", "either") and name not in _MANY
    ]
    about = dict(zip(("entity", "other"), entities, strict=False))
    about |= {role.to: key for _, role, key in named_by(event) if role.to in ("fact", "thread")}
    for name, made in makes(type(event)).items():
        if getattr(event, name):
            about[made.what] = getattr(event, name)
    return {name: key[:_ABOUT_LENGTH] for name, key in about.items()}


_MANY = ("present", "significant")


def _as_json(event: Event) -> dict[str, Any]:
    return {"type": event.type, **event.payload()}


def storable(value: Any) -> Any:
    """A JSON value that came from a model, as JSON can store it."""
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return str(value)
    if value is UNPARSEABLE:
        return None
    if isinstance(value, dict):
        return {str(clean_value(str(key))): storable(part) for key, part in value.items()}
    if isinstance(value, list):
        return [storable(part) for part in value]
    return clean_value(value)
