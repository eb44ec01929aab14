"""Stories too long to play, stored in bulk: what the services would have made of so many turns."""

import itertools
from collections.abc import Callable, Iterable

from django.contrib.auth.models import User
from django.db.models import OuterRef, Subquery

from campaigns.models import Branch, Campaign, SavePoint, Take, Turn
from campaigns.services import head
from campaigns.services.campaigns import NewCampaign, create_campaign

_BATCH = 1_000

Narrate = Callable[[int], str]


def tell_briefly(depth: int) -> str:
    return f"It is turn {depth}, and the rain goes on."


def make_straight_story(*, owner: User, turns: int, narrate: Narrate = tell_briefly) -> Campaign:
    """One branch with so many turns after the opening, and the head at its tip."""
    campaign = _begin(owner, title=f"{turns} turns")
    opening = _opening_of(campaign)
    _store_line(opening, [opening.branch] * turns, narrate)
    return _read_at_tip(campaign, opening.branch)


def make_nested_story(
    *, owner: User, forks: int, is_read_at_end: bool = False, narrate: Narrate = tell_briefly
) -> Campaign:
    """Each branch forks from the first turn of the one before it and owns two turns, so that the line to the
    last tip runs through every branch. It is read at the first branch's tip, or at the end of it all."""
    campaign = _begin(owner, title=f"{forks} forks")
    opening = _opening_of(campaign)
    main = opening.branch
    branches = [main, *_store_chain(campaign, main, forks)]
    firsts = _store_line(opening, branches, narrate)
    seconds = [
        Turn(branch=turn.branch, depth=turn.depth + 1, parent=turn, mode=Turn.Mode.ACTION, input="I wait.")
        for turn in firsts
    ]
    Turn.objects.bulk_create(seconds, batch_size=_BATCH)
    _store_takes(seconds, narrate, state_version_id=_state_of(opening))
    return _read_at_tip(campaign, branches[-1] if is_read_at_end else main)


def name_places(campaign: Campaign, *, count: int) -> None:
    """So many Save Points, spread over the branches of a story."""
    turns = Turn.objects.filter(branch__campaign=campaign).order_by("pk")
    SavePoint.objects.bulk_create(
        SavePoint(campaign=campaign, branch_id=turn.branch_id, depth=turn.depth, name=f"Place {number}")
        for number, turn in zip(range(count), itertools.cycle(turns[:count]), strict=False)
    )


def _begin(owner: User, *, title: str) -> Campaign:
    new = NewCampaign(title=title, opening="Rain drives you off the road.")
    return create_campaign(owner_id=owner.pk, new=new)


def _opening_of(campaign: Campaign) -> Turn:
    return Turn.objects.select_related("branch", "live_take").get(branch__campaign=campaign)


def _store_chain(campaign: Campaign, first: Branch, count: int) -> list[Branch]:
    """Branches of which each forks from the one before it, one turn further down."""
    lowest = Branch.objects.order_by("-pk").values_list("pk", flat=True)[0] + 1
    parents = itertools.chain([first.pk], itertools.count(lowest))
    return Branch.objects.bulk_create(
        [
            Branch(
                pk=lowest + number,
                campaign=campaign,
                name=f"Fork {number}",
                parent_id=parent,
                fork_depth=number + 1,
            )
            for number, parent in zip(range(count), parents, strict=False)
        ],
        batch_size=_BATCH,
    )


def _store_line(opening: Turn, branches: Iterable[Branch], narrate: Narrate) -> list[Turn]:
    """One turn after another, each on the branch that is given for it."""
    lowest = Turn.objects.order_by("-pk").values_list("pk", flat=True)[0] + 1
    parents = itertools.chain([opening.pk], itertools.count(lowest))
    turns = [
        Turn(
            pk=lowest + number,
            branch=branch,
            depth=number + 1,
            parent_id=parent,
            mode=Turn.Mode.ACTION,
            input=f"I take step {number + 1}.",
        )
        for number, (branch, parent) in enumerate(zip(branches, parents, strict=False))
    ]
    Turn.objects.bulk_create(turns, batch_size=_BATCH)
    _store_takes(turns, narrate, state_version_id=_state_of(opening))
    return turns


def _store_takes(turns: list[Turn], narrate: Narrate, *, state_version_id: int) -> None:
    Take.objects.bulk_create(
        [
            Take(
                turn=turn,
                ordinal=0,
                narration=narrate(turn.depth),
                origin=Take.Origin.GENERATED,
                state_version_id=state_version_id,
            )
            for turn in turns
        ],
        batch_size=_BATCH,
    )
    only_take = Take.objects.filter(turn=OuterRef("pk")).values("pk")[:1]
    Turn.objects.filter(pk__range=(turns[0].pk, turns[-1].pk)).update(live_take=Subquery(only_take))


def _state_of(turn: Turn) -> int:
    return Take.objects.values_list("state_version_id", flat=True).get(turn=turn)


def _read_at_tip(campaign: Campaign, branch: Branch) -> Campaign:
    head.activate_branch(campaign_id=campaign.pk, branch_id=branch.pk)
    campaign.refresh_from_db()
    return campaign
