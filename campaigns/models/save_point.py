from typing import TYPE_CHECKING

from django.db import models

from campaigns.models.campaign import TITLE_LENGTH, Campaign
from campaigns.models.tree import Branch
from campaigns.path import Position


class SavePoint(models.Model):
    """A durable name for a position. It holds a copy of nothing, so it shows whichever take is live there.

    The branch is the one that owns the turn at that depth.
    """

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="save_points")
    # A branch with a Save Point in it cannot be deleted; the campaign can, with everything in it.
    branch = models.ForeignKey(Branch, on_delete=models.RESTRICT, related_name="save_points")
    depth = models.PositiveIntegerField()
    name = models.CharField(max_length=TITLE_LENGTH)
    note = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    if TYPE_CHECKING:
        turn_id: int | None  # annotated by list_save_points

    class Meta:
        ordering = ["-id"]
        indexes = [models.Index(fields=["branch", "depth"], name="save_point_by_position")]

    def __str__(self) -> str:
        return self.name

    @property
    def position(self) -> Position:
        return Position(self.branch_id, self.depth)
