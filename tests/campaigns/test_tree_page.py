"""The branch map on its own page and in its panel, by links and forms alone."""

import re

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from campaigns.models import Branch, Campaign, SavePoint, Turn
from campaigns.services import branches, head
from campaigns.services.save_points import create_save_point
from tests import factories
from tests.big_stories import make_nested_story
from tests.campaigns.reading import main_of, on_screen, position_of
from tests.campaigns.test_page_rules import INLINE
from tests.campaigns.test_pages import HOSTILE, post, text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def page(client: Client, owner: User) -> Client:
    client.force_login(owner)
    return client


@pytest.fixture
def fork(campaign: Campaign) -> Branch:
    """A branch that leaves the first one at turn 2, and is being read at turn 4."""
    factories.play_turns(campaign, 4)
    made = factories.fork_at(campaign, 2, "Down the well.")
    factories.play(campaign)
    return made


def _place(branch: Branch, depth: int) -> str:
    return f"?at={branch.pk}.{depth}"


def _nodes(text: str) -> dict[str, str]:
    """The words of every place on the map, by its key."""
    return dict(re.findall(r'<a href="[^"]*" data-at="([\d.]+)"[^>]* aria-label="([^"]*)"', text))


def test_every_place_on_the_map_is_a_link_with_words(page: Client, campaign: Campaign, fork: Branch) -> None:
    create_save_point(campaign_id=campaign.pk, name="Below")
    main = main_of(campaign)
    assert _nodes(text_of(page, "tree", campaign.pk)) == {
        f"{main.pk}.0": "Turn 0 of Main: opening",
        f"{main.pk}.2": "Turn 2 of Main: fork, left here",
        f"{main.pk}.4": "Turn 4 of Main: end of the branch",
        f"{fork.pk}.4": "Turn 4 of Down the well.: end of the branch, being read, Save Point “Below”",
    }


def test_the_path_being_read_is_told_by_its_line(page: Client, campaign: Campaign, fork: Branch) -> None:
    head.undo(campaign_id=campaign.pk)
    text = text_of(page, "tree", campaign.pk)
    looks = set(re.findall(r'class="stroke (\w+)" d="M\d+ \d+', text))
    assert {"read", "ahead", "left"} <= looks


def test_a_place_offers_what_can_be_done_there(page: Client, campaign: Campaign, fork: Branch) -> None:
    main = main_of(campaign)
    text = text_of(page, "tree", campaign.pk, query=_place(main, 2))
    offer = text.split('class="offer"')[1].split("</section>")[0]
    for words in ("Go here", "Name this place", "Open this branch", "Rename", "Down the well."):
        assert words in offer
    assert "Delete…" not in offer  # it is the first branch
    assert 'aria-current="true" aria-label="Turn 2 of Main' in text
    shared = text_of(page, "tree", campaign.pk, query=_place(fork, 1))
    assert f'data-at="{main.pk}.1"' in shared  # the same place, on the branch that owns it
    assert "Turn 1 of Main" in shared


@pytest.mark.parametrize("place", ["?at=", "?at=x.y", "?at=1", "?at=999999.0", "?at=1.99999", "?at=-1.0"])
def test_no_such_place_is_no_offer(page: Client, campaign: Campaign, fork: Branch, place: str) -> None:
    assert "Choose a place on the map" in text_of(page, "tree", campaign.pk, query=place)


def test_a_place_of_another_story_is_no_offer(page: Client, owner: User, campaign: Campaign) -> None:
    other = factories.make_campaign(owner=owner, title="Salt Road", opening="Salt everywhere.")
    text = text_of(page, "tree", campaign.pk, query=_place(main_of(other), 0))
    assert "Salt" not in text


def test_go_here(page: Client, campaign: Campaign, fork: Branch) -> None:
    main = main_of(campaign)
    post(page, "go-to", campaign.pk, main.pk, 3)
    assert position_of(campaign) == (main.pk, 3)


def test_naming_a_place_goes_there_first(page: Client, campaign: Campaign, fork: Branch) -> None:
    main = main_of(campaign)
    text = post(page, "name-place", campaign.pk, main.pk, 3, name="The stair", note="", back="tree")
    saved = SavePoint.objects.get()
    assert (saved.name, saved.branch, saved.depth) == ("The stair", main, 3)
    assert position_of(campaign) == (main.pk, 3)
    assert "Save Point “The stair”" in text
    assert "Branches of" in text


def test_a_name_that_is_refused_comes_back_and_nothing_moved(
    page: Client, campaign: Campaign, fork: Branch
) -> None:
    here = position_of(campaign)
    address = reverse("name-place", args=[campaign.pk, main_of(campaign).pk, 3])
    response = page.post(address, {"name": " ", "note": "By candle.", "back": "tree"})
    assert response.status_code == 422
    text = response.content.decode()
    assert "By candle." in text
    assert "The name is empty" in text
    assert (position_of(campaign), SavePoint.objects.count()) == (here, 0)
    assert page.post(reverse("name-place", args=[campaign.pk, 99_999, 3]), {"name": "x"}).status_code == 404


def test_a_branch_is_renamed_kept_and_deleted_from_the_map(
    page: Client, campaign: Campaign, fork: Branch
) -> None:
    there = _place(fork, 4)[4:]
    assert 'value="Down the well."' in text_of(page, "tree", campaign.pk, query=_place(fork, 4) + "&rename")
    renamed = post(page, "rename-branch", campaign.pk, fork.pk, name="The well", back="tree", at=there)
    assert "Turn 4 of The well" in " ".join(renamed.replace('<span class="soft">', "").split())
    post(page, "keep-branch", campaign.pk, fork.pk, kept="1", back="tree", at=there)
    assert Branch.objects.get(pk=fork.pk).is_kept
    post(page, "keep-branch", campaign.pk, fork.pk, kept="0", back="tree", at=there)
    assert not Branch.objects.get(pk=fork.pk).is_kept
    head.activate_branch(campaign_id=campaign.pk, branch_id=main_of(campaign).pk)
    asked = text_of(page, "tree", campaign.pk, query=_place(fork, 4) + "&delete")
    assert "This deletes 2 turns on 1 branch for good" in asked
    assert "The branch has been deleted." in post(page, "delete-branch", campaign.pk, fork.pk, back="tree")


def test_a_delete_says_which_save_points_hold_it_back(page: Client, campaign: Campaign, fork: Branch) -> None:
    """UI-05."""
    create_save_point(campaign_id=campaign.pk, name="Below")
    head.activate_branch(campaign_id=campaign.pk, branch_id=main_of(campaign).pk)
    asked = text_of(page, "tree", campaign.pk, query=_place(fork, 4) + "&delete")
    assert "1 Save Point names a place there" in asked
    refused = post(page, "delete-branch", campaign.pk, fork.pk, back="tree", at=f"{fork.pk}.4")
    assert "“Below”" in refused
    assert "Branches of" in refused


def test_the_offer_alone_is_a_fragment(page: Client, campaign: Campaign, fork: Branch) -> None:
    text = text_of(page, "tree", campaign.pk, query=_place(fork, 3) + "&part=offer")
    assert text.strip().startswith("<section")
    assert '<svg class="lines"' not in text


def test_tidying_is_shown_first_and_asked_for(page: Client, campaign: Campaign, fork: Branch) -> None:
    assert "Tidy departed lines…" in text_of(page, "tree", campaign.pk)
    text = " ".join(text_of(page, "tree", campaign.pk, query="?tidy=1").split())
    assert "This deletes 2 turns with 2 takes for good." in text
    assert "“Main”: 2 turns from turn 3 on" in text
    assert Turn.objects.count() == 7
    shown = on_screen(campaign)
    assert "2 turns have been deleted" in post(page, "prune", campaign.pk)
    assert Turn.objects.count() == 5
    assert on_screen(campaign) == shown


def test_tidying_says_what_it_passes_over(page: Client, campaign: Campaign, fork: Branch) -> None:
    branches.update_branch(campaign_id=campaign.pk, branch_id=main_of(campaign).pk, is_kept=True)
    text = text_of(page, "tree", campaign.pk, query="?tidy=1")
    assert "Nothing can go" in text
    assert "“Main” is kept." in text
    assert "Delete for good" not in text


def test_nothing_departed_is_nothing_to_tidy(page: Client, campaign: Campaign) -> None:
    assert "Tidy departed" not in text_of(page, "tree", campaign.pk)


def test_the_outline_says_the_tree_in_words(page: Client, campaign: Campaign, fork: Branch) -> None:
    create_save_point(campaign_id=campaign.pk, name="Below")
    outline = text_of(page, "tree", campaign.pk).split('class="outline"')[1]
    said = " ".join(re.sub(r"<[^>]+>", " ", outline).split())
    assert "Main ends at turn 4 left after turn 2" in said
    assert "Down the well. being read ends at turn 4 forked from “Main” after turn 2" in said
    assert "Save Point “Below” at turn 4" in said


def test_deep_forks_are_not_nested_markup(page: Client, owner: User) -> None:
    story = make_nested_story(owner=owner, forks=300)
    outline = text_of(page, "tree", story.pk).split('class="outline"')[1].split("</section>")[0]
    depth = deepest = 0
    for tag in re.findall(r"</?ul|</?details", outline):
        depth += -1 if "/" in tag else 1
        deepest = max(deepest, depth)
    assert deepest == 2
    assert outline.count("<li") == 301
    assert "295 branches that fork further down" in outline


def test_the_page_makes_as_many_queries_for_many_branches(page: Client, owner: User) -> None:
    counts = []
    for forks in (5, 500):
        story = make_nested_story(owner=owner, forks=forks, is_read_at_end=True)
        create_save_point(campaign_id=story.pk, name="Here")
        fork = Branch.objects.filter(campaign=story).order_by("pk")[3]
        for address in (
            reverse("tree", args=[story.pk]) + "?tidy=1",
            reverse("tree", args=[story.pk]) + _place(fork, fork.first_depth),
            reverse("play", args=[story.pk]) + "?panel=branches",
            reverse("play", args=[story.pk]) + f"?panel=branches&at={fork.pk}.{fork.first_depth}",
        ):
            with CaptureQueriesContext(connection) as queries:
                assert page.get(address).status_code == 200
            counts.append(len(queries))
    assert counts[:4] == counts[4:]
    assert max(counts) < 35


# --- the panel ---------------------------------------------------------------------------------------------


def test_the_panel_stays_light_and_leads_to_all_branches(page: Client, owner: User) -> None:
    story = make_nested_story(owner=owner, forks=300)
    panel = text_of(page, "play", story.pk, query="?panel=branches").split('data-region="panel"')[1]
    assert panel.count("<li") == 40
    assert "All 301 branches" in panel
    assert "Some branches are left out." in panel
    assert len(_nodes(panel)) < 200
    old = Branch.objects.filter(campaign=story).order_by("pk")[100]
    asked = text_of(page, "play", story.pk, query=f"?panel=branches&rename={old.pk}")
    assert f'value="{old.name}"' in asked


def test_a_place_is_offered_in_the_panel(page: Client, campaign: Campaign, fork: Branch) -> None:
    main = main_of(campaign)
    text = text_of(page, "play", campaign.pk, query=f"?panel=branches&at={main.pk}.3")
    offer = text.split('class="offer"')[1].split("</section>")[0]
    assert reverse("go-to", args=[campaign.pk, main.pk, 3]) in offer
    assert reverse("name-place", args=[campaign.pk, main.pk, 3]) in offer
    named = post(page, "name-place", campaign.pk, main.pk, 3, name="The stair", panel="branches")
    assert "turn 3" in named
    assert SavePoint.objects.get().depth == 3


def test_hostile_names_stay_words(page: Client, campaign: Campaign, fork: Branch) -> None:
    branches.update_branch(campaign_id=campaign.pk, branch_id=fork.pk, name=HOSTILE)
    create_save_point(campaign_id=campaign.pk, name=HOSTILE, note=HOSTILE)
    for query in ("", _place(fork, 4), "?tidy=1", f"?at={HOSTILE}"):
        text = text_of(page, "tree", campaign.pk, query=query)
        assert "<img" not in text
        assert not INLINE.search(text.replace("onerror=alert", ""))


def test_another_owners_tree_is_not_found(
    client: Client, campaign: Campaign, fork: Branch, django_user_model: type[User]
) -> None:
    client.force_login(django_user_model.objects.create_user("stranger"))
    assert client.get(reverse("tree", args=[campaign.pk])).status_code == 404
    for name, ids in {
        "name-place": (campaign.pk, fork.pk, 3),
        "keep-branch": (campaign.pk, fork.pk),
        "prune": (campaign.pk,),
    }.items():
        assert client.post(reverse(name, args=ids), {"name": "x"}).status_code == 404
    assert Turn.objects.count() == 7
