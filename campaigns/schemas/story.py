"""Turns, takes and the window of the transcript."""

from typing import Literal

from pydantic import BaseModel

from campaigns.models import Take, Turn
from campaigns.schemas.base import Input, Time
from campaigns.selectors import Head, StoryWindow, narration_of


class StepsIn(Input):
    steps: int = 1


class GotoIn(Input):
    branch: int
    depth: int


class NarrationIn(Input):
    """The words that the turn tells from now on. ``derive`` says where its changes to the state come from."""

    text: str
    take: int | None = None
    derive: Literal["own", "model", "keep"] | None = None


class TakeOut(BaseModel):
    id: int
    ordinal: int
    narration: str
    reasoning: str
    origin: str
    finish: str
    model: str
    created_at: Time
    live: bool


class TurnOut(BaseModel):
    id: int
    branch: int
    depth: int
    parent: int | None
    mode: str | None
    input: str
    created_at: Time
    live_take: int | None
    take_count: int
    narration: str
    changes: list[str]
    proposal_status: str
    proposal_way: str | None
    on_path: bool


class TurnWithTakesOut(TurnOut):
    takes: list[TakeOut]


class HeadOut(BaseModel):
    branch: int
    depth: int
    turn: int


class StoryOut(BaseModel):
    head: HeadOut
    can_undo: bool
    can_redo: bool
    turns: list[TurnOut]
    has_more: bool


def turn_out(turn: Turn, *, on_path: bool, takes: list[Take] | None = None) -> TurnOut:
    """A turn of ``selectors.story_turns()``, with its takes where they are given. Makes no query."""
    shown = TurnOut(
        id=turn.pk,
        branch=turn.branch_id,
        depth=turn.depth,
        parent=turn.parent_id,
        mode=turn.mode,
        input=turn.input,
        created_at=turn.created_at,
        live_take=turn.live_take_id,
        take_count=turn.take_count,
        narration=narration_of(turn),
        changes=turn.live_take.changes if turn.live_take is not None else [],
        proposal_status=turn.live_take.proposal_status if turn.live_take is not None else "none",
        proposal_way=turn.live_take.proposal_way if turn.live_take is not None else None,
        on_path=on_path,
    )
    if takes is None:
        return shown
    told = [_take_out(take, is_live=take.pk == turn.live_take_id) for take in takes]
    return TurnWithTakesOut(**dict(shown), takes=told)


def head_out(head: Head) -> HeadOut:
    return HeadOut(branch=head.branch_id, depth=head.depth, turn=head.turn_id)


def story_out(window: StoryWindow) -> StoryOut:
    return StoryOut(
        head=head_out(window.head),
        can_undo=window.head.can_undo,
        can_redo=window.head.can_redo,
        turns=[turn_out(turn, on_path=True) for turn in window.turns],
        has_more=window.has_more,
    )


def _take_out(take: Take, *, is_live: bool) -> TakeOut:
    return TakeOut(
        id=take.pk,
        ordinal=take.ordinal,
        narration=take.narration,
        reasoning=take.reasoning,
        origin=take.origin,
        finish=take.finish,
        model=take.model,
        created_at=take.created_at,
        live=is_live,
    )
