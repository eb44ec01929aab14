"""Adding to the tree: turns, takes, and the branches that a write away from the tip needs.

Rows are only added. The three things that a narration can become::

    place_turn      a turn after another one; forks where that one is not the tip of the active branch
    place_take      another take of a turn that nothing descends from
    retell          whichever of the two keeps what descends from the turn
"""

from dataclasses import dataclass, field
from typing import Any

from django.db.models import Max
from django.utils import timezone

from campaigns.errors import InvalidError, NotFoundError
from campaigns.models import Branch, Campaign, Take, Turn
from campaigns.path import Position
from campaigns.positions import tip_depth
from campaigns.services.head import move_head, require_on_path
from campaigns.services.state_versions import EMPTY_DOCUMENT, record_state_version
from campaigns.services.story_write import story_write
from campaigns.texts import NARRATION_LENGTH, require_verbatim, shorten

FIRST_BRANCH_NAME = "Main"
_BRANCH_NAME_WORDS = 48


@dataclass(frozen=True, slots=True, kw_only=True)
class Narration:
    """What a take will hold. Without a state version the take stands on the state before its turn."""

    text: str
    origin: Take.Origin
    finish: Take.Finish = Take.Finish.COMPLETE
    reasoning: str = ""
    backend: str = "none"
    model: str = ""
    generation_settings: dict[str, Any] = field(default_factory=dict)
    usage: dict[str, Any] = field(default_factory=dict)
    state_version_id: int | None = None
    proposal_status: str = Take.ProposalStatus.NONE
    proposal_way: str | None = None
    changes: tuple[str, ...] = ()
    carried_from_id: int | None = None


def place_opening(campaign: Campaign, *, text: str) -> Turn:
    """Turn 0 of a campaign that is being created, on its first branch, with the head on it."""
    branch = Branch.objects.create(campaign=campaign, name=FIRST_BRANCH_NAME)
    return _add_turn(
        campaign,
        branch=branch,
        parent=None,
        mode=None,
        text="",
        narration=Narration(text=text, origin=Take.Origin.OPENING),
    )


def place_turn(
    campaign: Campaign,
    *,
    after: Turn | None,
    mode: str | None,
    text: str,
    narration: Narration,
    beside: Turn | None = None,
) -> Turn:
    """Place a turn after another one and move the head onto it.

    Where ``after`` is the tip of the active branch the turn goes there; else a branch forks from it, and the
    branch that was active is stamped departed. ``beside`` is the turn that the new one is told instead of;
    ``after`` is on the path to the head, or None for another opening beside the first. Call it inside
    ``story_write``.
    """
    active = campaign.head
    # On the path, so that a depth tells a turn. The tip may be another branch's turn: a branch whose own
    # turns were pruned ends where it forked.
    if after is not None and after.depth == tip_depth(active.branch_id):
        branch = Branch.objects.get(pk=active.branch_id)
    else:
        branch = _fork(campaign, after=after, beside=beside, name=text)
    return _add_turn(campaign, branch=branch, parent=after, mode=mode, text=text, narration=narration)


def place_take(turn: Turn, *, narration: Narration, campaign_id: int, is_live: bool = True) -> Take:
    """Add a take to a turn; as the live one only while nothing descends from the turn."""
    highest = turn.takes.aggregate(highest=Max("ordinal"))["highest"]
    take = _create_take(turn, narration, campaign_id=campaign_id, ordinal=highest + 1)
    if is_live:
        _make_live(turn, take)
    return take


def retell(campaign: Campaign, *, turn: Turn, narration: Narration) -> Turn:
    """Tell a turn of the story being read in other words, keeping everything that descends from it.

    Another take where nothing descends from the turn, else a fork just before it. Call it inside
    ``story_write``. Returns the turn that holds the narration.
    """
    require_on_path(campaign, turn)
    if has_continuation(turn):
        return place_turn(
            campaign, after=turn.parent, mode=turn.mode, text=turn.input, narration=narration, beside=turn
        )
    place_take(turn, narration=narration, campaign_id=campaign.pk)
    return turn


def edit_narration(*, campaign_id: int, turn_id: int, text: str, take_id: int | None = None) -> Turn:
    """Make the player's text the accepted narration of a turn, word for word. No narrator is called.

    ``take_id`` names the take that was edited, which must be the turn's. The state is that before the turn.
    """
    text = require_verbatim(text, field="text", limit=NARRATION_LENGTH, what="The narration")
    with story_write(campaign_id=campaign_id, reason="edit") as campaign:
        turn = require_turn(campaign_id, turn_id)
        if take_id is not None:
            require_take(turn, take_id)
        return retell(campaign, turn=turn, narration=Narration(text=text, origin=Take.Origin.EDITED))


def select_take(*, campaign_id: int, turn_id: int, take_id: int) -> Turn:
    """Make a take the one the story tells; below a continuation, fork and carry its narration there."""
    with story_write(campaign_id=campaign_id, reason="select") as campaign:
        turn = require_turn(campaign_id, turn_id)
        take = require_take(turn, take_id)
        require_on_path(campaign, turn)
        if take.pk == turn.live_take_id:
            return turn
        if not has_continuation(turn):
            _make_live(turn, take)
            return turn
        return place_turn(
            campaign,
            after=turn.parent,
            mode=turn.mode,
            text=turn.input,
            narration=carried_narration(take),
            beside=turn,
        )


def has_continuation(turn: Turn) -> bool:
    """Whether anything descends from the turn, on any branch, on screen or off."""
    return Turn.objects.filter(parent=turn).exists()


def require_turn(campaign_id: int, turn_id: int) -> Turn:
    turn = (
        Turn.objects.select_related("parent", "parent__live_take")
        .filter(branch__campaign_id=campaign_id, pk=turn_id)
        .first()
    )
    if turn is None:
        raise NotFoundError("There is no such turn in this campaign.")
    return turn


def require_take(turn: Turn, take_id: int) -> Take:
    take = turn.takes.filter(pk=take_id).first()
    if take is None:
        raise NotFoundError("There is no such take of this turn.")
    return take


def require_told(turn: Turn) -> None:
    """Raise InvalidError for the opening, which answers no input and is not told by a narrator."""
    if turn.depth == 0:
        raise InvalidError(
            "The opening answers no input, so it cannot be told again. Edit its words instead."
        )


def _fork(campaign: Campaign, *, after: Turn | None, beside: Turn | None, name: str) -> Branch:
    neighbour = after or beside
    if neighbour is None:
        raise ValueError("A fork needs the turn it follows or the turn it stands beside.")
    fork_depth = -1 if after is None else after.depth
    _stamp_departed(campaign.head.branch_id, fork_depth)
    return Branch.objects.create(
        campaign=campaign,
        name=_branch_name(campaign, name),
        parent_id=neighbour.branch_id,
        fork_depth=fork_depth,
    )


def _branch_name(campaign: Campaign, words: str) -> str:
    """The player's first words there, so that the branch is found again; with a number where another branch
    bears them already, or where there are none."""
    branches = Branch.objects.filter(campaign=campaign)
    name = shorten(words, _BRANCH_NAME_WORDS)
    if name and not branches.filter(name=name).exists():
        return name
    number = branches.count() + 1
    return f"{name} ({number})" if name else f"Branch {number}"


def _stamp_departed(branch_id: int, depth: int) -> None:
    """Keep the shallowest departure."""
    branch = Branch.objects.get(pk=branch_id)
    if branch.departed_depth is None or depth < branch.departed_depth:
        branch.departed_depth = depth
        branch.departed_at = timezone.now()
        branch.save(update_fields=["departed_depth", "departed_at"])


def _add_turn(
    campaign: Campaign,
    *,
    branch: Branch,
    parent: Turn | None,
    mode: str | None,
    text: str,
    narration: Narration,
) -> Turn:
    depth = 0 if parent is None else parent.depth + 1
    turn = Turn.objects.create(branch=branch, depth=depth, parent=parent, mode=mode, input=text)
    _make_live(turn, _create_take(turn, narration, campaign_id=campaign.pk, ordinal=0))
    move_head(campaign, Position(branch.pk, depth))
    return turn


def _create_take(turn: Turn, narration: Narration, *, campaign_id: int, ordinal: int) -> Take:
    return Take.objects.create(
        turn=turn,
        ordinal=ordinal,
        narration=narration.text,
        reasoning=narration.reasoning,
        origin=narration.origin,
        finish=narration.finish,
        backend=narration.backend,
        model=narration.model,
        generation_settings=narration.generation_settings,
        usage=narration.usage,
        state_version_id=narration.state_version_id or _state_before(turn, campaign_id),
        proposal_status=narration.proposal_status,
        proposal_way=narration.proposal_way,
        changes=list(narration.changes),
        carried_from_id=narration.carried_from_id,
    )


def _state_before(turn: Turn, campaign_id: int) -> int:
    if turn.parent is not None and turn.parent.live_take is not None:
        return turn.parent.live_take.state_version_id
    return record_state_version(campaign_id=campaign_id, document=EMPTY_DOCUMENT, parent_id=None).pk


def _make_live(turn: Turn, take: Take) -> None:
    turn.live_take = take
    turn.save(update_fields=["live_take"])


def carried_narration(take: Take) -> Narration:
    """A take's narration with all that was told with it, for a turn that carries it to another line."""
    return Narration(
        text=take.narration,
        origin=Take.Origin(take.origin),
        finish=Take.Finish(take.finish),
        reasoning=take.reasoning,
        backend=take.backend,
        model=take.model,
        generation_settings=take.generation_settings,
        usage=take.usage,
        state_version_id=take.state_version_id,
        proposal_status=take.proposal_status,
        proposal_way=take.proposal_way,
        changes=tuple(take.changes),
        carried_from_id=take.pk,
    )
