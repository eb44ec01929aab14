"""Notices of a move of the head and of another name, each with the Undo that takes it back."""

from django.http import HttpRequest
from django.urls import reverse

from campaigns.models import Branch, Campaign
from campaigns.notices import Undo, give_notice
from campaigns.path import Position


def offer_way_back(request: HttpRequest, campaign: Campaign) -> None:
    """Say where the story was read, if it is read elsewhere now. ``campaign`` is as it was before the
    move."""
    left = campaign.head
    if Campaign.objects.get(pk=campaign.pk).head == left:
        return
    name = Branch.objects.values_list("name", flat=True).get(pk=left.branch_id)
    give_notice(request, f"You were in “{name}”, at turn {left.depth}.", undo=undo_move(campaign, left))


def undo_move(campaign: Campaign, left: Position) -> Undo:
    return Undo(reverse("return-to", args=[campaign.pk, left.branch_id, left.depth]))


def offer_old_name(
    request: HttpRequest, action: str, *, old: str, new: str, also: tuple[tuple[str, str], ...] = ()
) -> None:
    """Say that something bears another name now. ``action`` is the form that names it, ``also`` what else
    that form takes."""
    if old != new:
        give_notice(request, f"“{old}” is now “{new}”.", undo=Undo(action, (("name", old), *also)))
