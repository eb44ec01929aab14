"""Finding prompt records: of a take that was told, and of the turn that would be told now."""

from typing import Any

from campaigns.errors import InvalidError, NotFoundError
from campaigns.models import Campaign, Take, Turn, TurnRequest
from campaigns.path import Position
from campaigns.positions import owner_at
from campaigns.selectors import told_takes
from campaigns.texts import INPUT_LENGTH, clean_text
from narrative.engine import read_engine
from narrative.models import PromptRecord
from narrative.prompt.record import NO_KNOWLEDGE
from narrative.prompt_ahead import build_ahead
from narrative.prompt_records import read_record

_UNTOLD = (
    "No narrator was asked for this narration, so there is no prompt: it was written, or is the opening."
)


def dry_run(campaign: Campaign, *, mode: str = Turn.Mode.ACTION, text: str = "") -> dict[str, Any]:
    """The record of the prompt that would be sent now, by the code that sends it. Nothing is stored.

    The text may be empty. Raises InvalidError and ContextOverflowError.
    """
    if mode not in Turn.Mode.values:
        raise InvalidError(f"The mode is one of {', '.join(Turn.Mode.values)}.", field="mode")
    words = clean_text(text).strip()
    if len(words) > INPUT_LENGTH:
        raise InvalidError(f"A turn's text is at most {INPUT_LENGTH:,} characters.", field="text")
    unsent = TurnRequest(
        campaign=campaign,
        kind=TurnRequest.Kind.NEW,
        mode=mode,
        text="" if mode == Turn.Mode.CONTINUE else words,
        branch_id=campaign.head.branch_id,
        depth=campaign.head_depth,
    )
    engine = read_engine(campaign)
    return complete_document(build_ahead(unsent, engine).document(engine.options), usage={})


def record_of_take(take: Take) -> dict[str, Any]:
    """The record of a take's prompt; of one that the player edited, that of the telling it came from. Raises
    NotFoundError where no narrator was asked."""
    takes = told_takes(take)
    records = {row.take_id: row for row in PromptRecord.objects.filter(take__in=takes)}
    found = next((records[pk] for pk in takes if pk in records), None)
    if found is None:
        raise NotFoundError(_UNTOLD)
    usage = Take.objects.filter(prompt_record=found).values_list("usage", flat=True).first()
    return complete_document(read_record(found), usage=usage or {})


def find_take(campaign: Campaign, *, turn_id: int, take_id: int | None = None) -> Take:
    """A take of a turn on any line, or its live one. Raises NotFoundError."""
    takes = Take.objects.select_related("turn__branch").filter(
        turn__branch__campaign=campaign, turn_id=turn_id
    )
    if take_id is not None:
        found = takes.filter(pk=take_id).first()
    else:
        found = takes.filter(pk__in=Turn.objects.filter(pk=turn_id).values("live_take")).first()
    if found is None:
        raise NotFoundError("There is no such turn, or no such take of it, in this campaign.")
    return found


def find_take_at(campaign: Campaign, depth: int) -> Take:
    """The live take at a depth of the path being read. Raises NotFoundError."""
    branch = owner_at(Position(campaign.head.branch_id, depth)) if depth <= campaign.head_depth else None
    turn = Turn.objects.filter(branch=branch, depth=depth).first() if branch is not None else None
    if turn is None:
        raise NotFoundError(f"The story as it is read has no turn {depth}.")
    return find_take(campaign, turn_id=turn.pk)


def complete_document(document: dict[str, Any], *, usage: dict[str, Any]) -> dict[str, Any]:
    """A record with every member that records have today: those of earlier versions have fewer."""
    told = document.get("tokens", {})
    tokens = {
        "window": 0,
        "total": 0,
        "estimated": told.get("total", 0),
        "output_reserve": 0,
        "protected": 0,
        "left": 0,
        "history_budget": 0,
        "history_spent": 0,
        "prefix_reused": 0,
        "ratio": 1.0,
    }
    return {
        "sections": document.get("sections", []),
        "messages": document.get("messages", []),
        "tokens": tokens
        | {"estimated": document.get("tokens", {}).get("total", 0)}
        | document.get("tokens", {}),
        "history": {"included": 0, "total": 0, "from": None} | document.get("history", {}),
        "summary": document.get("summary"),
        "memories": {"used": [], "set_aside": [], "considered": 0} | document.get("memories", {}),
        "knowledge": {**NO_KNOWLEDGE, **document.get("knowledge", {})},
        "budget": document.get("budget", {"parts": []}),
        "dropped": document.get("dropped", []),
        "derived": document.get("derived", []),
        "model": document.get("model", ""),
        "options": document.get("options", {}),
        "usage": usage,
    }
