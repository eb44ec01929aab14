"""What the narrator is told of a story: changed in place, and what it was before."""

import re

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from campaigns.forms.story_sections import SECTIONS
from campaigns.models import Campaign, CampaignRevision
from campaigns.services.campaigns import CampaignChanges, update_campaign
from campaigns.services.deletion import delete_branch
from campaigns.services.head import activate_branch
from campaigns.views.story_panel import VERSIONS_SHOWN
from campaigns.word_diff import Piece, compare_words
from tests import factories
from tests.campaigns.test_notices import undo

PROFILE = {"genre": "", "subgenre": "", "tone": "", "style": "", "point_of_view": "", "tense": ""}


@pytest.fixture
def page(client: Client, owner: User) -> Client:
    client.force_login(owner)
    return client


def panel(page: Client, campaign: Campaign, query: str = "") -> str:
    address = f"{reverse('play', args=[campaign.pk])}?panel=story{query}"
    return page.get(address).content.decode().split('class="panel"')[1]


def save(page: Client, campaign: Campaign, section: str, **data: str) -> str:
    response = page.post(reverse("edit-story", args=[campaign.pk, section]), data, follow=True)
    assert response.status_code == 200
    return response.content.decode()


def change(campaign: Campaign, **changes: object) -> None:
    update_campaign(campaign_id=campaign.pk, changes=CampaignChanges(**changes))  # type: ignore[arg-type]
    campaign.refresh_from_db()


def base(page: Client, campaign: Campaign, section: str) -> str:
    text = page.get(reverse("edit-story", args=[campaign.pk, section])).content.decode()
    found = re.search(r'name="base" value="(\w+)"', text)
    assert found
    return found[1]


# --- changing ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("section", "data", "stored"),
    [
        ("title", {"title": "The  Salt Road"}, {"title": "The Salt Road"}),
        (
            "protagonist",
            {"protagonist_name": "Wren", "protagonist_description": "A ferrier.\r\nTired."},
            {"protagonist_name": "Wren", "protagonist_description": "A ferrier.\nTired."},
        ),
        ("profile", PROFILE | {"tone": "Wry"}, {"tone": "Wry", "genre": ""}),
        (
            "rules",
            {"narrator_rules": "Be brief.\r\n\r\nBe kind."},
            {"narrator_rules": ["Be brief.", "Be kind."]},
        ),
        ("note", {"authors_note": "It is winter."}, {"authors_note": "It is winter."}),
    ],
)
def test_each_section_is_saved_by_itself(
    page: Client, campaign: Campaign, section: str, data: dict[str, str], stored: dict[str, object]
) -> None:
    before = {name: getattr(campaign, name) for name in stored}
    text = save(page, campaign, section, panel="story", **data)
    campaign.refresh_from_db()
    assert {name: getattr(campaign, name) for name in stored} == stored
    assert 'data-panel="story"' in text
    undo(page, text)
    campaign.refresh_from_db()
    assert {name: getattr(campaign, name) for name in before} == before


def test_the_panel_holds_every_word_and_says_from_when_it_holds(page: Client, campaign: Campaign) -> None:
    change(
        campaign,
        profile={"tone": "Wry"},
        protagonist_name="Wren",
        narrator_rules=("Be brief.", "Be kind."),
        canon={"rules": ["Nobody flies."], "forbidden_status_changes": [{"from": "dead", "to": "alive"}]},
        authors_note="It is winter.",
    )
    text = panel(page, campaign)
    held = ("Wry", "Wren", "Be brief.\n\nBe kind.", "Nobody flies.", "dead -&gt; alive", "It is winter.")
    for words in held:
        assert words in text
    assert "from the next turn on" in text
    assert text.count("data-told=") == len(SECTIONS)
    assert 'list="suggest-tone"' in text
    assert '<datalist id="suggest-tone">' in text


def test_the_rest_of_the_canon_stays(page: Client, campaign: Campaign) -> None:
    change(campaign, canon={"rules": ["Old."], "house_style": {"a": 1}, "single_valued": ["age"]})
    save(page, campaign, "canon", canon_rules="New.", forbidden_changes="dead -> alive")
    campaign.refresh_from_db()
    assert campaign.canon == {
        "rules": ["New."],
        "house_style": {"a": 1},
        "single_valued": ["age"],
        "forbidden_status_changes": [{"from": "dead", "to": "alive"}],
    }
    save(page, campaign, "canon", canon_rules="New.", forbidden_changes="")
    campaign.refresh_from_db()
    assert campaign.canon["forbidden_status_changes"] == []


@pytest.mark.parametrize("odd", ["dead -> alive", [3, {"from": "a", "to": "b"}], {"from": "a"}])
def test_what_another_program_keeps_in_the_canon_stays(page: Client, campaign: Campaign, odd: object) -> None:
    change(campaign, canon={"forbidden_status_changes": odd})
    lines = "a -> b" if isinstance(odd, list) else ""
    save(page, campaign, "canon", canon_rules="New.", forbidden_changes=lines)
    campaign.refresh_from_db()
    assert campaign.canon == {"rules": ["New."], "forbidden_status_changes": odd}
    assert panel(page, campaign, "&versions=canon").count("Bring back") == 2


def test_saving_what_stands_there_changes_nothing(page: Client, campaign: Campaign) -> None:
    save(page, campaign, "canon", canon_rules="", forbidden_changes="")
    save(page, campaign, "title", title=campaign.title)
    assert not CampaignRevision.objects.filter(campaign=campaign).exists()
    assert "data-undo" not in save(page, campaign, "profile", **PROFILE)


# --- refusals keep the words -------------------------------------------------------------------------------


def test_what_is_wrong_comes_back_with_its_words(page: Client, campaign: Campaign) -> None:
    address = reverse("edit-story", args=[campaign.pk, "canon"])
    response = page.post(address, {"canon_rules": "Kept words.", "forbidden_changes": "dead, alive"})
    text = response.content.decode()
    assert response.status_code == 422
    assert "Kept words." in text
    assert "has no arrow" in text
    assert "data-refused" in text
    response = page.post(reverse("edit-story", args=[campaign.pk, "profile"]), PROFILE | {"tone": "x" * 501})
    text = response.content.decode()
    assert response.status_code == 422
    assert 'id="story-tone_error"' in text
    assert "x" * 501 in text


def test_words_saved_while_a_turn_is_told_come_back(page: Client, campaign: Campaign) -> None:
    mark = base(page, campaign, "note")
    factories.open_turn(campaign, "I run.")
    address = reverse("edit-story", args=[campaign.pk, "note"])
    response = page.post(address, {"authors_note": "Kept words.", "base": mark})
    text = response.content.decode()
    assert response.status_code == 409
    assert "A turn is being told" in text
    assert "Kept words.</textarea>" in text
    assert f'value="{mark}"' in text


def test_words_of_another_tab_are_not_passed_over(page: Client, campaign: Campaign) -> None:
    mark = base(page, campaign, "protagonist")
    change(campaign, protagonist_name="Of the other tab")
    address = reverse("edit-story", args=[campaign.pk, "protagonist"])
    mine = {"protagonist_name": "Mine", "protagonist_description": "Also mine", "base": mark}
    response = page.post(address, mine)
    text = response.content.decode()
    assert response.status_code == 409
    assert "changed somewhere else" in text
    assert all(words in text for words in ("Of the other tab", 'value="Mine"', "Also mine</textarea>"))
    campaign.refresh_from_db()
    assert campaign.protagonist_name == "Of the other tab"
    found = re.search(r'name="base" value="(\w+)"', text)
    assert found
    save(page, campaign, "protagonist", **(mine | {"base": found[1]}))
    campaign.refresh_from_db()
    assert campaign.protagonist_name == "Mine"
    assert "Of the other tab" in panel(page, campaign, "&versions=protagonist")


def test_the_same_words_from_two_tabs_are_no_conflict(page: Client, campaign: Campaign) -> None:
    mark = base(page, campaign, "note")
    change(campaign, authors_note="Line one.\nLine two.")
    save(page, campaign, "note", authors_note="Line one.\r\nLine two.", base=mark)


def test_a_section_opened_before_another_was_saved_is_no_conflict(page: Client, campaign: Campaign) -> None:
    mark = base(page, campaign, "note")
    change(campaign, profile={"tone": "Wry"})
    save(page, campaign, "note", authors_note="Mine.", base=mark)
    campaign.refresh_from_db()
    assert (campaign.tone, campaign.authors_note) == ("Wry", "Mine.")


# --- earlier versions --------------------------------------------------------------------------------------


def test_earlier_versions_say_what_when_and_where(page: Client, campaign: Campaign) -> None:
    factories.play_turns(campaign, 2)
    change(campaign, profile={"tone": "Wry and slow"})
    change(campaign, profile={"tone": "Wry and quick", "genre": "Western"})
    text = panel(page, campaign)
    assert "3 earlier versions" in text
    assert "Bring back" not in text
    text = panel(page, campaign, "&versions=profile")
    assert text.count("Bring back") == 3
    assert "at turn 2 of “Main”" in text
    words = re.sub(r"<span class=\"visually-hidden\">[^<]*</span>", "", text)
    assert "Wry and <del>slow</del><ins>quick</ins>" in words
    assert words.index("<del>slow") < words.index("<ins>Wry and slow")  # newest first
    assert "Bring back" not in panel(page, campaign, "&versions=title")


def test_bringing_back_is_a_new_version(page: Client, campaign: Campaign) -> None:
    change(campaign, canon={"rules": ["Old."]})
    change(campaign, canon={"rules": ["New."], "forbidden_status_changes": [{"from": "a", "to": "b"}]})
    newest = CampaignRevision.objects.filter(campaign=campaign).latest("pk")
    data = {"revision": str(newest.pk), "panel": "story", "versions": "canon"}
    response = page.post(reverse("bring-back", args=[campaign.pk]), data, follow=True)
    text = response.content.decode()
    campaign.refresh_from_db()
    assert campaign.canon["rules"] == ["Old."]
    assert campaign.canon["forbidden_status_changes"] == []
    assert CampaignRevision.objects.filter(campaign=campaign).count() == 3
    assert 'id="versions-canon"' in text
    undo(page, text)
    campaign.refresh_from_db()
    assert campaign.canon["rules"] == ["New."]


def test_a_version_of_another_campaign_is_not_found(page: Client, campaign: Campaign, owner: User) -> None:
    other = factories.make_campaign(owner=owner, title="Other")
    change(other, authors_note="Theirs")
    theirs = CampaignRevision.objects.get(campaign=other)
    for wrong in ({"revision": str(theirs.pk)}, {"revision": "x"}, {}):
        assert page.post(reverse("bring-back", args=[campaign.pk]), wrong).status_code == 404
    assert page.get(reverse("edit-story", args=[campaign.pk, "spell"])).status_code == 404


def test_older_versions_come_on_demand_in_as_many_queries(page: Client, campaign: Campaign) -> None:
    counts = []
    for many in (2, VERSIONS_SHOWN + 3):
        for number in range(many):
            change(campaign, authors_note=f"Note {many}-{number}.")
        with CaptureQueriesContext(connection) as queries:
            text = panel(page, campaign, "&versions=note")
        counts.append(len(queries))
    assert counts[0] == counts[1]
    assert text.count("Bring back") == VERSIONS_SHOWN
    older = re.search(r"&amp;older=(\d+)", text)
    assert older
    text = panel(page, campaign, f"&versions=note&older={older[1]}")
    assert text.count("Bring back") == 5
    assert "Older ones" not in text


def test_a_version_outlives_the_branch_it_was_made_on(page: Client, campaign: Campaign) -> None:
    factories.play_turns(campaign, 2)
    main = campaign.active_branch_id or 0
    fork = factories.fork_at(campaign, 1)
    change(campaign, authors_note="Here.")
    activate_branch(campaign_id=campaign.pk, branch_id=main)
    delete_branch(campaign_id=campaign.pk, branch_id=fork.pk)
    assert "a branch that is gone" in panel(page, campaign, "&versions=note")


def test_others_cannot_read_or_change_it(
    client: Client, campaign: Campaign, django_user_model: type[User]
) -> None:
    client.force_login(django_user_model.objects.create_user("stranger"))
    address = reverse("edit-story", args=[campaign.pk, "note"])
    assert client.get(address).status_code == 404
    assert client.post(address, {"authors_note": "x"}).status_code == 404
    assert client.post(reverse("bring-back", args=[campaign.pk]), {"revision": "1"}).status_code == 404


def test_hostile_words_stay_words(page: Client, campaign: Campaign) -> None:
    hostile = "</textarea><img src=x>"
    for number in range(2):
        change(
            campaign,
            authors_note=f"{hostile} {number}",
            canon={"rules": [hostile], hostile: hostile * number},
        )
    for query in ("&versions=note", "&versions=canon"):
        assert "<img" not in panel(page, campaign, query)


# --- word by word ------------------------------------------------------------------------------------------


def test_words_are_compared() -> None:
    assert compare_words("the old road", "the new road") == [
        Piece("same", "the "),
        Piece("gone", "old "),
        Piece("new", "new "),
        Piece("same", "road"),
    ]
    assert compare_words("", "all new") == [Piece("new", "all new")]
    assert compare_words("all gone", "") == [Piece("gone", "all gone")]


def test_far_away_words_are_left_out() -> None:
    words = " ".join(f"w{number}" for number in range(100))
    first, gone, new = compare_words(f"{words} end", f"{words} stop")
    assert first.text.startswith("… w88")
    assert (gone.text, new.text) == ("end", "stop")


def test_the_same_word_over_and_over_is_compared() -> None:
    pieces = compare_words("a " * 1_400, "a b " * 700)
    assert "".join(piece.text for piece in pieces if piece.kind != "gone").count("b") == 700


def test_texts_too_long_to_compare_are_shown_whole() -> None:
    before, after = "a " * 5_000, "b " * 5_000
    assert compare_words(before, after) == [Piece("gone", before), Piece("new", after)]
