"""The branch map on a page of its own, and tidying what was departed from."""

from dataclasses import dataclass

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from campaigns.errors import InvalidError, NotFoundError, StoryError
from campaigns.models import Campaign
from campaigns.path import Position
from campaigns.selectors import list_named_places
from campaigns.services.pruning import Pruning, prune_departed
from campaigns.services.save_points import name_place
from campaigns.views.answers import answers_errors, back_to_story, own_campaign
from campaigns.views.branch_lines import BranchLine, OutlinePart, outline, read_branch_lines
from campaigns.views.maps import BranchMap, whole_map
from campaigns.views.offers import Offer, read_offer, read_place
from campaigns.views.way_back import offer_way_back


@dataclass(frozen=True, slots=True)
class Tree:
    campaign: Campaign
    lines: list[BranchLine]
    map: BranchMap
    outline: list[OutlinePart]
    offer: Offer | None
    tidying: Pruning | None

    @property
    def active(self) -> BranchLine:
        return next(line for line in self.lines if line.row.is_active)

    @property
    def has_departed(self) -> bool:
        return any(line.row.branch.departed_at is not None for line in self.lines)


@require_safe
@answers_errors
def tree(request: HttpRequest, campaign_id: int) -> HttpResponse:
    """The whole map, and what is offered at ``?at=``; with ``?part=offer`` that alone, for its script."""
    campaign = own_campaign(request, campaign_id)
    if request.GET.get("part") == "offer":
        named = list_named_places(campaign)
        offer = read_offer(request, campaign, read_place(request), read_branch_lines(campaign), named)
        context = {"campaign": campaign, "offer": offer, "is_tree": True}
        return render(request, "campaigns/_tree_offer.html", context)
    return _page(request, campaign, read_place(request))


@require_POST
@answers_errors
def name(request: HttpRequest, campaign_id: int, branch_id: int, depth: int) -> HttpResponse:
    """Go to a place and name it."""
    campaign = own_campaign(request, campaign_id)
    words = {"name": request.POST.get("name", ""), "note": request.POST.get("note", "")}
    try:
        name_place(campaign_id=campaign.pk, branch_id=branch_id, depth=depth, **words)
    except NotFoundError:
        raise
    except StoryError as error:
        status = 422 if isinstance(error, InvalidError) else 409
        typed = words | {"refused": error.message}
        return _page(request, campaign, Position(branch_id, depth), typed=typed, status=status)
    offer_way_back(request, campaign)
    return back_to_story(request, campaign_id)


@require_POST
@answers_errors
def prune(request: HttpRequest, campaign_id: int) -> HttpResponse:
    pruning = prune_departed(campaign_id=own_campaign(request, campaign_id).pk, dry_run=False)
    turns = "1 turn has" if pruning.turns == 1 else f"{pruning.turns} turns have"
    messages.success(request, f"{turns} been deleted. The story being read is as it was.")
    return redirect("tree", campaign_id)


def _page(
    request: HttpRequest,
    campaign: Campaign,
    place: Position | None,
    *,
    typed: dict[str, str] | None = None,
    status: int = 200,
) -> HttpResponse:
    lines, named = read_branch_lines(campaign), list_named_places(campaign)
    offer = read_offer(request, campaign, place, lines, named)
    shown = Tree(
        campaign=campaign,
        lines=lines,
        map=whole_map(campaign, lines, named, offer.position if offer else None),
        outline=outline(lines, named),
        offer=offer,
        tidying=prune_departed(campaign_id=campaign.pk, dry_run=True) if "tidy" in request.GET else None,
    )
    context = {"tree": shown, "campaign": campaign, "offer": offer, "is_tree": True, **(typed or {})}
    return render(request, "campaigns/tree.html", context, status=status)
