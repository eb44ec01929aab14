"""Editing a narration: the player's words become the story, and the state is derived anew.

    a state block in the text   its events, whatever else was asked for
    own                         no events
    keep                        the events of the take that was edited, reviewed again
    model                       what a call says that the words changed; where it fails, as keep

The narrator is not called, and the words stay exactly as they were written.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from django.db import transaction

from campaigns.errors import InvalidError
from campaigns.models import Campaign, Take, Turn
from campaigns.selectors import get_turn
from campaigns.services import writing
from campaigns.services.story_write import require_free, story_write
from campaigns.texts import NARRATION_LENGTH, require_verbatim
from narrative.database import in_database
from narrative.engine import EngineSettings, read_engine
from narrative.inference.rehearsal import RehearsalBackend
from narrative.inference.roles import serve_role
from narrative.models import Proposal
from narrative.proposing import Extraction, ask
from narrative.state.extraction import UNPARSEABLE, separate
from narrative.state.review import Demand
from narrative.state_history import proposals_of
from narrative.state_records import Proposed, settle_take
from narrative.turns import demand_of, plan_for_words

Derive = Literal["own", "model", "keep"]

_EDIT = Take.ProposalWay.EDIT
_SOURCE = Proposal.Source.NARRATOR_EDIT
_NO_EVENTS: dict[str, list[object]] = {"events": []}


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """An edit as it was asked for. ``take_id`` names the take that was edited, which must be the turn's;
    without ``derive`` it is ``model`` where one is connected, else ``keep``."""

    campaign_id: int
    turn_id: int
    text: str
    take_id: int | None = None
    derive: Derive | None = None


@dataclass(frozen=True, slots=True)
class Edited:
    """The turn that tells the words now. ``kept`` says why the state was kept, where it was."""

    turn: Turn
    kept: str = ""


@dataclass(frozen=True, slots=True)
class _Planned:
    prose: str
    proposed: tuple[Proposed, ...]
    demand: Demand
    extraction: Extraction | None = None
    kept: str = ""


async def edit_narration(edit: Edit) -> Edited:
    """Make the player's text the accepted narration of a turn. Raises InvalidError, NotFoundError and
    TurnInFlightError; nothing is changed then."""
    planned = await in_database(_plan)(edit)
    proposed, kept = planned.proposed, planned.kept
    if planned.extraction is not None:
        answer = await ask(planned.extraction, planned.prose)
        if answer.parsed is not None and answer.parsed is not UNPARSEABLE:
            asked = Proposed(
                way=Take.ProposalWay.CALL,
                source=_SOURCE,
                parsed=answer.parsed,
                raw=answer.raw,
                model=planned.extraction.chat.model,
            )
            proposed = (asked,)
        else:
            kept = answer.note or "What the words changed could not be read, so the state was kept."
    return await in_database(_commit)(edit, planned, proposed, kept)


def default_derive(engine: EngineSettings) -> Derive:
    """Whom to ask what the player's words changed: a model, if one is connected."""
    served = serve_role(engine.connection)
    return "keep" if served.backend.api == RehearsalBackend.api or not served.model else "model"


def _plan(edit: Edit) -> _Planned:
    text = require_verbatim(edit.text, field="text", limit=NARRATION_LENGTH, what="The narration")
    require_free(campaign_id=edit.campaign_id)
    separated = separate(text)
    prose = text if separated.raw is None else separated.prose
    if not prose.strip():
        raise InvalidError(
            "There is a state block and no narration. Write what the turn tells.", field="text"
        )
    campaign = Campaign.objects.get(pk=edit.campaign_id)
    turn = get_turn(campaign_id=campaign.pk, turn_id=edit.turn_id)
    edited = turn.live_take if edit.take_id is None else writing.require_take(turn, edit.take_id)
    engine = read_engine(campaign)
    demand = demand_of(engine.evidence)
    if separated.raw is not None:
        if separated.parsed is UNPARSEABLE:
            raise InvalidError(
                "The state block in your text cannot be read: it is no JSON. Mend it, or take it out.",
                field="text",
            )
        own = Proposed(way=_EDIT, source=_SOURCE, parsed=separated.parsed, raw=(separated.raw,))
        return _Planned(prose, (own,), demand)
    derive = edit.derive or default_derive(engine)
    if derive == "own":
        return _Planned(prose, (Proposed(way=_EDIT, source=_SOURCE, parsed=_NO_EVENTS),), demand)
    kept = tuple(_kept_events(edited)) if edited is not None else ()
    if derive == "keep":
        return _Planned(prose, kept, demand, kept="" if edit.derive else _KEPT)
    return _Planned(prose, kept, demand, extraction=plan_for_words(campaign, turn))


_KEPT = "The state was kept as it was: no model is connected to read what your words change."


def _kept_events(take: Take) -> Sequence[Proposed]:
    """What was accepted with a take, to be proposed again by those who proposed it. Never nothing: an edit
    without events says so."""
    kept = [
        Proposed(
            way=_EDIT,
            source=Proposal.Source(proposal.source)
            if proposal.source == Proposal.Source.MANUAL_CORRECTION
            else _SOURCE,
            parsed={"events": [{"type": each.type, **each.payload} for each in proposal.events.all()]},
            note="kept from the take that was edited",
        )
        for proposal in proposals_of(take)
        if proposal.events.all()
    ]
    return kept or [Proposed(way=_EDIT, source=_SOURCE, parsed=_NO_EVENTS)]


def _commit(edit: Edit, planned: _Planned, proposed: Sequence[Proposed], kept: str) -> Edited:
    with transaction.atomic():
        turn = writing.edit_narration(
            campaign_id=edit.campaign_id, turn_id=edit.turn_id, text=planned.prose, take_id=edit.take_id
        )
        campaign = Campaign.objects.get(pk=edit.campaign_id)
        if turn.live_take is None:
            raise ValueError(f"Turn {turn.pk} was edited and has no live take.")
        for each in proposed:
            settle_take(campaign=campaign, take=turn.live_take, proposed=each, demand=planned.demand)
    return Edited(turn, kept)


async def ask_again(*, campaign_id: int, turn_id: int) -> str:
    """Ask once more what the turn at the head changed, where nothing came of it at first. Returns why nothing
    came this time either, or nothing. Raises InvalidError away from the head."""
    extraction, narration = await in_database(_plan_again)(campaign_id, turn_id)
    answer = await ask(extraction, narration)
    if answer.parsed is None or answer.parsed is UNPARSEABLE:
        return answer.note or "The answer could not be read."
    proposed = Proposed(
        way=Take.ProposalWay.CALL,
        source=Proposal.Source.ACCEPTED_STORY,
        parsed=answer.parsed,
        raw=answer.raw,
        model=extraction.chat.model,
    )
    await in_database(_commit_again)(campaign_id, turn_id, proposed)
    return ""


def _plan_again(campaign_id: int, turn_id: int) -> tuple[Extraction, str]:
    require_free(campaign_id=campaign_id)
    campaign = Campaign.objects.get(pk=campaign_id)
    turn = _require_open_head(campaign, turn_id)
    return plan_for_words(campaign, turn), turn.live_take.narration if turn.live_take else ""


def _commit_again(campaign_id: int, turn_id: int, proposed: Proposed) -> None:
    with story_write(campaign_id=campaign_id, reason="derive") as campaign:
        turn = _require_open_head(campaign, turn_id)
        if turn.live_take is not None:
            demand = demand_of(read_engine(campaign).evidence)
            settle_take(campaign=campaign, take=turn.live_take, proposed=proposed, demand=demand)


def _require_open_head(campaign: Campaign, turn_id: int) -> Turn:
    turn = get_turn(campaign_id=campaign.pk, turn_id=turn_id)
    is_head = Turn.objects.at_heads([campaign]).filter(pk=turn.pk).exists()
    if not is_head or writing.has_continuation(turn):
        raise InvalidError("The story went on from this turn. Correct what holds now instead.")
    return turn
