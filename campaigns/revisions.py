"""Reads of what the player changed in profile, rules and canon."""

from collections.abc import Collection

from django.db.models import Count, Max

from campaigns.models import Campaign, CampaignRevision


def count_revisions(campaign: Campaign) -> dict[str, int]:
    """How often each field was changed. One query."""
    revisions = CampaignRevision.objects.filter(campaign=campaign).order_by()
    return dict(revisions.values_list("field").annotate(count=Count("pk")))


def list_revisions(
    campaign: Campaign, *, fields: Collection[str], before: int | None = None, limit: int | None = None
) -> list[CampaignRevision]:
    """The changes of some fields with the branch each was made at, newest first, beginning behind the id
    ``before``. One query."""
    revisions = CampaignRevision.objects.select_related("branch").filter(campaign=campaign, field__in=fields)
    if before is not None:
        revisions = revisions.filter(pk__lt=before)
    return list(revisions.order_by("-pk")[:limit])


def newest_revision_id(campaign: Campaign) -> int:
    newest = CampaignRevision.objects.filter(campaign=campaign).aggregate(newest=Max("pk"))["newest"]
    return newest or 0


def list_revision_ids(campaign: Campaign, *, after: int, fields: Collection[str] | None = None) -> list[int]:
    """The changes that came behind the id ``after``, of some fields or of all."""
    revisions = CampaignRevision.objects.filter(campaign=campaign, pk__gt=after)
    if fields is not None:
        revisions = revisions.filter(field__in=fields)
    return list(revisions.order_by("pk").values_list("pk", flat=True))
