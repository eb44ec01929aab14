"""Branches, and the map of them."""

from django.http import HttpRequest
from ninja import Router, Status

from campaigns.api.caller import Id, own_campaign
from campaigns.api.paging import DEFAULT_LIMIT, Cursor, Limit, page_of
from campaigns.api.story import story_now
from campaigns.schemas.base import Page
from campaigns.schemas.story import StoryOut, head_out
from campaigns.schemas.tree import (
    BranchOut,
    BranchPatch,
    PruneIn,
    PruningOut,
    TreeOut,
    branch_out,
    forks_out,
    pruning_out,
    save_point_out,
)
from campaigns.selectors import get_head, list_branches, list_save_points
from campaigns.services.branches import update_branch
from campaigns.services.deletion import delete_branch
from campaigns.services.head import activate_branch
from campaigns.services.pruning import prune_departed

router = Router(tags=["branches"])


@router.get("/campaigns/{campaign_id}/branches", response=Page[BranchOut])
def branches_list(
    request: HttpRequest, campaign_id: Id, cursor: Cursor = None, limit: Limit = DEFAULT_LIMIT
) -> Page[BranchOut]:
    """Every line of the campaign, oldest first."""
    # What a branch shows counts its whole subtree, so that all of them are read whichever are asked for.
    rows = [row for row in list_branches(own_campaign(request, campaign_id)) if row.branch.pk > (cursor or 0)]
    return page_of(request, rows, limit=limit, show=branch_out)


@router.patch("/campaigns/{campaign_id}/branches/{branch_id}", response=BranchOut)
def branch_change(request: HttpRequest, campaign_id: Id, branch_id: Id, payload: BranchPatch) -> BranchOut:
    """Rename, archive or keep a branch. Only what is given changes."""
    campaign = own_campaign(request, campaign_id)
    changed = update_branch(
        campaign_id=campaign.pk,
        branch_id=branch_id,
        name=payload.name,
        is_archived=payload.archived,
        is_kept=payload.kept,
    )
    return next(branch_out(row) for row in list_branches(campaign) if row.branch.pk == changed.pk)


@router.delete("/campaigns/{campaign_id}/branches/{branch_id}", response={204: None})
def branch_delete(request: HttpRequest, campaign_id: Id, branch_id: Id) -> Status[None]:
    """Delete a branch and all that forks from it, for good."""
    delete_branch(campaign_id=own_campaign(request, campaign_id).pk, branch_id=branch_id)
    return Status(204, None)


@router.post("/campaigns/{campaign_id}/branches/{branch_id}/activate", response=StoryOut)
def branch_activate(request: HttpRequest, campaign_id: Id, branch_id: Id) -> StoryOut:
    """Read the story at the tip of a branch."""
    activate_branch(campaign_id=own_campaign(request, campaign_id).pk, branch_id=branch_id)
    return story_now(request, campaign_id)


@router.get("/campaigns/{campaign_id}/tree", response=TreeOut)
def tree_read(request: HttpRequest, campaign_id: Id) -> TreeOut:
    """The whole map: every branch, where branches leave others, the Save Points, and the head."""
    campaign = own_campaign(request, campaign_id)
    branches = list_branches(campaign)
    return TreeOut(
        branches=[branch_out(row) for row in branches],
        forks=forks_out(branches),
        save_points=[save_point_out(row) for row in list_save_points(campaign)],
        head=head_out(get_head(campaign)),
    )


@router.post("/campaigns/{campaign_id}/prune", response=PruningOut)
def prune(request: HttpRequest, campaign_id: Id, payload: PruneIn | None = None) -> PruningOut:
    """Delete the departed turns that nothing needs, for good; or, unless ``dry_run`` is false, count them."""
    campaign = own_campaign(request, campaign_id)
    is_dry = payload is None or payload.dry_run
    return pruning_out(prune_departed(campaign_id=campaign.pk, dry_run=is_dry))
