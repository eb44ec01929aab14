"""Whole stories played at random, held against a plain model after every step."""

import itertools

import pytest
from django.db import transaction
from hypothesis import HealthCheck, assume, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from campaigns import selectors
from campaigns.errors import BranchInUseError, HeadMovedError, SavePointInBranchError
from campaigns.models import Branch, SavePoint, Take, Turn, TurnRequest
from campaigns.services import deletion, head, requests, save_points, writing
from tests import factories
from tests.campaigns.reading import breaches, fresh, main_of, opening_of, row_counts
from tests.campaigns.tree_model import ModelTree, ModelTurn

STEPS = st.integers(min_value=1, max_value=4)
ANY = st.integers(min_value=0, max_value=1_000)


class Story(RuleBasedStateMachine):
    """Choices are large numbers taken modulo what there is to choose from, so that every one is possible."""

    @initialize()
    def begin(self) -> None:
        self._transaction = transaction.atomic()
        self._transaction.__enter__()
        self._numbers = itertools.count(1)
        self.campaign = factories.make_campaign(owner=factories.make_owner(), opening="Opening.")
        opening = ModelTurn(opening_of(self.campaign).pk, ["Opening."])
        self.model = ModelTree.begin(branch=main_of(self.campaign).pk, opening=opening)
        self.failed: dict[int, tuple[tuple[int, int], ModelTurn | None]] = {}
        self.rows = row_counts()

    def teardown(self) -> None:
        if hasattr(self, "_transaction"):
            transaction.set_rollback(True)
            self._transaction.__exit__(None, None, None)

    # --- Moving -----------------------------------------------------------------------------------------

    @rule(steps=STEPS)
    def undo(self, steps: int) -> None:
        head.undo(campaign_id=self.campaign.pk, steps=steps)
        self.model.undo(steps)

    @rule(steps=STEPS)
    def redo(self, steps: int) -> None:
        head.redo(campaign_id=self.campaign.pk, steps=steps)
        self.model.redo(steps)

    @rule(steps=STEPS)
    def undo_and_redo(self, steps: int) -> None:
        assume(self.model.depth >= steps)
        for move in (head.undo, head.redo):
            for _ in range(steps):
                move(campaign_id=self.campaign.pk)

    @rule(line=ANY, place=ANY)
    def go_to(self, line: int, place: int) -> None:
        branch = self._branch(line)
        depth = place % len(self.model.lines[branch])
        head.go_to(campaign_id=self.campaign.pk, branch_id=branch, depth=depth)
        self.model.go_to(branch, depth)

    @rule(line=ANY)
    def activate(self, line: int) -> None:
        branch = self._branch(line)
        head.activate_branch(campaign_id=self.campaign.pk, branch_id=branch)
        self.model.branch, self.model.depth = branch, len(self.model.lines[branch]) - 1

    @rule()
    def save(self) -> None:
        saved = save_points.create_save_point(campaign_id=self.campaign.pk, name="Here")
        place = (self.model.owner(self.model.branch, self.model.depth), self.model.depth)
        assert (saved.branch_id, saved.depth) == place
        self.model.saved[saved.pk] = place

    @precondition(lambda self: self.model.saved)
    @rule(choice=ANY)
    def restore(self, choice: int) -> None:
        saved = sorted(self.model.saved)[choice % len(self.model.saved)]
        head.restore_save_point(campaign_id=self.campaign.pk, save_point_id=saved)
        self.model.go_to(*self.model.saved[saved])

    @precondition(lambda self: self.model.saved)
    @rule(choice=ANY)
    def forget_save_point(self, choice: int) -> None:
        saved = sorted(self.model.saved)[choice % len(self.model.saved)]
        save_points.delete_save_point(campaign_id=self.campaign.pk, save_point_id=saved)
        del self.model.saved[saved]
        self.rows["SavePoint"] -= 1

    # --- Writing ----------------------------------------------------------------------------------------

    @rule()
    def play(self) -> None:
        words = self._words()
        turn = factories.play(self.campaign, narration=words)
        self.model.write(self.model.depth + 1, ModelTurn(turn.pk, [words]), on_branch=turn.branch_id)

    @precondition(lambda self: self.model.depth > 0)
    @rule(choice=ANY)
    def retry(self, choice: int) -> None:
        old, words = self._told(choice), self._words()
        self._tell(old, words, factories.retry(self.campaign, self._stored(old), words))

    @precondition(lambda self: self.model.depth > 0)
    @rule(choice=ANY)
    def reword(self, choice: int) -> None:
        old, words = self._told(choice), self._words()
        turn = factories.reword(self.campaign, self._stored(old), "I do otherwise.", words)
        self.model.write(self._depth_of(old), ModelTurn(turn.pk, [words]), on_branch=turn.branch_id)

    @rule(choice=ANY)
    def edit(self, choice: int) -> None:
        old, words = self.model.path()[choice % (self.model.depth + 1)], self._words()
        self._tell(
            old, words, writing.edit_narration(campaign_id=self.campaign.pk, turn_id=old.pk, text=words)
        )

    @rule(choice=ANY, number=ANY)
    def select(self, choice: int, number: int) -> None:
        old = self.model.path()[choice % (self.model.depth + 1)]
        ordinal = number % len(old.takes)
        take = Take.objects.get(turn=old.pk, ordinal=ordinal)
        turn = writing.select_take(campaign_id=self.campaign.pk, turn_id=old.pk, take_id=take.pk)
        if ordinal == old.live or not self.model.is_continued(old):
            assert turn.pk == old.pk
            old.live = ordinal
        else:
            new = ModelTurn(turn.pk, [old.takes[ordinal]])
            self.model.write(self._depth_of(old), new, on_branch=turn.branch_id)

    # --- Failing ----------------------------------------------------------------------------------------

    @rule(is_retry=st.booleans(), choice=ANY)
    def fail(self, is_retry: bool, choice: int) -> None:
        old = self._told(choice) if is_retry and self.model.depth else None
        words = self._words()
        request = (
            factories.open_turn(self.campaign)
            if old is None
            else factories.open_retry(self.campaign, self._stored(old))
        )
        requests.fail_request(request_id=request.pk, code="x", detail="y", partial=words)
        self.failed[request.pk] = ((self.model.branch, self.model.depth), old)

    @precondition(lambda self: self.failed)
    @rule(choice=ANY)
    def keep(self, choice: int) -> None:
        pk = sorted(self.failed)[choice % len(self.failed)]
        place, old = self.failed[pk]
        if place != (self.model.branch, self.model.depth):
            with pytest.raises(HeadMovedError):
                requests.keep_partial(campaign_id=self.campaign.pk, request_id=pk)
            return
        words = TurnRequest.objects.get(pk=pk).partial
        kept = requests.keep_partial(campaign_id=self.campaign.pk, request_id=pk)
        del self.failed[pk]
        if old is not None:
            old.takes.append(words)
        elif kept.turn is not None:
            new = ModelTurn(kept.turn.pk, [words])
            self.model.write(self.model.depth + 1, new, on_branch=kept.turn.branch_id)

    @precondition(lambda self: self.failed)
    @rule(choice=ANY)
    def discard(self, choice: int) -> None:
        pk = sorted(self.failed)[choice % len(self.failed)]
        requests.discard_request(campaign_id=self.campaign.pk, request_id=pk)
        del self.failed[pk]

    # --- Deleting ---------------------------------------------------------------------------------------

    @precondition(lambda self: len(self.model.lines) > 1)
    @rule(line=ANY)
    def delete(self, line: int) -> None:
        branch = self._branch(line)
        if not self.model.can_delete(branch):
            with pytest.raises((BranchInUseError, SavePointInBranchError)):
                deletion.delete_branch(campaign_id=self.campaign.pk, branch_id=branch)
            return
        gone = self.model.subtree(branch)
        deletion.delete_branch(campaign_id=self.campaign.pk, branch_id=branch)
        self.model.delete(branch)
        self.failed = {pk: kept for pk, kept in self.failed.items() if kept[0][0] not in gone}
        self.rows = row_counts()

    # --- What must hold ---------------------------------------------------------------------------------

    @invariant()
    def the_story_is_what_the_model_says(self) -> None:
        campaign = fresh(self.campaign)
        window = selectors.read_story(campaign, limit=1_000)
        assert [turn.pk for turn in window.turns] == [turn.pk for turn in self.model.path()]
        assert [selectors.narration_of(turn) for turn in window.turns] == self.model.shown()
        assert [turn.take_count for turn in window.turns] == [len(turn.takes) for turn in self.model.path()]
        here = window.head
        assert (here.branch_id, here.depth) == (self.model.branch, self.model.depth)
        assert here.turn_id == self.model.path()[-1].pk
        assert (here.can_undo, here.can_redo) == (self.model.depth > 0, self.model.depth < self.model.tip)

    @invariant()
    def the_branches_are_what_the_model_says(self) -> None:
        rows = selectors.list_branches(fresh(self.campaign))
        assert {row.branch.pk: row.tip_depth + 1 for row in rows} == {
            branch: len(line) for branch, line in self.model.lines.items()
        }
        assert {row.branch.pk: row.branch.parent_id for row in rows} == self.model.parents
        assert {row.branch.pk: row.branch.fork_depth for row in rows} == self.model.forks
        departed = {row.branch.pk: row.branch.departed_depth for row in rows}
        assert {
            branch: depth for branch, depth in departed.items() if depth is not None
        } == self.model.departed
        assert set(SavePoint.objects.values_list("pk", flat=True)) == set(self.model.saved)

    @invariant()
    def nothing_is_lost(self) -> None:
        """DEL-05: no table ever holds fewer rows than before, but for what was deleted by name."""
        now = row_counts()
        assert {name: count for name, count in now.items() if count < self.rows[name]} == {}
        self.rows = now

    @invariant()
    def the_tree_is_whole(self) -> None:
        assert breaches() == []

    def _branch(self, choice: int) -> int:
        return sorted(self.model.lines)[choice % len(self.model.lines)]

    def _told(self, choice: int) -> ModelTurn:
        """A turn on screen that a narrator told."""
        return self.model.path()[1 + choice % self.model.depth]

    def _depth_of(self, turn: ModelTurn) -> int:
        return self.model.path().index(turn)

    def _words(self) -> str:
        return f"Words {next(self._numbers)}."

    @staticmethod
    def _stored(turn: ModelTurn) -> Turn:
        return Turn.objects.get(pk=turn.pk)

    def _tell(self, old: ModelTurn, words: str, turn: Turn) -> None:
        """A turn was told in other words: as another take, or where something descends, on another branch."""
        if self.model.is_continued(old):
            assert turn.pk != old.pk
            self.model.write(self._depth_of(old), ModelTurn(turn.pk, [words]), on_branch=turn.branch_id)
        else:
            assert turn.pk == old.pk
            old.takes.append(words)
            old.live = len(old.takes) - 1


@pytest.mark.django_db
def test_any_story_is_what_the_rules_say() -> None:
    run_state_machine_as_test(
        Story,
        settings=settings(
            max_examples=20,
            stateful_step_count=20,
            deadline=None,
            database=None,
            derandomize=True,
            suppress_health_check=list(HealthCheck),
        ),
    )
    assert not Branch.objects.exists()
