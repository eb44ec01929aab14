"""What was proposed for the state and what became of it, to be read. Nothing here can be written over."""

import json
from typing import Any

from django.contrib import admin
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from narrative.models import Proposal, StateEvent


class ReadOnlyAdmin(admin.ModelAdmin[Any]):
    """The audit is only read: a row that could be changed would prove nothing."""

    list_per_page = 50
    show_full_result_count = False

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


class EventInline(admin.TabularInline[StateEvent, Proposal]):
    model = StateEvent
    fields = ("sequence", "line", "type", "as_proposed", "what_was", "is_unsupported")
    readonly_fields = fields
    can_delete = False
    extra = 0

    def has_add_permission(self, request: HttpRequest, obj: Proposal | None = None) -> bool:
        return False

    @admin.display(description="Event")
    def as_proposed(self, event: StateEvent) -> SafeString:
        return _json(event.payload)

    @admin.display(description="Before")
    def what_was(self, event: StateEvent) -> SafeString:
        return _json(event.before)


@admin.register(Proposal)
class ProposalAdmin(ReadOnlyAdmin):
    list_display = ("id", "campaign", "place", "way", "source", "status", "model", "created_at")
    list_filter = ("status", "way", "source")
    list_select_related = ("campaign", "take__turn__branch")
    search_fields = ("note", "campaign__title")
    fields = (
        *("campaign", "place", "in_the_story", "way", "source", "status", "model", "note"),
        *("was_refused", "was_redundant", "was_received", "created_at"),
    )
    inlines = [EventInline]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Proposal]:
        return _own(super().get_queryset(request), request)

    @admin.display(description="Turn")
    def place(self, proposal: Proposal) -> str:
        turn = proposal.take.turn
        return f"turn {turn.depth} of {turn.branch}, take {proposal.take.ordinal + 1}"

    @admin.display(description="In the story")
    def in_the_story(self, proposal: Proposal) -> SafeString:
        address = f"{reverse('play', args=[proposal.campaign_id])}#turn-{proposal.take.turn_id}"
        return format_html('<a href="{}">read it there</a>', address)

    @admin.display(description="Refused")
    def was_refused(self, proposal: Proposal) -> SafeString:
        return _json(proposal.refused)

    @admin.display(description="Said what held already")
    def was_redundant(self, proposal: Proposal) -> SafeString:
        return _json(proposal.redundant)

    @admin.display(description="As received")
    def was_received(self, proposal: Proposal) -> SafeString:
        return format_html("<pre>{}</pre>", "\n\n".join(proposal.raw) or "nothing")


@admin.register(StateEvent)
class StateEventAdmin(ReadOnlyAdmin):
    list_display = ("id", "campaign", "line", "type", "depth", "source", "is_unsupported", "created_at")
    list_filter = ("type", "is_unsupported", "proposal__source")
    list_select_related = ("campaign", "proposal__take__turn")
    search_fields = ("line", "=entity", "=other", "=fact", "=thread")
    fields = (
        *("campaign", "its_proposal", "sequence", "type", "line", "as_proposed", "what_was"),
        *("is_unsupported", "created_at"),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[StateEvent]:
        return _own(super().get_queryset(request), request)

    @admin.display(description="Turn")
    def depth(self, event: StateEvent) -> int:
        return event.proposal.take.turn.depth

    @admin.display(description="Source")
    def source(self, event: StateEvent) -> str:
        return event.proposal.get_source_display()

    @admin.display(description="Proposal")
    def its_proposal(self, event: StateEvent) -> SafeString:
        address = reverse("admin:narrative_proposal_change", args=[event.proposal_id])
        return format_html('<a href="{}">{}</a>', address, event.proposal)

    @admin.display(description="Event")
    def as_proposed(self, event: StateEvent) -> SafeString:
        return _json(event.payload)

    @admin.display(description="Before")
    def what_was(self, event: StateEvent) -> SafeString:
        return _json(event.before)


def _own(rows: QuerySet[Any], request: HttpRequest) -> QuerySet[Any]:
    """No account reads another's stories, staff included."""
    return rows.filter(campaign__owner_id=request.user.pk)


def _json(value: Any) -> SafeString:
    """As inert text."""
    return format_html("<pre>{}</pre>", json.dumps(value, ensure_ascii=False, indent=2))
