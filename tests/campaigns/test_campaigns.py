"""Creating, changing and listing campaigns, and the audit of what a story is told under."""

import pytest
from pytest_django import DjangoAssertNumQueries, Settings

from campaigns import positions, selectors
from campaigns.changes import StoryChange
from campaigns.errors import InvalidError, NotFoundError
from campaigns.models import Campaign, CampaignRevision
from campaigns.services import branches, campaigns, head
from campaigns.services.campaigns import CampaignChanges, NewCampaign
from tests import factories
from tests.campaigns.reading import fresh, main_of

heard: list[StoryChange] = []


def listen(change: StoryChange) -> None:
    heard.append(change)


def _change(campaign: Campaign, changes: CampaignChanges) -> Campaign:
    return campaigns.update_campaign(campaign_id=campaign.pk, changes=changes)


def test_a_campaign_keeps_what_it_was_made_from(campaign: Campaign) -> None:
    made = campaigns.create_campaign(
        owner_id=campaign.owner_id,
        new=NewCampaign(
            title=" Persephone\n",
            opening="Ceres turns below.",
            profile={"genre": "Science fiction"},
            protagonist_name="Ines",
            narrator_rules=("Short sentences.", "  "),
            canon={"rules": ["No travel faster than light."], "house": {"made": ["up"]}},
            settings={"temperature": 0.5},
            initial_events=({"type": "create_entity", "entity": "mara", "name": "Mara"},),
        ),
    )
    stored = fresh(made)
    assert (stored.title, stored.genre, stored.protagonist_name) == ("Persephone", "Science fiction", "Ines")
    assert stored.narrator_rules == ["Short sentences."]
    assert stored.canon == {"rules": ["No travel faster than light."], "house": {"made": ["up"]}}
    assert stored.settings == {"temperature": 0.5}
    assert stored.initial_events == [{"type": "create_entity", "entity": "mara", "name": "Mara"}]


@pytest.mark.parametrize(
    ("new", "field"),
    [
        (NewCampaign(title=" ", opening="o"), "title"),
        (NewCampaign(title="x" * 201, opening="o"), "title"),
        (NewCampaign(title="t", opening=" "), "opening"),
        (NewCampaign(title="t", opening="x" * 20_001), "opening"),
        (NewCampaign(title="t", opening="o", profile={"colour": "red"}), "profile"),
        (NewCampaign(title="t", opening="o", canon={"rules": "none"}), "canon.rules"),
        (NewCampaign(title="t", opening="o", narrator_rules=("r",) * 101), "narrator_rules"),
    ],
)
def test_what_cannot_be_a_campaign_is_refused(campaign: Campaign, new: NewCampaign, field: str) -> None:
    with pytest.raises(InvalidError) as refused:
        campaigns.create_campaign(owner_id=campaign.owner_id, new=new)
    assert refused.value.field == field
    assert Campaign.objects.count() == 1


def test_a_change_leaves_a_revision_with_its_place(campaign: Campaign) -> None:
    factories.play(campaign)
    _change(campaign, CampaignChanges(profile={"tone": "Wry"}, title="The Lantern"))
    revision = CampaignRevision.objects.get()
    assert (revision.field, revision.before, revision.after) == ("tone", "", "Wry")
    assert (revision.branch, revision.depth) == (main_of(campaign), 1)
    assert fresh(campaign).title == "The Lantern"


def test_what_stays_the_same_leaves_no_revision(campaign: Campaign) -> None:
    _change(campaign, CampaignChanges(authors_note="Slow."))
    _change(campaign, CampaignChanges(authors_note="Slow."))
    assert CampaignRevision.objects.count() == 1


def test_canon_and_profile_merge_their_keys(campaign: Campaign) -> None:
    _change(campaign, CampaignChanges(canon={"rules": ["The dead stay dead."]}, profile={"genre": "Mystery"}))
    _change(campaign, CampaignChanges(canon={"single_valued": ["owner"]}, profile={"tone": "Wry"}))
    stored = fresh(campaign)
    assert stored.canon == {"rules": ["The dead stay dead."], "single_valued": ["owner"]}
    assert (stored.genre, stored.tone) == ("Mystery", "Wry")


def test_a_setting_is_taken_back_with_none(campaign: Campaign) -> None:
    _change(campaign, CampaignChanges(settings={"seed": 1, "top_p": 0.9}))
    _change(campaign, CampaignChanges(settings={"seed": None}))
    assert fresh(campaign).settings == {"top_p": 0.9}


def test_archiving_hides_and_can_be_taken_back(campaign: Campaign) -> None:
    owner_id = campaign.owner_id
    campaigns.archive_campaign(campaign_id=campaign.pk)
    assert selectors.list_campaigns(owner_id=owner_id, status="active") == []
    assert len(selectors.list_campaigns(owner_id=owner_id)) == 1
    campaigns.unarchive_campaign(campaign_id=campaign.pk)
    assert len(selectors.list_campaigns(owner_id=owner_id, status="active")) == 1


def test_a_list_shows_the_opening_and_the_last_words_of_the_line_read(
    campaign: Campaign, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    first = factories.play(campaign, narration="One.")
    factories.play(campaign, narration="Two.")
    head.undo(campaign_id=campaign.pk)
    with django_assert_num_queries(3):
        (row,) = selectors.list_campaigns(owner_id=campaign.owner_id)
    assert row.head_turn_id == first.pk
    assert (row.opening, row.last_words, row.turn_count) == ("Rain drives you off the road.", "One.", 2)


def test_a_list_goes_on_behind_an_id(campaign: Campaign) -> None:
    second = factories.make_campaign(owner=campaign.owner, title="Persephone")
    third = factories.make_campaign(owner=campaign.owner, title="Old Abbey")
    first = selectors.list_campaigns(owner_id=campaign.owner_id, limit=1)
    rest = selectors.list_campaigns(owner_id=campaign.owner_id, after=campaign.pk)
    assert [row.campaign for row in [*first, *rest]] == [campaign, second, third]


def test_somebody_elses_campaign_is_not_found(campaign: Campaign) -> None:
    """I7."""
    stranger = factories.make_owner("stranger")
    assert selectors.get_campaign(owner_id=campaign.owner_id, campaign_id=campaign.pk) == campaign
    for owner_id in (stranger.pk, None):
        with pytest.raises(NotFoundError):
            selectors.get_campaign(owner_id=owner_id, campaign_id=campaign.pk)
        assert selectors.list_campaigns(owner_id=owner_id) == []


def test_a_turn_is_found_in_its_campaign_alone(campaign: Campaign) -> None:
    turn = factories.play(campaign)
    other = factories.make_campaign(owner=campaign.owner, title="Persephone")
    assert selectors.get_turn(campaign_id=campaign.pk, turn_id=turn.pk) == turn
    with pytest.raises(NotFoundError):
        selectors.get_turn(campaign_id=other.pk, turn_id=turn.pk)


def test_the_story_is_read_in_windows(campaign: Campaign) -> None:
    factories.play_turns(campaign, 7)
    newest = selectors.read_story(campaign, limit=3)
    assert ([t.depth for t in newest.turns], newest.has_more) == ([5, 6, 7], True)
    older = selectors.read_story(campaign, before=5, limit=3)
    assert ([t.depth for t in older.turns], older.has_more) == ([2, 3, 4], True)
    oldest = selectors.read_story(campaign, before=2, limit=3)
    assert ([t.depth for t in oldest.turns], oldest.has_more) == ([0, 1], False)
    nothing = selectors.read_story(campaign, before=0, limit=3)
    assert (nothing.turns, nothing.has_more) == ([], False)
    assert newest.head == older.head == oldest.head == nothing.head


def test_the_window_ends_at_the_head(campaign: Campaign) -> None:
    """TREE-19."""
    turns = factories.play_turns(campaign, 4)
    head.undo(campaign_id=campaign.pk, steps=2)
    current = fresh(campaign)
    assert [t.depth for t in selectors.read_story(current).turns] == [0, 1, 2]
    assert [t.depth for t in selectors.read_story(current, before=9).turns] == [0, 1, 2]
    assert positions.is_on_path(current, turns[1])
    assert not positions.is_on_path(current, turns[2])


def test_a_turn_tells_how_many_takes_it_has(campaign: Campaign) -> None:
    """TAKE-02."""
    turn = factories.play(campaign)
    factories.retry(campaign, turn)
    assert [t.take_count for t in selectors.read_story(campaign).turns] == [1, 2]


def test_branches_are_listed_with_what_the_map_draws(campaign: Campaign) -> None:
    """TREE-15."""
    factories.play_turns(campaign, 3)
    cellar = factories.fork_at(campaign, 1)
    rows = {row.branch: row for row in selectors.list_branches(fresh(campaign))}
    main = rows[main_of(campaign)]
    assert (main.tip_depth, main.is_active, main.is_on_path) == (3, False, True)
    assert (rows[cellar].tip_depth, rows[cellar].is_active, rows[cellar].is_on_path) == (2, True, True)


def test_a_branch_is_renamed_while_a_turn_is_told(campaign: Campaign) -> None:
    """TREE-15: renaming is free."""
    factories.open_turn(campaign)
    before = fresh(campaign).change_count
    branch = branches.update_branch(
        campaign_id=campaign.pk, branch_id=main_of(campaign).pk, name=" The\nRoad "
    )
    assert (branch.name, branch.is_archived, branch.is_kept) == ("The Road", False, False)
    branches.update_branch(campaign_id=campaign.pk, branch_id=branch.pk, is_archived=True, is_kept=True)
    stored = main_of(campaign)
    assert (stored.name, stored.is_archived, stored.is_kept) == ("The Road", True, True)
    assert fresh(campaign).change_count == before + 2


def test_another_campaigns_branch_is_not_renamed(campaign: Campaign) -> None:
    other = factories.make_campaign(owner=campaign.owner, title="Persephone")
    with pytest.raises(NotFoundError):
        branches.update_branch(campaign_id=campaign.pk, branch_id=main_of(other).pk, name="Mine")
    assert main_of(other).name == "Main"


@pytest.mark.django_db(transaction=True)
def test_listeners_hear_of_changes_after_the_commit(settings: Settings) -> None:
    settings.STORY_CHANGE_LISTENER = "tests.campaigns.test_campaigns.listen"
    heard.clear()
    campaign = factories.make_campaign(owner=factories.make_owner())
    factories.play(campaign)
    head.undo(campaign_id=campaign.pk)
    head.undo(campaign_id=campaign.pk)
    assert [(change.reason, change.is_head_moved) for change in heard] == [
        ("submit", False),
        ("new", True),
        ("undo", True),
    ]
    assert heard[-1].change_count == fresh(campaign).change_count
