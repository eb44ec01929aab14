"""Valid objects, made through the services that the game itself uses."""

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

from django.contrib.auth.models import User

from campaigns.models import Branch, Campaign, Take, Turn, TurnRequest
from campaigns.services import campaigns as campaign_services
from campaigns.services import head, requests
from campaigns.services.requests import Submission
from campaigns.services.writing import Narration

_numbers = itertools.count(1)


def make_owner(name: str = "owner") -> User:
    return User.objects.create_user(name, is_staff=True, is_superuser=True)


def make_campaign(
    *,
    owner: User,
    title: str = "The Crooked Lantern",
    opening: str = "Rain drives you off the road.",
    initial_events: Sequence[Mapping[str, Any]] = (),
) -> Campaign:
    new = campaign_services.NewCampaign(title=title, opening=opening, initial_events=tuple(initial_events))
    return campaign_services.create_campaign(owner_id=owner.pk, new=new)


def open_turn(
    campaign: Campaign, text: str = "I wait.", *, mode: str = "action", client_id: str | None = None
) -> TurnRequest:
    """A submission that is running in this process."""
    submission = Submission(kind=TurnRequest.Kind.NEW, mode=mode, text=text, client_id=client_id)
    return requests.open_request(campaign_id=campaign.pk, submission=submission).request


def open_retry(campaign: Campaign, turn: Turn) -> TurnRequest:
    """A retry that is running in this process."""
    submission = Submission(kind=TurnRequest.Kind.RETRY, replaces_id=turn.pk)
    return requests.open_request(campaign_id=campaign.pk, submission=submission).request


def narrate(text: str | None = None) -> Narration:
    return Narration(
        text=text or f"Something happens ({next(_numbers)}).",
        origin=Take.Origin.GENERATED,
        backend="rehearsal",
        model="rehearsal",
    )


def play(campaign: Campaign, text: str = "I wait.", narration: str | None = None) -> Turn:
    """A whole turn at the head, told with these words."""
    return _accept(campaign, open_turn(campaign, text), narration)


def play_turns(campaign: Campaign, count: int) -> list[Turn]:
    """So many turns, one after the other."""
    return [play(campaign, f"I take step {number}.") for number in range(1, count + 1)]


def retry(campaign: Campaign, turn: Turn, narration: str | None = None) -> Turn:
    """Another telling of a turn."""
    return _accept(campaign, open_retry(campaign, turn), narration)


def reword(campaign: Campaign, turn: Turn, text: str, narration: str | None = None) -> Turn:
    """A turn of the story played again in other words."""
    submission = Submission(kind=TurnRequest.Kind.NEW, mode="action", text=text, replaces_id=turn.pk)
    request = requests.open_request(campaign_id=campaign.pk, submission=submission).request
    return _accept(campaign, request, narration)


def fork_at(campaign: Campaign, depth: int, text: str = "I go another way.") -> Branch:
    """Read the story at a depth of its path and write there, so that it goes another way."""
    campaign.refresh_from_db()
    head.go_to(campaign_id=campaign.pk, branch_id=campaign.head.branch_id, depth=depth)
    return play(campaign, text).branch


def _accept(campaign: Campaign, request: TurnRequest, narration: str | None) -> Turn:
    accepted = requests.accept_request(request_id=request.pk, narration=narrate(narration))
    campaign.refresh_from_db()
    assert accepted.turn is not None
    return accepted.turn
