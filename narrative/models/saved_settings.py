"""What was saved on the settings page."""

from django.db import models
from django.db.models import Q


class SavedSettings(models.Model):
    """What was saved on the settings page over the environment: one row, by name and value. No secrets."""

    values = models.JSONField(default=dict)
    updated_at = models.DateTimeField(auto_now=True)

    # There is one and no other; two that are saved at once are the same row.
    id = models.PositiveSmallIntegerField(primary_key=True, default=1, editable=False)

    class Meta:
        ordering = ["id"]
        verbose_name_plural = "saved settings"
        constraints = [models.CheckConstraint(name="saved_settings_are_one_row", condition=Q(id=1))]

    def __str__(self) -> str:
        return "saved settings"
