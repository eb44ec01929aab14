from django.db import models
from django.db.models import Q

from campaigns.models.campaign import Campaign
from campaigns.models.tree import Branch, Take, Turn
from campaigns.path import Position


class TurnRequest(models.Model):
    """One submission. It exists before the narrator is called, and keeps the player's words and every word
    that was streamed, whatever happens to the process that serves it.

    =========== ==========================================================================
    queued      submitted, no text yet
    streaming   text is arriving
    settling    the text is complete, the turn is being settled
    accepted    told as ``turn`` (also after a stop that kept the text)
    failed      ended with ``code``; its text waits to be kept, retried or discarded
    stopped     stopped without keeping; its text waits in the same way
    discarded   the player needs it no more
    =========== ==========================================================================
    """

    class Kind(models.TextChoices):
        NEW = "new", "New turn"
        RETRY = "retry", "Retry"

    class Status(models.TextChoices):
        QUEUED = "queued", "Queued"
        STREAMING = "streaming", "Streaming"
        SETTLING = "settling", "Settling"
        ACCEPTED = "accepted", "Accepted"
        FAILED = "failed", "Failed"
        STOPPED = "stopped", "Stopped"
        DISCARDED = "discarded", "Discarded"

    class Stop(models.TextChoices):
        NONE = "", "Not asked"
        KEEP = "keep", "Stop and keep"
        DROP = "drop", "Stop"

    RUNNING = (Status.QUEUED, Status.STREAMING, Status.SETTLING)
    RECOVERABLE = (Status.FAILED, Status.STOPPED)

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="requests")
    client_id = models.CharField(max_length=64, null=True)
    kind = models.CharField(max_length=8, choices=Kind)
    status = models.CharField(max_length=16, choices=Status, default=Status.QUEUED)
    mode = models.CharField(max_length=16, choices=Turn.Mode)
    text = models.TextField(blank=True)
    # The head when it was made. It becomes a turn only while the head is still there.
    branch = models.ForeignKey(Branch, on_delete=models.CASCADE, related_name="+")
    depth = models.PositiveIntegerField()
    # The turn it tells again (retry) or in other words (new); null for a turn after the head.
    replaces = models.ForeignKey(Turn, null=True, on_delete=models.CASCADE, related_name="+")

    # The failed submission that this one takes up. Its text stays on offer while this one has none.
    takes_up = models.ForeignKey("self", null=True, on_delete=models.SET_NULL, related_name="+")

    partial = models.TextField(blank=True)
    partial_reasoning = models.TextField(blank=True)
    code = models.CharField(max_length=40, blank=True)
    detail = models.TextField(blank=True)
    stop_asked = models.CharField(max_length=8, choices=Stop, default=Stop.NONE, blank=True)
    # Who told it, kept for the take that its text may become.
    backend = models.CharField(max_length=32, default="none")
    model = models.CharField(max_length=200, blank=True)

    # The lease: the process that serves it, by the name of the lock file it holds (campaigns/leases.py).
    holder = models.CharField(max_length=64)
    # What it became.
    turn = models.ForeignKey(Turn, null=True, on_delete=models.SET_NULL, related_name="+")
    take = models.ForeignKey(Take, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    settled_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-id"]
        indexes = [models.Index(fields=["campaign", "status", "id"], name="request_by_status")]
        constraints = [
            models.UniqueConstraint(
                name="one_turn_in_flight_per_campaign",
                fields=["campaign"],
                condition=Q(status__in=["queued", "streaming", "settling"]),
            ),
            models.UniqueConstraint(
                name="request_id_is_unique_in_a_campaign",
                fields=["campaign", "client_id"],
                condition=Q(client_id__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} request {self.pk} ({self.status})"

    @property
    def position(self) -> Position:
        return Position(self.branch_id, self.depth)

    @property
    def is_running(self) -> bool:
        return self.status in self.RUNNING
