from django.db import models
from django.db.models import Q


class PromptRecord(models.Model):
    """What was sent to a narrator, whole and for ever: it refers to nothing that could be deleted.

    It is stored with the submission before anything is sent, so that a turn that failed can be inspected too,
    and belongs to the take that came of it.
    """

    request = models.OneToOneField(
        "campaigns.TurnRequest", null=True, on_delete=models.CASCADE, related_name="prompt_record"
    )
    take = models.OneToOneField(
        "campaigns.Take", null=True, on_delete=models.CASCADE, related_name="prompt_record"
    )
    document = models.BinaryField()  # JSON, compressed
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.CheckConstraint(
                name="prompt_record_belongs_somewhere",
                condition=Q(request__isnull=False) | Q(take__isnull=False),
            )
        ]

    def __str__(self) -> str:
        return f"prompt record {self.pk}"


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
