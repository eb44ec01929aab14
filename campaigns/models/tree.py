"""The story tree: branches own turns, turns have takes, takes stand on state versions."""

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Self

from django.db import models
from django.db.models import F, OuterRef, Q, Subquery
from django.db.models.expressions import RawSQL
from django.db.models.functions import Coalesce

from campaigns.models.campaign import Campaign
from campaigns.path import Position
from campaigns.querysets import OWNERS_AT, BranchQuerySet, OnPathQuerySet

BRANCH_NAME_LENGTH = 200


class Branch(models.Model):
    """A line of turns. It owns the turns after its fork depth; its parent's line leads up to there.

    A branch that forks before turn 0 (another opening) has the fork depth -1.
    """

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="branches")
    name = models.CharField(max_length=BRANCH_NAME_LENGTH)
    parent = models.ForeignKey("self", null=True, on_delete=models.RESTRICT, related_name="children")
    fork_depth = models.IntegerField(null=True)
    # Information only: nothing decides by it.
    departed_depth = models.IntegerField(null=True)
    departed_at = models.DateTimeField(null=True)
    is_archived = models.BooleanField(default=False)
    is_kept = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = BranchQuerySet.as_manager()

    if TYPE_CHECKING:
        tip: int  # annotated by list_branches

    class Meta:
        ordering = ["id"]
        verbose_name_plural = "branches"
        constraints = [
            models.CheckConstraint(
                name="branch_forks_from_a_parent",
                condition=Q(parent=None, fork_depth=None) | Q(parent__isnull=False, fork_depth__gte=-1),
            ),
            models.UniqueConstraint(
                name="campaign_has_one_first_branch", fields=["campaign"], condition=Q(parent=None)
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def first_depth(self) -> int:
        """The depth of the first turn that this branch owns."""
        return 0 if self.fork_depth is None else self.fork_depth + 1


class TurnQuerySet(OnPathQuerySet["Turn"]):
    def at_heads(self, campaigns: Iterable[Campaign]) -> Self:
        """The turn at the head of each campaign."""
        return self._owners_at("head_depth", campaigns)

    def at_openings(self, campaigns: Iterable[Campaign]) -> Self:
        """Turn 0 of the line that each campaign is being read on."""
        return self._owners_at("0", campaigns)

    def _owners_at(self, depth: str, campaigns: Iterable[Campaign]) -> Self:
        ids = json.dumps([campaign.pk for campaign in campaigns])
        return self.filter(pk__in=RawSQL(OWNERS_AT.format(depth=depth), [ids]))  # noqa: S611 - our own words

    def with_take_count(self) -> Self:
        takes = Take.objects.filter(turn=OuterRef("pk")).order_by().values("turn")
        counted = Subquery(takes.annotate(n=models.Count("pk")).values("n"))
        return self.annotate(take_count=Coalesce(counted, 0, output_field=models.IntegerField()))


class Turn(models.Model):
    """One interaction: the player's input and the narration that answered it."""

    class Mode(models.TextChoices):
        ACTION = "action", "Do"
        DIALOGUE = "dialogue", "Say"
        DIRECTION = "direction", "Direct"
        CONTINUE = "continue", "Continue"

    branch = models.ForeignKey(Branch, on_delete=models.CASCADE, related_name="turns")
    depth = models.PositiveIntegerField()
    parent = models.ForeignKey("self", null=True, on_delete=models.RESTRICT, related_name="children")
    # Null for turn 0, the opening, which answers nothing.
    mode = models.CharField(max_length=16, choices=Mode, null=True)
    input = models.TextField(blank=True)
    # Null only inside the transaction that places the turn.
    live_take = models.ForeignKey("campaigns.Take", null=True, on_delete=models.RESTRICT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    objects = TurnQuerySet.as_manager()

    if TYPE_CHECKING:
        take_count: int  # annotated by with_take_count

    class Meta:
        ordering = ["depth", "id"]
        constraints = [
            models.UniqueConstraint(name="turn_has_its_own_position", fields=["branch", "depth"]),
            models.CheckConstraint(
                name="turn_follows_another_unless_opening",
                condition=Q(depth=0, parent=None) | Q(depth__gt=0, parent__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"turn {self.depth} of branch {self.branch_id}"

    @property
    def position(self) -> Position:
        return Position(self.branch_id, self.depth)


class StateVersion(models.Model):
    """The narrative state at some position, compressed. Takes whose state is equal share one version."""

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="state_versions")
    parent = models.ForeignKey("self", null=True, on_delete=models.SET_NULL, related_name="+")
    # What the document is a difference from; without it, the document is whole.
    base = models.ForeignKey("self", null=True, on_delete=models.RESTRICT, related_name="+")
    # How many versions this one is after the whole one that its line began at.
    chain = models.PositiveSmallIntegerField(default=0)
    document = models.BinaryField()
    content_hash = models.CharField(max_length=64)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(name="equal_state_is_stored_once", fields=["campaign", "content_hash"]),
            models.CheckConstraint(
                name="state_is_whole_or_a_difference",
                condition=Q(base=None, chain=0) | Q(base__isnull=False, chain__gt=0),
            ),
        ]

    def __str__(self) -> str:
        return f"state {self.content_hash[:12]}"


class Take(models.Model):
    """One narration of a turn. Takes are added, never rewritten and never deleted one by one."""

    class Origin(models.TextChoices):
        OPENING = "opening", "Opening"
        GENERATED = "generated", "Generated"
        EDITED = "edited", "Edited"
        IMPORTED = "imported", "Imported"
        CORRECTED = "corrected", "Corrected"

    class Finish(models.TextChoices):
        COMPLETE = "complete", "Complete"
        STOPPED = "stopped", "Stopped"
        LENGTH = "length", "Cut at the length limit"

    class ProposalStatus(models.TextChoices):
        ACCEPTED = "accepted", "Accepted"
        PARTIALLY_ACCEPTED = "partially_accepted", "Partially accepted"
        REJECTED = "rejected", "Rejected"
        UNPARSEABLE = "unparseable", "Could not be read"
        NONE = "none", "None"

    class ProposalWay(models.TextChoices):
        BLOCK = "block", "A block in the narration"
        CALL = "call", "A call of its own"
        EDIT = "edit", "An edit"
        CORRECTION = "correction", "A correction"
        SETUP = "setup", "The campaign's setup"

    turn = models.ForeignKey(Turn, on_delete=models.CASCADE, related_name="takes")
    ordinal = models.PositiveIntegerField()
    narration = models.TextField()
    # Kept apart from the narration and never sent to a model again.
    reasoning = models.TextField(blank=True)
    origin = models.CharField(max_length=16, choices=Origin)
    finish = models.CharField(max_length=16, choices=Finish, default=Finish.COMPLETE)
    backend = models.CharField(max_length=32, default="none")
    model = models.CharField(max_length=200, blank=True)
    generation_settings = models.JSONField(default=dict)
    usage = models.JSONField(default=dict)
    state_version = models.ForeignKey(StateVersion, on_delete=models.RESTRICT, related_name="takes")
    # What came of the changes of state that were proposed for this take, and by which way they came.
    proposal_status = models.CharField(max_length=20, choices=ProposalStatus, default=ProposalStatus.NONE)
    proposal_way = models.CharField(max_length=12, choices=ProposalWay, null=True)
    # The take whose narration a fork took along: what was recorded of its telling stands there.
    carried_from = models.ForeignKey("self", null=True, on_delete=models.SET_NULL, related_name="+")
    # Short lines that tell the reader what this take changed.
    changes = models.JSONField(default=list)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["turn", "ordinal"]
        constraints = [models.UniqueConstraint(name="take_has_its_own_ordinal", fields=["turn", "ordinal"])]

    def __str__(self) -> str:
        return f"take {self.ordinal + 1} of turn {self.turn_id}"


def tip_depth_of(branch: str) -> Coalesce:
    """The deepest depth a branch owns, for an annotation; ``branch`` is the outer field with its id.

    A look-up at the end of the (branch, depth) index: the number of turns does not matter. A branch whose
    turns were pruned ends where it forked.
    """
    deepest = Turn.objects.filter(branch=OuterRef(branch)).order_by("-depth").values("depth")[:1]
    return Coalesce(Subquery(deepest), F("fork_depth"), output_field=models.IntegerField())
