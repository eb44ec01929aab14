"""Whether the stored states still are what the rules say they are.

Every take is looked at, on whichever line: its document has the right form, it is what the recorded events
make of the document before it, and the lines that tell what changed are those events'.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from campaigns.models import Campaign, Take
from campaigns.services.state_versions import DamagedStateError, read_documents
from campaigns.verification import STATE_BATCH, Breach, Check
from narrative.models import Proposal
from narrative.state.apply import apply_events
from narrative.state.changes import change_lines
from narrative.state.document import Document, damaged_sections, read_document, store_document
from narrative.state.events import Event, parse_event
from narrative.state_records import writing_of

# Documents that are kept while takes are walked in the order in which they were told.
_KEPT = 512


@dataclass(frozen=True, slots=True)
class _Made:
    """What a take's recorded proposals make of the state before it."""

    document: Document
    lines: list[str]


def _find_ill_formed(campaign_id: int | None) -> Iterator[Breach]:
    for campaign in _campaigns(campaign_id):
        versions = campaign.state_versions.order_by("pk").iterator(chunk_size=STATE_BATCH)
        for version, stored in read_documents(versions):
            if isinstance(stored, DamagedStateError):
                continue  # named by the check of the versions themselves
            if damaged := damaged_sections(stored):
                yield Breach(
                    "I2", campaign.pk, f"State version {version.pk} is damaged in: {', '.join(damaged)}."
                )
            elif not _is_sound(read_document(stored)):
                yield Breach(
                    "I2", campaign.pk, f"State version {version.pk} names things that it does not hold."
                )


def _is_sound(document: Document) -> bool:
    """Whether what the document refers to is in it."""
    known = document.entities.keys()
    places = {entity.location for entity in document.entities.values()}
    ties = {end for tie in document.relationships for end in (tie.source, tie.target)}
    scene = {document.scene.location, *document.scene.present, *document.scene.significant}
    subjects = {fact.subject for fact in document.facts}
    objects = {fact.object for fact in document.facts} - {fact.id for fact in document.facts}
    named = places | ties | scene | subjects | objects
    held = {*document.possessions, *document.possessions.values()}
    return (named | held) - {None} <= known


def _find_unmade(campaign_id: int | None) -> Iterator[Breach]:
    for campaign, take, made, document in _walk(campaign_id):
        if store_document(made.document) != store_document(document):
            detail = f"{_named(take)} stands on a state that its recorded events do not make."
            yield Breach("I3", campaign, detail)


def _find_unsaid(campaign_id: int | None) -> Iterator[Breach]:
    for campaign, take, made, _ in _walk(campaign_id):
        if take.changes != made.lines:
            detail = f"What {_named(take)} says it changed cannot be made again from its events."
            yield Breach("I9", campaign, detail)


def _named(take: Take) -> str:
    return f"take {take.pk} of turn {take.turn_id}"


def _walk(campaign_id: int | None) -> Iterator[tuple[int, Take, _Made, Document]]:
    """Every take with what its proposals make and what it stands on. Takes whose record went with a line that
    was deleted, and those on a damaged version, are left out."""
    for campaign in _campaigns(campaign_id):
        documents = _Documents()
        takes = Take.objects.filter(turn__branch__campaign=campaign).order_by("pk")
        takes = takes.select_related(
            "turn__parent__live_take__state_version", "state_version", "carried_from"
        ).prefetch_related("proposals__events")
        for take in takes.iterator(chunk_size=STATE_BATCH):
            document, before = documents.of(take), _before(documents, take)
            made = None if document is None or before is None else _remake(take, before)
            if document is not None and made is not None:
                yield campaign.pk, take, made, document


class _Documents:
    """Documents by their version, the last ones kept: neighbours stand on the same."""

    def __init__(self) -> None:
        self._kept: dict[int, Document | None] = {}

    def of(self, take: Take) -> Document | None:
        version = take.state_version_id
        if version not in self._kept:
            ((_, stored),) = read_documents([take.state_version])
            is_damaged = isinstance(stored, DamagedStateError)
            self._kept[version] = None if is_damaged else read_document(stored)
            if len(self._kept) > _KEPT:
                del self._kept[next(iter(self._kept))]
        return self._kept[version]


def _before(documents: _Documents, take: Take) -> Document | None:
    parent = take.turn.parent
    if parent is None:
        return Document()
    return None if parent.live_take is None else documents.of(parent.live_take)


def _remake(take: Take, before: Document) -> _Made | None:
    chain = _chain(take)
    if chain is None:
        return None
    document, lines = before, list[str]()
    for proposal in chain:
        events = [_event(row.type, row.payload) for row in proposal.events.all()]
        writing = writing_of(proposal, proposal.take.turn)
        lines += change_lines(document, events, writing)
        document = apply_events(document, events, writing)
    return _Made(document, lines)


def _chain(take: Take) -> list[Proposal] | None:
    """What was proposed for a take and for those that it was carried from, oldest first; None where one of
    those is gone."""
    told = [take]
    while (origin := told[-1].carried_from) is not None:
        told.append(origin)
    first = told[-1]
    if first.origin == Take.Origin.CORRECTED or _has_lost_its_record(first):
        return None
    return [proposal for each in reversed(told) for proposal in each.proposals.all()]


def _has_lost_its_record(take: Take) -> bool:
    """A carried take whose first telling was deleted says what came of a proposal that is there no more."""
    return take.proposal_status != Take.ProposalStatus.NONE and not take.proposals.all()


def _event(kind: str, payload: dict[str, object]) -> Event:
    return parse_event({"type": kind, **payload})


def _campaigns(campaign_id: int | None) -> Iterator[Campaign]:
    campaigns = Campaign.objects.order_by("pk")
    yield from campaigns if campaign_id is None else campaigns.filter(pk=campaign_id)


CHECKS: tuple[Check, ...] = (
    Check("I2", "every state is a well-formed document", _find_ill_formed),
    Check("I3", "a take's state is what its events make of the state before it", _find_unmade),
    Check("I9", "what a take says it changed can be made again from its events", _find_unsaid),
)
