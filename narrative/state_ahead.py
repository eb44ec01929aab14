"""The state that a turn is told from: that of the turn before it, and what was refused there."""

from typing import Any

from campaigns.models import Branch, Take, Turn, TurnRequest
from campaigns.selectors import told_takes
from narrative.models import Proposal
from narrative.prompt.builder import StateAhead, history_end
from narrative.state.document import Document
from narrative.state.render import Focus
from narrative.state_records import load_document, protagonist_key

_STORY = (Proposal.Source.ACCEPTED_STORY, Proposal.Source.NARRATOR_EDIT)


def read_ahead(request: TurnRequest, *, is_block: bool) -> StateAhead:
    """What holds where a submission's turn will stand. Three queries."""
    end = history_end(request)
    path = Branch.objects.path_to(end, floor=max(0, end.depth)).between(end.depth, end.depth)
    turn = Turn.objects.on_path(path).select_related("live_take").first() if end.depth >= 0 else None
    take = turn.live_take if turn is not None else None
    document = load_document(take.state_version_id) if take is not None else Document()
    text = "\n".join((take.narration if take else "", request.text))
    return StateAhead(
        document=document,
        focus=Focus(protagonist=protagonist_key(document, request.campaign), text=text),
        is_block=is_block,
        told=take.narration if take else "",
        refused=_refused_of(take),
    )


def _refused_of(take: Take | None) -> tuple[dict[str, Any], ...]:
    """What was refused of the story's last proposal for a take. Told once: the next turn has another."""
    if take is None:
        return ()
    proposals = Proposal.objects.filter(take__in=told_takes(take), source__in=_STORY).order_by("-pk")
    return tuple(proposals.values_list("refused", flat=True).first() or ())
