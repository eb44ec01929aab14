"""The player's word on the state: corrections, and taking back what a model proposed.

The transcript is never rewritten. Where a future is retained below the head, a correction forks, so that the
old future keeps the state that it was written from.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from campaigns.errors import InvalidError, NotFoundError
from campaigns.models import Campaign, Take, Turn
from campaigns.services.story_write import story_write
from campaigns.services.writing import carried_narration, has_continuation, place_turn
from campaigns.texts import limit_text
from narrative.errors import EventRefusedError
from narrative.models import Proposal, StateEvent
from narrative.state.document import Document
from narrative.state.review import Review, Status, review_proposal
from narrative.state.undoing import undo_events
from narrative.state_records import Proposed, load_document, record_review, rules_for

MOST_EVENTS = 20
NOTE_LENGTH = 2_000

_SOURCE = Proposal.Source.MANUAL_CORRECTION


@dataclass(frozen=True, slots=True)
class Corrected:
    """The state after a correction, and the turn that it stands on."""

    turn_id: int
    document: Document
    review: Review


def correct_state(*, campaign_id: int, events: Sequence[Mapping[str, Any]], note: str = "") -> Corrected:
    """Change the state at the head as the player says. All of it is applied, or nothing.

    Raises InvalidError, EventRefusedError, and TurnInFlightError while a turn is being told.
    """
    if not 1 <= len(events) <= MOST_EVENTS:
        raise InvalidError(f"A correction has 1 to {MOST_EVENTS} events.", field="events")
    note = limit_text(note, field="note", what="The note", limit=NOTE_LENGTH)
    with story_write(campaign_id=campaign_id, reason="correct") as campaign:
        return _correct(campaign, [dict(event) for event in events], note=note, takes_back=False)


def take_back(*, campaign_id: int, event_id: int, note: str = "") -> Corrected:
    """Undo what one event did to the state, as a correction. What has changed again since is left alone.

    Raises NotFoundError, InvalidError and EventRefusedError.
    """
    note = limit_text(note, field="note", what="The reason", limit=NOTE_LENGTH)
    with story_write(campaign_id=campaign_id, reason="correct") as campaign:
        event = StateEvent.objects.filter(campaign=campaign, pk=event_id).first()
        if event is None:
            raise NotFoundError("There is no such change in this campaign.")
        document = load_document(_head_take(_head_turn(campaign)).state_version_id)
        undone = undo_events(
            document, {"type": event.type, **event.payload}, event.before, reason=note or "taken back"
        )
        if undone is None:
            raise InvalidError(
                "This cannot be taken back by itself: it has changed again since, or there is no way back. "
                "Correct what holds now instead."
            )
        return _correct(campaign, undone, note=note or f"Taken back: {event.line}", takes_back=True)


def _correct(campaign: Campaign, events: list[dict[str, Any]], *, note: str, takes_back: bool) -> Corrected:
    turn = _head_turn(campaign)
    take = _head_take(turn)
    before = load_document(take.state_version_id)
    review = _review(campaign, turn, before, events, takes_back=takes_back)
    if review.refused:
        raise EventRefusedError(review.refused)
    if not review.events:
        return Corrected(turn.pk, before, review)
    if has_continuation(turn):
        turn = _carry(campaign, turn, take)
        take = _head_take(turn)
        review = _review(campaign, turn, before, events, takes_back=takes_back)
    status, way = take.proposal_status, take.proposal_way
    record_review(
        campaign=campaign,
        take=take,
        proposed=Proposed(way=Take.ProposalWay.CORRECTION, source=_SOURCE, note=note),
        review=review,
        before=before,
        rules=rules_for(campaign, turn, _SOURCE, takes_back=takes_back),
    )
    # What the story's own proposal came to is still worth knowing.
    if way is not None or status != Status.NONE:
        Take.objects.filter(pk=take.pk).update(proposal_status=status, proposal_way=way)
    return Corrected(turn.pk, review.document, review)


def _review(
    campaign: Campaign, turn: Turn, document: Document, events: list[dict[str, Any]], *, takes_back: bool
) -> Review:
    rules = rules_for(campaign, turn, _SOURCE, takes_back=takes_back)
    return review_proposal(document, events, rules)


def _carry(campaign: Campaign, turn: Turn, take: Take) -> Turn:
    """The same words told on a line of their own, for another state to stand on."""
    narration = replace(carried_narration(take), origin=Take.Origin.CORRECTED)
    return place_turn(
        campaign, after=turn.parent, mode=turn.mode, text=turn.input, narration=narration, beside=turn
    )


def _head_turn(campaign: Campaign) -> Turn:
    turns = Turn.objects.select_related("live_take", "parent", "parent__live_take")
    return turns.at_heads([campaign]).get()


def _head_take(turn: Turn) -> Take:
    if turn.live_take is None:
        raise ValueError(f"Turn {turn.pk} has no live take.")
    return turn.live_take
