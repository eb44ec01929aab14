"""Turns that are told with given events and no narrator, through the services that the game itself uses."""

from typing import Any

from campaigns.models import Campaign, Take, Turn
from campaigns.verification import CHECKS as STORY_CHECKS
from campaigns.verification import Breach
from narrative.models import Proposal
from narrative.state.document import Document
from narrative.state.review import Review
from narrative.state_history import read_state_at
from narrative.state_records import Proposed, settle_take
from narrative.verification import CHECKS as STATE_CHECKS
from tests import factories


def tell(campaign: Campaign, *events: dict[str, Any], text: str = "I wait.", narration: str = "") -> Turn:
    """A turn at the head whose narration changed these things."""
    turn = factories.play(campaign, text, narration or None)
    settle(turn, *events)
    return turn


def settle(turn: Turn, *events: dict[str, Any]) -> Review:
    """What a block in its narration would have proposed for a turn."""
    turn.refresh_from_db()
    take = Take.objects.select_related("turn__branch__campaign", "turn__parent__live_take").get(
        pk=turn.live_take_id or 0
    )
    proposed = Proposed(
        way=Take.ProposalWay.BLOCK,
        source=Proposal.Source.ACCEPTED_STORY,
        parsed={"events": list(events)},
        raw=("a block",),
        model="scripted",
    )
    return settle_take(campaign=turn.branch.campaign, take=take, proposed=proposed, demand="off")


def state_of(campaign: Campaign, turn: Turn | None = None) -> Document:
    """The document at the head, or at a turn."""
    fresh = Campaign.objects.get(pk=campaign.pk)
    return read_state_at(fresh, turn_id=None if turn is None else turn.pk).document


def breaches(campaign: Campaign) -> list[Breach]:
    """Whatever is not as it must be, in story and state, at every position."""
    return [breach for check in (*STORY_CHECKS, *STATE_CHECKS) for breach in check.find(campaign.pk)]


def fact(name: str, value: Any = None, **values: Any) -> dict[str, Any]:
    return {"type": "add_fact", "fact_id": name, "predicate": name, "value": value, **values}


def give(owner: str, item: str = "silver-key") -> dict[str, Any]:
    return {"type": "set_possession", "item": item, "owner": owner}
