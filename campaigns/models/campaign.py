from django.conf import settings
from django.core.validators import MaxLengthValidator
from django.db import models

from campaigns.path import Position
from campaigns.querysets import CampaignQuerySet

TITLE_LENGTH = 200


class Campaign(models.Model):
    """One story container, with its profile, rules, tree, and the position it is being read at."""

    class Status(models.TextChoices):
        ACTIVE = "active", "Active"
        ARCHIVED = "archived", "Archived"

    # An account with stories cannot be deleted: only deleting a story deletes a story.
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="campaigns")
    title = models.CharField(max_length=TITLE_LENGTH, validators=[MaxLengthValidator(TITLE_LENGTH)])
    status = models.CharField(max_length=16, choices=Status, default=Status.ACTIVE)

    genre = models.TextField(blank=True)
    subgenre = models.TextField(blank=True)
    tone = models.TextField(blank=True)
    style = models.TextField(blank=True)
    point_of_view = models.TextField(blank=True)
    tense = models.TextField(blank=True)
    protagonist_name = models.TextField(blank=True)
    protagonist_description = models.TextField(blank=True)
    narrator_rules = models.JSONField(default=list)
    canon = models.JSONField(default=dict)
    authors_note = models.TextField(blank=True)
    # What the player set for this campaign alone; the operator's settings hold for all that is not here.
    settings = models.JSONField(default=dict)
    # The events a campaign was created with, as given.
    initial_events = models.JSONField(default=list)

    # The head. Null only inside the transaction that creates a campaign.
    active_branch = models.ForeignKey(
        "campaigns.Branch", null=True, on_delete=models.RESTRICT, related_name="+"
    )
    head_depth = models.PositiveIntegerField(default=0)

    # Goes up with every change to the story, so that another process can notice one by reading one number.
    change_count = models.PositiveBigIntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    objects = CampaignQuerySet.as_manager()

    class Meta:
        ordering = ["id"]
        indexes = [models.Index(fields=["owner", "status", "id"], name="campaign_by_owner")]

    def __str__(self) -> str:
        return self.title

    @property
    def head(self) -> Position:
        if self.active_branch_id is None:
            raise ValueError("A campaign without an active branch is being created and has no head yet.")
        return Position(self.active_branch_id, self.head_depth)

    @property
    def profile(self) -> dict[str, str]:
        return {name: getattr(self, name) for name in PROFILE_FIELDS}


PROFILE_FIELDS = ("genre", "subgenre", "tone", "style", "point_of_view", "tense")


class CampaignRevision(models.Model):
    """One change of the player's to profile, rules or canon: the audit of what the story was told under."""

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="revisions")
    field = models.CharField(max_length=40)
    before = models.JSONField()
    after = models.JSONField()
    branch = models.ForeignKey("campaigns.Branch", null=True, on_delete=models.SET_NULL, related_name="+")
    depth = models.PositiveIntegerField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"{self.field} of {self.campaign_id}"
