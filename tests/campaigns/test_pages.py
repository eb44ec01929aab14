"""Every page and operation of this app by plain links and forms, as a browser without a script uses them."""

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from campaigns.errors import InvalidError, StoryError, TurnInFlightError
from campaigns.models import Branch, Campaign, SavePoint, TurnRequest
from campaigns.selectors import list_takes
from campaigns.services import requests
from campaigns.services.head import undo
from campaigns.services.save_points import create_save_point
from campaigns.texts import INPUT_LENGTH, NARRATION_LENGTH
from tests import factories
from tests.campaigns.test_page_rules import INLINE

HOSTILE = "<img src=x onerror=alert(1)>\"'&"


@pytest.fixture
def page(client: Client, owner: User) -> Client:
    client.force_login(owner)
    return client


def text_of(page: Client, name: str, *ids: int, query: str = "") -> str:
    response = page.get(reverse(name, args=ids) + query)
    assert response.status_code == 200
    return response.content.decode()


def post(page: Client, name: str, /, *ids: int, **data: str) -> str:
    """Post a form and return the page that it leads to."""
    response = page.post(reverse(name, args=ids), data, follow=True)
    assert response.status_code == 200
    return response.content.decode()


def fork(campaign: Campaign) -> Branch:
    """Another line beside the one that was played."""
    factories.play(campaign, "I go left.")
    undo(campaign_id=campaign.pk)
    factories.play(campaign, "I go right.")
    return Branch.objects.exclude(pk=campaign.head.branch_id).get(campaign=campaign)


# --- the shelf ---------------------------------------------------------------------------------------------


def test_the_first_page_has_one_sentence_and_one_button(page: Client) -> None:
    text = text_of(page, "campaigns")
    assert text.count("Begin the story") == 1
    assert reverse("begin-sample") in text
    assert reverse("new-campaign") not in text


def test_the_campaign_played_last_leads(page: Client, owner: User, campaign: Campaign) -> None:
    other = factories.make_campaign(owner=owner, title="Salt Road")
    assert "Begin" in text_of(page, "campaigns")
    factories.play(campaign)
    text = text_of(page, "campaigns")
    assert text.index(campaign.title) < text.index(other.title)
    assert ">Continue</a>" in text


def test_a_campaign_is_made_from_the_form(page: Client, owner: User) -> None:
    data = {
        "title": "Salt Road",
        "opening": "You wake.\r\n\r\nIt is dark.",
        "genre": "Western",
        "narrator_rules": "Be brief.\n\nBe kind.",
        "canon_rules": "Nobody flies.",
    }
    response = page.post(reverse("new-campaign"), data)
    campaign = Campaign.objects.get(owner=owner)
    assert response["Location"] == reverse("play", args=[campaign.pk])
    assert (campaign.genre, campaign.narrator_rules) == ("Western", ["Be brief.", "Be kind."])
    assert campaign.canon["rules"] == ["Nobody flies."]


@pytest.mark.parametrize(
    "wrong", [{"title": ""}, {"opening": "  "}, {"genre": "x" * 501}, {"title": "x" * 201}]
)
def test_a_wrong_form_comes_back_with_its_words(page: Client, wrong: dict[str, str]) -> None:
    data = {"title": "Salt Road", "opening": "You wake.", "tone": "Kept tone"} | wrong
    response = page.post(reverse("new-campaign"), data)
    assert response.status_code == 422
    assert "Kept tone" in response.content.decode()
    assert not Campaign.objects.exists()


def test_archiving_and_bringing_back(page: Client, campaign: Campaign) -> None:
    assert campaign.title not in post(page, "archive-campaign", campaign.pk)
    assert campaign.title in text_of(page, "campaigns", query="?status=archived")
    assert campaign.title in post(page, "unarchive-campaign", campaign.pk)


def test_deleting_needs_the_title(page: Client, campaign: Campaign) -> None:
    url = reverse("delete-campaign", args=[campaign.pk])
    assert page.post(url, {"confirm": "Something else"}).status_code == 422
    assert Campaign.objects.exists()
    assert page.post(url, {"confirm": campaign.title}).status_code == 302
    assert not Campaign.objects.exists()


# --- the head ----------------------------------------------------------------------------------------------


def test_undo_and_redo(page: Client, campaign: Campaign) -> None:
    factories.play(campaign, narration="The lock gives way.")
    assert "The lock gives way." not in post(page, "undo", campaign.pk)
    assert "The lock gives way." in post(page, "redo", campaign.pk)
    assert page.get(reverse("undo", args=[campaign.pk])).status_code == 405


def test_the_panel_stays_open_over_a_move(page: Client, campaign: Campaign) -> None:
    factories.play(campaign)
    response = page.post(reverse("undo", args=[campaign.pk]), {"panel": "branches"})
    assert response["Location"] == reverse("play", args=[campaign.pk]) + "?panel=branches#now"


def test_a_move_while_a_turn_is_told_is_refused_in_words(page: Client, campaign: Campaign) -> None:
    factories.play(campaign)
    factories.open_turn(campaign, "I run.")
    text = post(page, "undo", campaign.pk)
    assert "A turn is being told in this campaign." in text
    assert "data-busy" in text
    campaign.refresh_from_db()
    assert campaign.head_depth == 1


# --- takes -------------------------------------------------------------------------------------------------


def test_reading_another_take_moves_nothing(page: Client, campaign: Campaign) -> None:
    turn = factories.play(campaign, narration="First telling.")
    factories.retry(campaign, turn, "Second telling.")
    assert "2/2" in text_of(page, "play", campaign.pk)
    text = text_of(page, "take", campaign.pk, turn.pk, 1)
    assert "First telling." in text
    assert "1/2" in text
    assert "Tell it this way" in text
    assert "Tell it this way" not in text_of(page, "take", campaign.pk, turn.pk, 2)
    assert page.get(reverse("take", args=[campaign.pk, turn.pk, 3])).status_code == 404
    turn.refresh_from_db()
    assert turn.live_take is not None
    assert turn.live_take.narration == "Second telling."


def test_selecting_a_take(page: Client, campaign: Campaign) -> None:
    turn = factories.play(campaign, narration="First telling.")
    factories.retry(campaign, turn, "Second telling.")
    first = list_takes(turn)[0]
    text = post(page, "select-take", campaign.pk, turn.pk, first.pk)
    assert "First telling." in text
    assert "Second telling." not in text


@pytest.mark.django_db(transaction=True)  # an edit is served from the event loop
def test_editing_a_narration(page: Client, campaign: Campaign) -> None:
    turn = factories.play(campaign, narration="Old words.")
    take = list_takes(turn)[0]
    assert "Old words." in text_of(page, "edit-narration", campaign.pk, turn.pk, take.pk)
    assert "New *words*." not in post(
        page, "edit-narration", campaign.pk, turn.pk, take.pk, text="New *words*."
    )
    assert [take.narration for take in list_takes(turn)] == ["Old words.", "New *words*."]
    url = reverse("edit-narration", args=[campaign.pk, turn.pk, take.pk])
    assert page.post(url, {"text": " "}).status_code == 422


@pytest.mark.django_db(transaction=True)  # an edit is served from the event loop
def test_line_ends_of_a_form_count_once(page: Client, campaign: Campaign) -> None:
    turn = factories.play(campaign)
    url = reverse("edit-narration", args=[campaign.pk, turn.pk, list_takes(turn)[0].pk])
    lines = "a\r\n" * (NARRATION_LENGTH // 2)
    assert page.post(url, {"text": lines}).status_code == 302
    assert len(list_takes(turn)[1].narration) == NARRATION_LENGTH
    refused = page.post(url, {"text": lines + "b"})
    assert refused.status_code == 422
    assert "may have at most 100,000 characters" in refused.content.decode()
    opening = {"title": "Salt Road", "opening": "a\r\n" * (INPUT_LENGTH // 2 - 1) + "ab"}
    assert page.post(reverse("new-campaign"), opening).status_code == 302


# --- what is refused comes back ----------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)  # an edit is served from the event loop
@pytest.mark.parametrize("status", [409, 422])
def test_a_refused_form_keeps_its_words(page: Client, campaign: Campaign, status: int) -> None:
    turn = factories.play(campaign)
    take = list_takes(turn)[0]
    words = "Words that must not be lost." if status == 409 else "x" * 100_001
    if status == 409:
        factories.open_turn(campaign, "I run.")
    address = reverse("edit-narration", args=[campaign.pk, turn.pk, take.pk])
    response = page.post(address, {"text": words})
    assert response.status_code == status
    text = response.content.decode()
    assert words in text
    assert "data-refused" in text
    assert ("A turn is being told" in text) is (status == 409)


def test_a_save_point_that_cannot_be_made_now_keeps_its_words(page: Client, campaign: Campaign) -> None:
    factories.open_turn(campaign, "I run.")
    typed = {"name": "At the door", "note": "Before\r\nthe bell", "panel": "save-points"}
    response = page.post(reverse("create-save-point", args=[campaign.pk]), typed)
    text = response.content.decode()
    assert response.status_code == 409
    assert "A turn is being told" in text
    assert 'value="At the door"' in text
    assert "the bell</textarea>" in text
    assert 'name="panel" value="save-points"' in text


def test_names_that_are_refused_come_back(page: Client, campaign: Campaign) -> None:
    point = create_save_point(campaign_id=campaign.pk, name="Here")
    for name, ids in {
        "update-save-point": (campaign.pk, point.pk),
        "rename-branch": (campaign.pk, campaign.active_branch_id),
    }.items():
        response = page.post(reverse(name, args=ids), {"name": "n" * 201, "note": "Kept note"})
        text = response.content.decode()
        assert response.status_code == 422
        assert "may have at most 200 characters" in text
        assert f'value="{"n" * 201}"' in text
        assert ("Kept note" in text) is (name == "update-save-point")


@pytest.mark.parametrize("error", [TurnInFlightError(), InvalidError("No.", field="canon.rules")])
def test_a_new_campaign_that_is_refused_keeps_its_words(
    page: Client, monkeypatch: pytest.MonkeyPatch, error: StoryError
) -> None:
    def refuse(**_: object) -> None:
        raise error

    monkeypatch.setattr("campaigns.views.shelf.create_campaign", refuse)
    data = {"title": "Salt Road", "opening": "You wake.", "canon_rules": "Nobody flies."}
    response = page.post(reverse("new-campaign"), data)
    assert response.status_code == (422 if isinstance(error, InvalidError) else 409)
    assert error.message in response.content.decode()
    assert all(words in response.content.decode() for words in data.values())


def test_a_campaign_is_not_deleted_while_a_turn_is_told(page: Client, campaign: Campaign) -> None:
    factories.open_turn(campaign, "I run.")
    response = page.post(reverse("delete-campaign", args=[campaign.pk]), {"confirm": campaign.title})
    assert response.status_code == 409
    assert f'value="{campaign.title}"' in response.content.decode()


# --- branches and Save Points ------------------------------------------------------------------------------


def test_the_branches_panel_lists_every_line(page: Client, campaign: Campaign) -> None:
    left = fork(campaign)
    text = text_of(page, "play", campaign.pk, query="?panel=branches")
    assert left.name in text
    assert f"forked from “{left.name}” after turn 0" in text
    assert "I go left." not in text
    assert "I go left." in post(page, "activate-branch", campaign.pk, left.pk)


def test_renaming_and_deleting_a_branch(page: Client, campaign: Campaign) -> None:
    left = fork(campaign)
    right = campaign.active_branch_id or 0
    assert "Rename" in text_of(page, "play", campaign.pk, query=f"?panel=branches&rename={right}")
    post(page, "rename-branch", campaign.pk, right, name="The cellar road")
    post(page, "activate-branch", campaign.pk, left.pk)
    asked = text_of(page, "play", campaign.pk, query=f"?panel=branches&delete={right}")
    assert "This deletes 1 turn on 1 branch for good" in asked
    assert "The cellar road" not in post(page, "delete-branch", campaign.pk, right, panel="branches")
    assert "first branch" in post(page, "delete-branch", campaign.pk, left.pk)


def test_save_points_by_form(page: Client, campaign: Campaign) -> None:
    factories.play(campaign, narration="The lock gives way.")
    text = post(
        page, "create-save-point", campaign.pk, name="At the door", note="Before it", panel="save-points"
    )
    assert "At the door" in text
    assert "Before it" in text
    point = SavePoint.objects.get()
    post(page, "undo", campaign.pk)
    assert "The lock gives way." in post(page, "restore-save-point", campaign.pk, point.pk)
    query = f"?panel=save-points&rename={point.pk}"
    assert "Before it" in text_of(page, "play", campaign.pk, query=query)
    post(page, "update-save-point", campaign.pk, point.pk, name="At the gate", note="")
    point.refresh_from_db()
    assert (point.name, point.note) == ("At the gate", "")
    refused = page.post(reverse("update-save-point", args=[campaign.pk, point.pk]), {"name": " "})
    assert refused.status_code == 422
    assert "The name is empty" in refused.content.decode()
    post(page, "delete-save-point", campaign.pk, point.pk)
    assert not SavePoint.objects.exists()


# --- what did not become a turn ----------------------------------------------------------------------------


def fail(campaign: Campaign, text: str = "I open the hatch.", partial: str = "The hatch") -> TurnRequest:
    request = factories.open_turn(campaign, text)
    requests.fail_request(
        request_id=request.pk, code="inference_gone", detail="The server went away.", partial=partial
    )
    return request


def test_a_failed_request_is_shown_and_its_words_are_offered(page: Client, campaign: Campaign) -> None:
    request = fail(campaign)
    text = text_of(page, "play", campaign.pk)
    assert "The server went away." in text
    assert "<p>The hatch</p>" in text
    assert text.count("I open the hatch.") == 3  # on the card, in the composer, and for the page's script
    assert reverse("keep-request", args=[campaign.pk, request.pk]) in text
    assert "I open the hatch." not in post(page, "discard-request", campaign.pk, request.pk)


def test_a_request_made_elsewhere_leads_there_first(page: Client, campaign: Campaign) -> None:
    factories.play(campaign)
    request = fail(campaign)
    text = post(page, "undo", campaign.pk)
    assert reverse("keep-request", args=[campaign.pk, request.pk]) not in text
    go_there = ["go-to", campaign.pk, request.branch_id, request.depth]
    assert reverse("go-to", args=go_there[1:]) in text
    assert reverse("keep-request", args=[campaign.pk, request.pk]) in post(
        page, "go-to", campaign.pk, request.branch_id, request.depth
    )


# --- what a page may show, and to whom ---------------------------------------------------------------------


def test_hostile_words_stay_words(page: Client, owner: User) -> None:
    campaign = factories.make_campaign(owner=owner, title=HOSTILE, opening=HOSTILE)
    factories.play(campaign, HOSTILE, HOSTILE)
    create_save_point(campaign_id=campaign.pk, name=HOSTILE, note=HOSTILE)
    fork(campaign)
    fail(campaign, HOSTILE, HOSTILE)
    addresses = [
        reverse("campaigns"),
        reverse("delete-campaign", args=[campaign.pk]),
        reverse("new-campaign"),
    ]
    play = reverse("play", args=[campaign.pk])
    addresses += [play, *(f"{play}?panel={name}" for name in ("story", "branches", "save-points", "help"))]
    addresses += [f"{play}?panel={HOSTILE}&rename={HOSTILE}", reverse("transcript", args=[campaign.pk])]
    for address in addresses:
        text = page.get(address).content.decode()
        assert "<img" not in text, address
        assert not INLINE.search(text.replace("onerror=alert", "")), address


def test_another_owners_campaign_is_not_found(
    client: Client, owner: User, campaign: Campaign, django_user_model: type[User]
) -> None:
    turn = factories.play(campaign)
    point = create_save_point(campaign_id=campaign.pk, name="Here")
    request = fail(campaign)
    take = list_takes(turn)[0]
    stranger = django_user_model.objects.create_user("stranger")
    own = factories.make_campaign(owner=stranger)
    client.force_login(stranger)
    c, b = campaign.pk, campaign.active_branch_id or 0
    for name, ids in {
        "play": (c,),
        "transcript": (c,),
        "take": (c, turn.pk, 1),
        "edit-narration": (c, turn.pk, take.pk),
        "delete-campaign": (c,),
    }.items():
        assert client.get(reverse(name, args=ids)).status_code == 404, name
    for name, ids in {
        "undo": (c,),
        "redo": (c,),
        "archive-campaign": (c,),
        "unarchive-campaign": (c,),
        "delete-campaign": (c,),
        "go-to": (c, b, 0),
        "select-take": (c, turn.pk, take.pk),
        "edit-narration": (c, turn.pk, take.pk),
        "activate-branch": (c, b),
        "rename-branch": (c, b),
        "delete-branch": (c, b),
        "create-save-point": (c,),
        "restore-save-point": (c, point.pk),
        "update-save-point": (own.pk, point.pk),
        "delete-save-point": (own.pk, point.pk),
        "keep-request": (own.pk, request.pk),
        "discard-request": (own.pk, request.pk),
    }.items():
        data = {"name": "x", "text": "x", "confirm": campaign.title}
        assert client.post(reverse(name, args=ids), data).status_code == 404, name
    assert campaign.title not in text_of(client, "transcript", own.pk).replace(own.title, "")


def test_without_a_session_there_is_only_the_door(client: Client, campaign: Campaign) -> None:
    for name, ids in {"campaigns": (), "new-campaign": (), "play": (campaign.pk,)}.items():
        response = client.get(reverse(name, args=ids))
        assert response.status_code == 302
        assert response["Location"].startswith(reverse("sign-in"))


# --- reading -----------------------------------------------------------------------------------------------


def test_older_turns_come_on_demand(page: Client, campaign: Campaign) -> None:
    for number in range(1, 61):
        factories.play(campaign, f"Step {number}.", f"Told {number}.")
    text = text_of(page, "play", campaign.pk)
    assert "Told 11." in text
    assert "Told 10." not in text
    assert "?before=11" in text
    older = text_of(page, "transcript", campaign.pk, query="?before=11")
    assert "Told 10." in older
    assert "Told 11." not in older
    assert "?before" not in older
    assert "Told 3." in text_of(page, "transcript", campaign.pk, query="?from=2")


def test_a_longer_story_needs_no_more_queries(page: Client, campaign: Campaign) -> None:
    counts = []
    for _ in range(2):
        for _ in range(6):
            turn = factories.play(campaign)
            factories.retry(campaign, turn)
        for panel in ("", "branches", "save-points"):
            with CaptureQueriesContext(connection) as queries:
                text_of(page, "play", campaign.pk, query=f"?panel={panel}")
            counts.append(len(queries))
        create_save_point(campaign_id=campaign.pk, name="Here")
    assert counts[:3] == counts[3:]
    assert max(counts) < 25


# --- what a page says before it is too late ---------------------------------------------------------------


FORKS = "What follows stays on its own branch"


@pytest.mark.django_db(transaction=True)  # an edit is served from the event loop
def test_an_edit_says_whether_it_forks(page: Client, campaign: Campaign) -> None:
    first = factories.play(campaign, "I go left.")
    last = factories.play(campaign, "I go on.")
    for turn, forks in ((first, True), (last, False)):
        take = list_takes(turn)[-1]
        assert (FORKS in text_of(page, "edit-narration", campaign.pk, turn.pk, take.pk)) is forks
    # On the page itself: the opening has no retry, the last turn has nothing after it.
    assert text_of(page, "play", campaign.pk).count(FORKS) == 1


def test_pages_answer_head_requests(page: Client, campaign: Campaign) -> None:
    for name, ids in (("play", [campaign.pk]), ("campaigns", []), ("transcript", [campaign.pk])):
        assert page.head(reverse(name, args=ids)).status_code == 200, name


def test_archiving_says_where_the_story_is(page: Client, campaign: Campaign) -> None:
    assert "Archived. It is under Archived." in post(page, "archive-campaign", campaign.pk)


def lose(campaign: Campaign, text: str) -> None:
    request = factories.open_turn(campaign, text)
    requests.fail_request(request_id=request.pk, code="inference_gone", detail="Gone.")


def test_deleting_a_branch_counts_what_waits_there(page: Client, campaign: Campaign) -> None:
    left = fork(campaign)
    right = campaign.head.branch_id
    lose(campaign, "I knock.")
    post(page, "activate-branch", campaign.pk, left.pk)
    text = text_of(page, "play", campaign.pk, query=f"?panel=branches&delete={right}")
    assert "1 turn that was not told to the end and waits there" in " ".join(text.split())


def test_the_branch_being_read_is_listed_first(page: Client, campaign: Campaign) -> None:
    fork(campaign)
    panel = text_of(page, "play", campaign.pk, query="?panel=branches").split('class="row-list"')[1]
    assert panel.index("being read") < panel.index("Open<")


def test_the_page_says_how_many_more_were_lost(page: Client, campaign: Campaign) -> None:
    for number in range(7):
        lose(campaign, f"I knock {number}.")
        text = text_of(page, "play", campaign.pk)
        assert ("more like" in text) is (number >= 5)
    assert "2 more like these wait." in text
