"""The owner's campaigns as a shelf: filtered, sorted, and a part at a time."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from campaigns.models import Campaign
from campaigns.selectors import CampaignRow, describe_campaigns

PAGE = 60
# What the shelf shows of a campaign, or looks through. The rest is large, and not read.
_SHOWN = (
    *("owner", "title", "status", "genre", "subgenre", "tone", "protagonist_name"),
    *("active_branch", "head_depth", "created_at", "updated_at"),
)
_SEARCHED = ("title", "genre", "subgenre", "tone", "protagonist_name")
# By name: how the campaigns stand, and whether from the highest down.
_ORDERS: dict[str, tuple[Callable[[Campaign], Any], bool]] = {
    "played": (lambda campaign: campaign.updated_at, True),
    "title": (lambda campaign: campaign.title.casefold(), False),
    "longest": (lambda campaign: campaign.head_depth, True),
    "newest": (lambda campaign: campaign.created_at, True),
}
SORTS = tuple(_ORDERS)


@dataclass(frozen=True, slots=True)
class Shelf:
    """One page of the campaigns that match, how many match, and how many there are of each status."""

    rows: list[CampaignRow]
    matching: int
    active: int
    archived: int
    page: int
    has_more: bool


def read_shelf(
    *, owner_id: int | None, status: str, words: str = "", sort: str = "played", page: int = 1
) -> Shelf:
    """The campaigns whose title, genre, tone or protagonist holds every word. Three queries."""
    campaigns = list(Campaign.objects.owned_by(owner_id).only(*_SHOWN))
    wanted = [campaign for campaign in campaigns if campaign.status == status and _holds(campaign, words)]
    ordered = _in_order(wanted, sort)
    last = max(1, -(-len(ordered) // PAGE))
    page = min(page, last)
    active = sum(campaign.status == Campaign.Status.ACTIVE for campaign in campaigns)
    return Shelf(
        rows=describe_campaigns(ordered[(page - 1) * PAGE : page * PAGE]),
        matching=len(ordered),
        active=active,
        archived=len(campaigns) - active,
        page=page,
        has_more=page < last,
    )


def _holds(campaign: Campaign, words: str) -> bool:
    """In Python, since SQLite folds the case of English letters only."""
    text = " ".join(getattr(campaign, name) for name in _SEARCHED).casefold()
    return all(word in text for word in words.casefold().split())


def _in_order(campaigns: Sequence[Campaign], sort: str) -> list[Campaign]:
    key, is_downward = _ORDERS[sort]
    newest_first = sorted(campaigns, key=lambda campaign: campaign.pk, reverse=True)
    return sorted(newest_first, key=key, reverse=is_downward)
