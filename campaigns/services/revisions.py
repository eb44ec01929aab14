"""Bringing back what the story was told under before: a change like any other, with its own revision."""

from collections.abc import Collection, Mapping
from typing import Any

from campaigns.errors import NotFoundError
from campaigns.models import Campaign, CampaignRevision
from campaigns.models.campaign import PROFILE_FIELDS
from campaigns.services.campaigns import CampaignChanges, update_campaign

# Lists, each of them: a key that an earlier canon did not have yet is brought back as empty.
_CANON_KEYS = ("rules", "forbidden_status_changes", "locked_facts", "locked_attributes", "single_valued")


def bring_back(*, campaign_id: int, revision_ids: Collection[int]) -> Campaign:
    """Give the fields of these revisions the words they had before them. Raises NotFoundError."""
    revisions = list(
        CampaignRevision.objects.filter(campaign_id=campaign_id, pk__in=revision_ids).order_by("-pk")
    )
    if not revisions or len(revisions) != len(set(revision_ids)):
        raise NotFoundError("There is no such earlier version.")
    # Of several changes of one field the oldest comes last and tells what was there before them all.
    before = {revision.field: revision.before for revision in revisions}
    return update_campaign(campaign_id=campaign_id, changes=_as_changes(campaign_id, before))


def _as_changes(campaign_id: int, before: Mapping[str, Any]) -> CampaignChanges:
    profile = {name: before[name] for name in PROFILE_FIELDS if name in before}
    rules = before.get("narrator_rules")
    return CampaignChanges(
        profile=profile or None,
        protagonist_name=before.get("protagonist_name"),
        protagonist_description=before.get("protagonist_description"),
        narrator_rules=None if rules is None else tuple(rules),
        canon=_earlier_canon(campaign_id, before["canon"]) if "canon" in before else None,
        authors_note=before.get("authors_note"),
    )


def _earlier_canon(campaign_id: int, before: Mapping[str, Any]) -> dict[str, Any]:
    now = Campaign.objects.values_list("canon", flat=True).get(pk=campaign_id)
    emptied: dict[str, Any] = {name: [] for name in _CANON_KEYS if name in now and name not in before}
    return emptied | dict(before)
