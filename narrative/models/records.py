"""What was sent to a narrator."""

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
    # JSON, compressed; its longer texts are PromptTexts.
    document = models.BinaryField()
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


class PromptText(models.Model):
    """A text of prompt records, stored once however many prompts of a campaign repeat it.

    It is the records' own and never changes; it goes when the last record that holds it went
    (``prompt_records.sweep_texts``).
    """

    campaign = models.ForeignKey("campaigns.Campaign", on_delete=models.CASCADE, related_name="prompt_texts")
    digest = models.BinaryField(max_length=16)  # of the text, BLAKE2b
    body = models.BinaryField()  # UTF-8, compressed

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(name="equal_prompt_text_is_stored_once", fields=["campaign", "digest"])
        ]

    def __str__(self) -> str:
        return f"prompt text {self.pk}"


class TokenRatio(models.Model):
    """How many tokens a model's server reports for one that is estimated here, smoothed over its replies."""

    model = models.CharField(max_length=300, unique=True)  # "api:model"
    ratio = models.FloatField()
    replies = models.PositiveIntegerField(default=0)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.model}: {self.ratio:.2f}"
