"""The Branches panel: a small map, what is offered at a place of it, and the branches that matter now."""

from dataclasses import dataclass

from django.http import HttpRequest

from campaigns.models import Campaign
from campaigns.selectors import list_named_places
from campaigns.views.branch_lines import BranchLine, read_branch_lines, short_list
from campaigns.views.maps import BranchMap, compact_map
from campaigns.views.offers import Offer, read_offer, read_place

MOST_LISTED = 40


@dataclass(frozen=True, slots=True)
class BranchPanel:
    lines: list[BranchLine]
    total: int
    map: BranchMap
    offer: Offer | None


def read_branch_panel(request: HttpRequest, campaign: Campaign, *, asked_for: int | None) -> BranchPanel:
    """The branch being read first, then the nearest of its path, then the newest."""
    lines, named = read_branch_lines(campaign), list_named_places(campaign)
    listed = short_list(lines, most=MOST_LISTED, asked_for=asked_for)
    offer = read_offer(request, campaign, read_place(request), lines, named)
    wanted = {line.row.branch.pk for line in listed} | ({offer.position.branch_id} if offer else set())
    return BranchPanel(
        lines=listed,
        total=len(lines),
        map=compact_map(campaign, lines, named, offer.position if offer else None, wanted=wanted),
        offer=offer,
    )
