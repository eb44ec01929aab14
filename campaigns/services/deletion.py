"""Permanent deletes: the only functions that remove anything the player wrote or was shown."""

from collections.abc import Iterable

from django.db.models import F, OuterRef, Q, Subquery
from django.db.models.functions import Greatest

from campaigns.errors import BranchInUseError, InvalidError, SavePointInBranchError
from campaigns.models import Branch, Campaign, SavePoint, Turn, TurnRequest
from campaigns.services.head import require_branch
from campaigns.services.state_versions import delete_unneeded_states
from campaigns.services.story_write import story_write

_NAMED_SAVE_POINTS = 3


def delete_campaign(*, campaign_id: int, confirmation: str) -> None:
    """Delete a campaign and everything it owns, for good. ``confirmation`` must be its title."""
    with story_write(campaign_id=campaign_id, reason="delete") as campaign:
        if confirmation.strip() != campaign.title.strip():
            raise InvalidError(
                "To delete this campaign for good, confirm with its exact title.", field="confirm"
            )
        # The head would hold its own branch back.
        Campaign.objects.filter(pk=campaign_id).update(active_branch=None)
        SavePoint.objects.filter(campaign=campaign).delete()
        _delete_branches(Branch.objects.filter(campaign=campaign).values_list("pk", flat=True))
        delete_unneeded_states(campaign_id=campaign_id)
        Campaign.objects.filter(pk=campaign_id).delete()


def delete_branch(*, campaign_id: int, branch_id: int) -> None:
    """Delete a branch and its descendants, for good.

    Raises BranchInUseError for the first branch and while the story is read through the subtree, and
    SavePointInBranchError while a Save Point names a position in it.
    """
    with story_write(campaign_id=campaign_id, reason="delete") as campaign:
        branch = require_branch(campaign, branch_id)
        if branch.parent_id is None:
            raise BranchInUseError("This is the campaign's first branch, which every other one comes from.")
        subtree = subtree_of(campaign_id, branch_id)
        read = {segment.branch_id for segment in Branch.objects.path_to(campaign.head).segments}
        if campaign.active_branch_id in subtree or read & subtree:
            raise BranchInUseError("The story is being read on this branch. Switch to another branch first.")
        _require_no_save_points(subtree)
        _delete_branches(subtree)
        delete_unneeded_states(campaign_id=campaign_id)


def subtree_of(campaign_id: int, branch_id: int) -> set[int]:
    """The ids of a branch and everything that forks from it, directly or not."""
    children: dict[int | None, list[int]] = {}
    for pk, parent in Branch.objects.filter(campaign_id=campaign_id).values_list("pk", "parent_id"):
        children.setdefault(parent, []).append(pk)
    found: set[int] = set()
    waiting = [branch_id]
    while waiting:
        current = waiting.pop()
        found.add(current)
        waiting += children.get(current, [])
    return found


def _require_no_save_points(subtree: set[int]) -> None:
    names = list(SavePoint.objects.filter(branch_id__in=subtree).values_list("name", flat=True))
    if not names:
        return
    named = ", ".join(f"“{name}”" for name in names[:_NAMED_SAVE_POINTS])
    more = len(names) - _NAMED_SAVE_POINTS
    others = f" and {more} more" if more > 0 else ""
    raise SavePointInBranchError(
        f"Save Points name places on this branch: {named}{others}. Delete them first, or keep the branch."
    )


def _delete_branches(branch_ids: Iterable[int]) -> None:
    ids = list(branch_ids)
    _spare_requests(ids)
    # Submissions refer to turns and branches in several ways; taken first, they hold nothing back.
    TurnRequest.objects.filter(Q(branch_id__in=ids) | Q(turn__branch_id__in=ids)).delete()
    Branch.objects.filter(pk__in=ids).delete()


def _spare_requests(branch_ids: list[int]) -> None:
    """Keep the submissions that were made on a branch that goes and became turns of one that stays.

    What was recorded of a telling hangs on its submission. They are said to have been made where their turn
    hangs on: the same place in the story, on the line that is left.
    """
    became = Turn.objects.filter(pk=OuterRef("turn"))
    spared = TurnRequest.objects.filter(branch_id__in=branch_ids, turn__isnull=False)
    spared.exclude(turn__branch_id__in=branch_ids).update(
        branch_id=Subquery(became.values("branch")),
        depth=Subquery(became.annotate(before=Greatest(F("depth") - 1, 0)).values("before")),
        replaces=None,
    )
