"""What is made from the story and can be made again: summaries and memories, and how making them goes."""

from typing import Any

from django.db import models
from django.db.models import Q
from django.db.models.expressions import RawSQL

from campaigns.path import Path, Position
from campaigns.querysets import OnPathQuerySet

# A take that was replaced is no turn's live take; one that was deleted is none either.
_MADE_OF_LIVE_TAKES = """
NOT EXISTS (
    SELECT 1 FROM json_each({table}.takes) AS made_of
    LEFT JOIN campaigns_turn AS told ON told.live_take_id = made_of.value
    WHERE told.id IS NULL
)
"""


class DerivedQuerySet(OnPathQuerySet[Any]):
    def eligible(self, path: Path) -> "DerivedQuerySet":
        """Rows whose anchor is on the path and whose every take is live (invariant I6).

        A row keeps the takes of its own stretch. What it was built from beside them (the summary before it)
        ends on the same path above it, and a turn with a continuation keeps its live take (I4).
        """
        return self.on_path(path).made_of_live_takes()

    def made_of_live_takes(self) -> "DerivedQuerySet":
        """The half of eligibility that does not depend on where the story is read."""
        clause = _MADE_OF_LIVE_TAKES.format(table=self.model._meta.db_table)
        return self.filter(RawSQL(clause, [], output_field=models.BooleanField()))  # noqa: S611 - our table


class Derived(models.Model):
    """A text made of a stretch of the story, anchored to the stretch's last turn."""

    campaign = models.ForeignKey("campaigns.Campaign", on_delete=models.CASCADE, related_name="%(class)s_set")
    branch = models.ForeignKey("campaigns.Branch", on_delete=models.CASCADE, related_name="+")
    # The anchor, and the first turn of the stretch.
    depth = models.PositiveIntegerField()
    first_depth = models.PositiveIntegerField()
    # The ids of the takes it was made of; none where the player wrote it.
    takes = models.JSONField(default=list)
    text = models.TextField()
    # What it said before the player changed it, oldest first.
    earlier = models.JSONField(default=list)
    # The model that wrote it; empty for the player.
    model = models.CharField(max_length=200, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = DerivedQuerySet.as_manager()

    class Meta:
        abstract = True

    @property
    def anchor(self) -> Position:
        return Position(self.branch_id, self.depth)

    @property
    def is_typed(self) -> bool:
        return not self.model


class Memory(Derived):
    """One short statement of what happened. It never writes state."""

    class Type(models.TextChoices):
        EVENT = "event", "Event"
        CHARACTER = "character", "Character"
        RELATIONSHIP = "relationship", "Relationship"
        LOCATION = "location", "Place"
        PROMISE = "promise", "Promise"
        DISCOVERY = "discovery", "Discovery"
        CONFLICT = "conflict", "Conflict"
        HEURISTIC = "heuristic", "Guess"

    class Authority(models.TextChoices):
        ACCEPTED_STORY = "accepted_story", "From the story"
        HEURISTIC = "heuristic", "Inferred"

    type = models.CharField(max_length=16, choices=Type)
    authority = models.CharField(max_length=16, choices=Authority)
    importance = models.PositiveSmallIntegerField(default=3)
    is_pinned = models.BooleanField(default=False)
    is_forgotten = models.BooleanField(default=False)
    # The stems of its text (knowledge.words), what it is found by; SQLite's triggers index them.
    terms = models.TextField()

    class Meta:
        ordering = ["id"]
        verbose_name_plural = "memories"
        indexes = [models.Index(fields=["branch", "depth"], name="memory_at_its_anchor")]
        constraints = [
            models.CheckConstraint(
                name="memory_importance_is_one_to_five", condition=Q(importance__gte=1, importance__lte=5)
            ),
            models.UniqueConstraint(
                name="memory_of_a_stretch_is_written_once",
                fields=["branch", "depth", "takes"],
                condition=~Q(model=""),
            ),
        ]

    def __str__(self) -> str:
        return self.text[:80]


class Summary(Derived):
    """The story up to an anchor, or a stretch of it."""

    class Type(models.TextChoices):
        ROLLING = "rolling", "Rolling"
        MANUAL = "manual", "Written by you"
        TURN_RANGE = "turn_range", "A stretch"
        CAMPAIGN = "campaign", "The whole story"

    class Trigger(models.TextChoices):
        INTERVAL = "interval", "By itself"
        MANUAL = "manual", "Asked for"

    type = models.CharField(max_length=16, choices=Type)
    trigger = models.CharField(max_length=16, choices=Trigger)
    # The summary that it goes on from, where there was one.
    goes_on_from = models.ForeignKey("self", null=True, on_delete=models.SET_NULL, related_name="+")
    # The player wants it used no more.
    is_cleared = models.BooleanField(default=False)

    class Meta:
        ordering = ["id"]
        verbose_name_plural = "summaries"
        indexes = [models.Index(fields=["branch", "depth"], name="summary_at_its_anchor")]

    def __str__(self) -> str:
        return self.text[:80]


class DerivedStatus(models.Model):
    """How the making of one kind goes in a campaign."""

    class Kind(models.TextChoices):
        MEMORY = "memory", "Memories"
        SUMMARY = "summary", "Summaries"
        MEMORY_EMBEDDING = "memory_embedding", "Search by meaning in memories"
        KNOWLEDGE_EMBEDDING = "knowledge_embedding", "Search by meaning in the library"

    class Status(models.TextChoices):
        OK = "ok", "Fine"
        IDLE = "idle", "Nothing to do"
        FAILED = "failed", "Failed"
        DISABLED = "disabled", "Off"

    campaign = models.ForeignKey(
        "campaigns.Campaign", on_delete=models.CASCADE, related_name="derived_statuses"
    )
    kind = models.CharField(max_length=24, choices=Kind)
    status = models.CharField(max_length=8, choices=Status)
    detail = models.TextField(blank=True)
    # In a row, since the last success.
    failures = models.PositiveIntegerField(default=0)
    last_attempt_at = models.DateTimeField(null=True)
    last_success_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["id"]
        verbose_name_plural = "derived statuses"
        constraints = [
            models.UniqueConstraint(name="campaign_has_one_status_of_a_kind", fields=["campaign", "kind"])
        ]

    def __str__(self) -> str:
        return f"{self.kind}: {self.status}"
