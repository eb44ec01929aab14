"""Each invariant is broken by hand and named; a whole story has nothing to name."""

import json
from collections.abc import Callable
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from pytest_django import DjangoAssertNumQueries

from campaigns.models import Branch, Campaign, StateVersion, Take, Turn, TurnRequest
from campaigns.services import head, save_points
from campaigns.services.state_versions import record_state_version
from campaigns.verification import Breach
from tests import factories
from tests.campaigns.reading import breaches, main_of, opening_of


@pytest.fixture
def story(campaign: Campaign) -> Campaign:
    """A story with everything in it: takes, a fork, another opening's line, a Save Point, a failed turn."""
    turns = factories.play_turns(campaign, 3)
    factories.retry(campaign, turns[2])
    factories.fork_at(campaign, 1)
    save_points.create_save_point(campaign_id=campaign.pk, name="Here")
    factories.play(campaign)
    return campaign


def _sql(statement: str, *parameters: int | bytes | None) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)


def _fork_of(story: Campaign) -> Branch:
    return Branch.objects.get(campaign=story, parent=main_of(story))


def test_a_whole_story_has_nothing_to_name(story: Campaign) -> None:
    assert breaches() == []
    assert breaches(story) == []
    head.undo(campaign_id=story.pk, steps=9)
    assert breaches() == []


def _head_below_the_tip(story: Campaign) -> None:
    _sql("UPDATE campaigns_campaign SET head_depth = 99 WHERE id = %s", story.pk)


def _no_head(story: Campaign) -> None:
    _sql("UPDATE campaigns_campaign SET active_branch_id = NULL WHERE id = %s", story.pk)


def _head_in_another_story(story: Campaign) -> None:
    other = factories.make_campaign(owner=story.owner, title="Persephone")
    _sql(
        "UPDATE campaigns_campaign SET active_branch_id = %s, head_depth = 0 WHERE id = %s",
        main_of(other).pk,
        story.pk,
    )


def _state_bytes_lost(story: Campaign) -> None:
    _sql("UPDATE campaigns_stateversion SET document = x'00'")


def _state_bytes_changed(story: Campaign) -> None:
    other = record_state_version(campaign_id=story.pk, document={"version": 1, "a": 1}, parent_id=None)
    _sql("UPDATE campaigns_stateversion SET document = %s WHERE id <> %s", bytes(other.document), other.pk)


def _state_of_another_story(story: Campaign) -> None:
    other = factories.make_campaign(owner=story.owner, title="Persephone")
    _sql(
        "UPDATE campaigns_take SET state_version_id = %s WHERE turn_id = %s",
        StateVersion.objects.get(campaign=other).pk,
        opening_of(story).pk,
    )


def _turn_without_a_take(story: Campaign) -> None:
    _sql(
        "UPDATE campaigns_turn SET live_take_id = NULL WHERE branch_id = %s AND depth = 2", main_of(story).pk
    )


def _accepted_without_a_turn(story: Campaign) -> None:
    _sql(
        "UPDATE campaigns_turnrequest SET turn_id = NULL"
        " WHERE id = (SELECT MIN(id) FROM campaigns_turnrequest)"
    )


def _abandoned(story: Campaign) -> None:
    request = factories.open_turn(story)
    _sql("UPDATE campaigns_turnrequest SET holder = 'gone' WHERE id = %s", request.pk)


def _live_take_of_another_turn(story: Campaign) -> None:
    tip = Turn.objects.get(branch=main_of(story), depth=3)
    _sql("UPDATE campaigns_turn SET live_take_id = %s WHERE id = %s", opening_of(story).live_take_id, tip.pk)


def _another_take_is_continued(story: Campaign) -> None:
    first = Turn.objects.get(branch=main_of(story), depth=1)
    state = StateVersion.objects.get(campaign=story)
    late = Take.objects.create(
        turn=first, ordinal=1, narration="Late.", origin=Take.Origin.GENERATED, state_version=state
    )
    _sql("UPDATE campaigns_turn SET live_take_id = %s WHERE id = %s", late.pk, first.pk)


def _gap(story: Campaign) -> None:
    _sql("UPDATE campaigns_turn SET depth = 7 WHERE branch_id = %s AND depth = 3", main_of(story).pk)


def _turn_of_another_line_above(story: Campaign) -> None:
    stranger = Turn.objects.get(branch=main_of(story), depth=2)
    _sql(
        "UPDATE campaigns_turn SET parent_id = %s WHERE branch_id = %s AND depth = 3",
        stranger.pk,
        _fork_of(story).pk,
    )


def _fork_from_nowhere(story: Campaign) -> None:
    bare = Branch.objects.create(campaign=story, name="Bare", parent=_fork_of(story), fork_depth=40)
    assert bare.pk


def _circle(story: Campaign) -> None:
    fork = _fork_of(story)
    _sql("UPDATE campaigns_branch SET parent_id = %s WHERE id = %s", fork.pk, fork.pk)


def _fork_from_another_story(story: Campaign) -> None:
    other = factories.make_campaign(owner=story.owner, title="Persephone")
    _sql("UPDATE campaigns_branch SET parent_id = %s WHERE id = %s", main_of(other).pk, _fork_of(story).pk)


def _save_point_in_the_air(story: Campaign) -> None:
    _sql("UPDATE campaigns_savepoint SET depth = 30")


def _save_point_on_a_descendant(story: Campaign) -> None:
    """The place exists, under the branch that owns its turn alone."""
    _sql("UPDATE campaigns_savepoint SET depth = 1")


@pytest.mark.parametrize(
    ("damage", "invariant", "said"),
    [
        (_head_below_the_tip, "I1", "turn 99"),
        (_no_head, "I1", "(none)"),
        (_head_in_another_story, "I1", "which is campaign"),
        (_state_bytes_lost, "I2", "cannot be unpacked"),
        (_state_bytes_changed, "I2", "does not match its hash"),
        (_state_of_another_story, "I2", "no state version of its campaign"),
        (_turn_without_a_take, "I3", "no live take"),
        (_accepted_without_a_turn, "I3", "is accepted"),
        (_abandoned, "I3", "marks it as interrupted"),
        (_live_take_of_another_turn, "I4", "which belongs to turn"),
        (_another_take_is_continued, "I4", "continues another take"),
        (_gap, "I5", "leave no gap"),
        (_turn_of_another_line_above, "I5", "not the one before it"),
        (_fork_from_nowhere, "I5", "which has no turn there"),
        (_circle, "I5", "does not descend"),
        (_fork_from_another_story, "I5", "forks from a branch of campaign"),
        (_save_point_in_the_air, "Save Points", "names turn 30"),
        (_save_point_on_a_descendant, "Save Points", "owns no such turn"),
    ],
)
def test_damage_is_named(
    story: Campaign, damage: Callable[[Campaign], None], invariant: str, said: str
) -> None:
    assert breaches() == []
    damage(story)
    found = breaches()
    assert any(
        breach.invariant == invariant and said in breach.detail and breach.campaign_id == story.pk
        for breach in found
    ), found


def test_a_corrupt_state_is_named_and_the_check_goes_on(story: Campaign) -> None:
    """I2, 08."""
    first, second, third = (
        record_state_version(campaign_id=story.pk, document={"version": 1, "n": n}, parent_id=None)
        for n in range(3)
    )
    _sql("UPDATE campaigns_stateversion SET document = x'00' WHERE id IN (%s, %s)", first.pk, third.pk)
    named = [breach.detail for breach in breaches(story)]
    assert [f"State version {version.pk} " in " ".join(named) for version in (first, second, third)] == [
        True,
        False,
        True,
    ]
    factories.play(story)


def test_one_campaign_is_checked_alone(story: Campaign) -> None:
    other = factories.make_campaign(owner=story.owner, title="Persephone")
    _head_below_the_tip(story)
    assert breaches(other) == []
    assert [breach.campaign_id for breach in breaches(story)] == [story.pk]


@pytest.mark.django_db(transaction=True)
def test_a_reference_to_nothing_is_named() -> None:
    campaign = factories.make_campaign(owner=factories.make_owner())
    turn = factories.play(campaign)
    with connection.constraint_checks_disabled():
        _sql("DELETE FROM campaigns_take WHERE turn_id = %s", turn.pk)
    assert any(
        breach == Breach("database", None, breach.detail) and "campaigns_turn " in breach.detail
        for breach in breaches()
    )
    with connection.constraint_checks_disabled():
        TurnRequest.objects.all().delete()
        _sql("DELETE FROM campaigns_turn WHERE id = %s", turn.pk)


def test_a_check_is_a_number_of_statements_that_does_not_grow(
    story: Campaign, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_num_queries(11):
        assert breaches() == []
    factories.play_turns(story, 5)
    with django_assert_num_queries(11):
        assert breaches() == []


def test_the_command_says_what_it_checked(story: Campaign) -> None:
    said = StringIO()
    call_command("verify", stdout=said)
    for invariant in ("I1", "I2", "I3", "I4", "I5", "Save Points", "database"):
        assert f"ok      {invariant}: " in said.getvalue()
    assert "Campaigns checked: 1. Breaches: 0." in said.getvalue()


def test_the_command_fails_on_a_breach(story: Campaign) -> None:
    _head_below_the_tip(story)
    said = StringIO()
    with pytest.raises(CommandError) as failed:
        call_command("verify", str(story.pk), stdout=said)
    assert failed.value.returncode == 1
    assert f"campaign {story.pk}: The head stands at turn 99" in said.getvalue()


def test_the_command_answers_a_program(story: Campaign) -> None:
    said = StringIO()
    call_command("verify", "--json", stdout=said)
    report = json.loads(said.getvalue())
    assert (report["campaigns"], report["breaches"], report["repaired"]) == (1, [], [])
    assert {check["invariant"] for check in report["checked"]} >= {"I1", "I5", "Save Points"}
    _head_below_the_tip(story)
    said = StringIO()
    with pytest.raises(CommandError):
        call_command("verify", "--json", stdout=said)
    (breach,) = json.loads(said.getvalue())["breaches"]
    assert (breach["invariant"], breach["campaign"]) == ("I1", story.pk)


@pytest.mark.django_db(transaction=True)
def test_repairing_says_that_there_is_nothing_to_repair(campaign: Campaign) -> None:
    said = StringIO()
    call_command("verify", "--repair-derived", stdout=said)
    assert "none was due" in said.getvalue()


def test_a_missing_campaign_cannot_be_checked(story: Campaign) -> None:
    with pytest.raises(CommandError, match="no campaign") as failed:
        call_command("verify", str(story.pk + 1))
    assert failed.value.returncode == 2
