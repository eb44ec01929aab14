"""The state that a campaign begins with: its initial events, reviewed like any others."""

from campaigns.models import Campaign, Take, Turn
from narrative.errors import EventRefusedError
from narrative.models import Proposal
from narrative.state_records import Proposed, settle_take


def settle_opening(campaign: Campaign, opening: Turn) -> None:
    """Give the opening the state that the campaign's initial events make. Raises EventRefusedError where one
    is refused: nothing is created then."""
    if opening.live_take is None:
        raise ValueError("The opening has no live take.")
    review = settle_take(
        campaign=campaign,
        take=opening.live_take,
        proposed=Proposed(
            way=Take.ProposalWay.SETUP,
            source=Proposal.Source.CAMPAIGN_SETUP,
            parsed={"events": campaign.initial_events},
        ),
    )
    if review.refused:
        raise EventRefusedError(review.refused, done="created")
