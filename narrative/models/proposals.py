"""What was asked to change in the state, and what changed."""

from django.db import models

from campaigns.models import Take


class Proposal(models.Model):
    """What somebody asked to change in the state with a take, and what became of it: the audit of the state.

    Nothing is rebuilt from it. What was accepted of it are its events.
    """

    class Source(models.TextChoices):
        CAMPAIGN_SETUP = "campaign_setup", "The beginning"
        ACCEPTED_STORY = "accepted_story", "The story"
        NARRATOR_EDIT = "narrator_edit", "Your edit"
        MANUAL_CORRECTION = "manual_correction", "Your correction"
        CAMPAIGN_CANON = "campaign_canon", "Canon"
        IMPORT = "import", "Import"

    campaign = models.ForeignKey("campaigns.Campaign", on_delete=models.CASCADE, related_name="proposals")
    take = models.ForeignKey("campaigns.Take", on_delete=models.CASCADE, related_name="proposals")
    way = models.CharField(max_length=12, choices=Take.ProposalWay)
    status = models.CharField(max_length=20, choices=Take.ProposalStatus)
    source = models.CharField(max_length=20, choices=Source)
    # Each text that was received, as it came; empty where none came.
    raw = models.JSONField(default=list)
    # Events that said what held already.
    redundant = models.JSONField(default=list)
    # {event, layer, reason, detail}
    refused = models.JSONField(default=list)
    # What applying it depended on beside the document: {single_valued: [], takes_back: bool}, what is not
    # empty of it. With it the same events make the same state again, whatever the canon says by then.
    applied_with = models.JSONField(default=dict)
    model = models.CharField(max_length=200, blank=True)
    # The player's own words, or why no proposal came.
    note = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"proposal {self.pk} ({self.status})"


class StateEvent(models.Model):
    """One change that was accepted, with what held before it. Rows are only added."""

    proposal = models.ForeignKey(Proposal, on_delete=models.CASCADE, related_name="events")
    campaign = models.ForeignKey("campaigns.Campaign", on_delete=models.CASCADE, related_name="state_events")
    sequence = models.PositiveSmallIntegerField()
    type = models.CharField(max_length=40)
    payload = models.JSONField()
    before = models.JSONField(null=True)
    # What it changed in words, said when it did.
    line = models.TextField()
    # Applied, though neither the narration nor the player's words name what it names.
    is_unsupported = models.BooleanField(default=False)
    # What it is about, for the history of one thing.
    entity = models.CharField(max_length=100, blank=True)
    other = models.CharField(max_length=100, blank=True)
    fact = models.CharField(max_length=100, blank=True)
    thread = models.CharField(max_length=100, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(name="event_has_its_place_in_a_proposal", fields=["proposal", "sequence"])
        ]
        indexes = [
            models.Index(fields=["campaign", "entity", "id"], name="state_event_of_entity"),
            models.Index(fields=["campaign", "other", "id"], name="state_event_of_other"),
            models.Index(fields=["campaign", "fact", "id"], name="state_event_of_fact"),
            models.Index(fields=["campaign", "thread", "id"], name="state_event_of_thread"),
        ]

    def __str__(self) -> str:
        return f"{self.type} ({self.pk})"
