"""P4: moving the head costs the same over any distance."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from campaigns.models import Campaign
from campaigns.services import head
from campaigns.services.save_points import create_save_point
from storyteller.bench.base import Row, Workshop
from storyteller.bench.comparisons import Comparison, p95_at_most, ratio_at_most
from storyteller.bench.samples import Measure, in_turns, timed
from storyteller.bench.turns import tell_turn


@dataclass(frozen=True, slots=True)
class _Story:
    """A long story, with a branch and a Save Point one turn from its tip and others far from it."""

    id: int
    branch_id: int
    tip: int
    near_branch_id: int
    far_branch_id: int
    near_save_point_id: int
    far_save_point_id: int

    def stand_at(self, depth: int) -> None:
        head.go_to(campaign_id=self.id, branch_id=self.branch_id, depth=depth)


def measure_moves(workshop: Workshop) -> Iterator[Comparison]:
    story = _prepare(workshop.straight(workshop.sizes.long))
    far = story.tip - 10
    for name, move in {"Undo": _undo, "Redo": _redo, "Restore": _restore, "switch": _switch}.items():
        figure, reference = in_turns(move(story, far), move(story, 1), repeats=workshop.sizes.repeats)
        targets = (ratio_at_most(1.25), p95_at_most(25))
        yield Comparison(f"{name} over {far:,} turns", "ms", figure, "over 1", reference, targets)


def _undo(story: _Story, steps: int) -> Measure:
    return _from(story, story.tip, lambda: head.undo(campaign_id=story.id, steps=steps))


def _redo(story: _Story, steps: int) -> Measure:
    return _from(story, story.tip - steps, lambda: head.redo(campaign_id=story.id, steps=steps))


def _restore(story: _Story, steps: int) -> Measure:
    saved = story.near_save_point_id if steps == 1 else story.far_save_point_id
    return _from(story, story.tip, lambda: head.restore_save_point(campaign_id=story.id, save_point_id=saved))


def _switch(story: _Story, steps: int) -> Measure:
    branch = story.near_branch_id if steps == 1 else story.far_branch_id
    return _from(story, story.tip, lambda: head.activate_branch(campaign_id=story.id, branch_id=branch))


def _from(story: _Story, depth: int, act: Callable[[], None]) -> Measure:
    """The act alone is timed; before it the head is brought to where it begins."""

    def measure() -> float:
        head.activate_branch(campaign_id=story.id, branch_id=story.branch_id)
        story.stand_at(depth)
        return timed(act)

    return measure


def _prepare(campaign: Campaign) -> _Story:
    campaign.refresh_from_db()
    main, tip = campaign.head.branch_id, campaign.head_depth
    near_branch, far_branch = (_fork_after(campaign, main, depth) for depth in (tip - 1, 10))
    places = []
    for name, depth in (("near", tip - 1), ("far", 10)):
        head.go_to(campaign_id=campaign.pk, branch_id=main, depth=depth)
        places.append(create_save_point(campaign_id=campaign.pk, name=name).pk)
    head.activate_branch(campaign_id=campaign.pk, branch_id=main)
    return _Story(campaign.pk, main, tip, near_branch, far_branch, *places)


def _fork_after(campaign: Campaign, main: int, depth: int) -> int:
    head.activate_branch(campaign_id=campaign.pk, branch_id=main)
    head.go_to(campaign_id=campaign.pk, branch_id=main, depth=depth)
    tell_turn(campaign.pk)
    campaign.refresh_from_db()
    return campaign.head.branch_id


ROWS = (Row("P4", "Undo, Redo, Restore and switch over any distance", measure_moves),)
