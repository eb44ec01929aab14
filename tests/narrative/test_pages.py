"""Pages that have turns told, by plain forms: each waits for its turn and leads back to the story."""

import pytest
from django.contrib.auth.models import User
from django.test import AsyncClient
from django.urls import reverse
from pytest_django import Settings

from campaigns.models import Branch, Campaign, Turn, TurnRequest
from campaigns.selectors import list_takes
from campaigns.services import requests
from narrative.database import in_database
from narrative.samples import FIRST, list_samples, load_first_sample, start_sample
from tests import factories

pytestmark = pytest.mark.django_db(transaction=True)


# Asynchronous throughout, as the game is served: a turn's task shares the loop of the page that waits for it.


@pytest.fixture
def page(async_client: AsyncClient, owner: User) -> AsyncClient:
    async_client.force_login(owner)
    return async_client


async def post(page: AsyncClient, name: str, /, *ids: int, **data: str) -> str:
    response = await page.post(reverse(name, args=ids), data, follow=True)
    assert response.status_code == 200
    return str(response.content.decode())


async def test_the_play_page_names_its_narrator(page: AsyncClient, campaign: Campaign) -> None:
    text = (await page.get(reverse("play", args=[campaign.pk]))).content.decode()
    assert "The rehearsal narrator." in text
    assert "Connect a real narrator" in text


async def test_an_open_tab_learns_of_another_narrator(
    page: AsyncClient, campaign: Campaign, settings: Settings
) -> None:
    transcript = reverse("transcript", args=[campaign.pk])
    assert "The rehearsal narrator." in (await page.get(transcript)).content.decode()
    settings.INFERENCE_API, settings.INFERENCE_URL = "ollama", "http://127.0.0.1:9"
    settings.INFERENCE_MODEL = "lantern:8b"
    text = (await page.get(transcript)).content.decode()
    assert 'data-region="narrator"' in text
    assert "Looking for “lantern:8b”…" in text
    assert "dot unknown" in text  # nobody has asked whether it answers


async def test_a_turn_by_form(page: AsyncClient, campaign: Campaign) -> None:
    data = {"mode": "dialogue", "text": "Is anybody there?", "request_id": "one"}
    text = await post(page, "submit-turn", campaign.pk, **data)
    assert "Is anybody there?" in text
    await campaign.arefresh_from_db()
    assert campaign.head_depth == 1
    await post(page, "submit-turn", campaign.pk, **data)  # a double click: the same request id
    await campaign.arefresh_from_db()
    assert campaign.head_depth == 1


@pytest.mark.parametrize(
    "data",
    [
        {"mode": "action", "text": "   "},
        {"mode": "continue", "text": "Words that must not be lost."},
        {"mode": "shout", "text": "Words that must not be lost."},
    ],
)
async def test_refused_words_go_back_into_the_composer(
    page: AsyncClient, campaign: Campaign, data: dict[str, str]
) -> None:
    response = await page.post(reverse("submit-turn", args=[campaign.pk]), data)
    assert response.status_code == 422
    assert data["text"] in response.content.decode()
    assert not await TurnRequest.objects.aexists()


async def test_words_sent_while_a_turn_is_told_are_kept(page: AsyncClient, campaign: Campaign) -> None:
    await in_database(factories.open_turn)(campaign, "I wait.")
    data = {"mode": "action", "text": "I hurry."}
    text = (await page.post(reverse("submit-turn", args=[campaign.pk]), data)).content.decode()
    assert "I hurry." in text
    assert "A turn is being told" in text


async def test_retry_by_form(page: AsyncClient, campaign: Campaign) -> None:
    turn = await in_database(factories.play)(campaign)
    assert "2/2" in await post(page, "retry-turn", campaign.pk, turn.pk)


async def test_the_opening_cannot_be_retried(page: AsyncClient, campaign: Campaign) -> None:
    opening = await Turn.objects.aget(branch__campaign=campaign)
    assert "The opening answers no input" in await post(page, "retry-turn", campaign.pk, opening.pk)


async def test_editing_an_input_plays_it_beside_the_old_one(page: AsyncClient, campaign: Campaign) -> None:
    turn = await in_database(factories.play)(campaign, "I go left.")
    url = reverse("edit-input", args=[campaign.pk, turn.pk])
    assert "I go left." in (await page.get(url)).content.decode()
    assert "I go right." in await post(
        page, "edit-input", campaign.pk, turn.pk, mode="action", text="I go right."
    )
    assert await Branch.objects.filter(campaign=campaign).acount() == 2


async def test_editing_an_input_says_whether_it_forks(page: AsyncClient, campaign: Campaign) -> None:
    first = await in_database(factories.play)(campaign, "I go left.")
    last = await in_database(factories.play)(campaign, "I go on.")
    for turn, forks in ((first, True), (last, False)):
        text = (await page.get(reverse("edit-input", args=[campaign.pk, turn.pk]))).content.decode()
        assert ("What follows stays on its own branch" in text) is forks


async def test_an_empty_input_comes_back(page: AsyncClient, campaign: Campaign) -> None:
    turn = await in_database(factories.play)(campaign, "I go left.")
    response = await page.post(
        reverse("edit-input", args=[campaign.pk, turn.pk]), {"mode": "action", "text": " "}
    )
    assert response.status_code == 422
    assert await Branch.objects.filter(campaign=campaign).acount() == 1


async def test_an_input_edited_while_a_turn_is_told_comes_back(page: AsyncClient, campaign: Campaign) -> None:
    turn = await in_database(factories.play)(campaign, "I go left.")
    await in_database(factories.open_turn)(campaign, "I run.")
    data = {"mode": "dialogue", "text": "Words that must not be lost."}
    response = await page.post(reverse("edit-input", args=[campaign.pk, turn.pk]), data)
    text = response.content.decode()
    assert response.status_code == 409
    assert "A turn is being told" in text
    assert data["text"] in text
    assert 'value="dialogue" checked' in text
    assert "data-refused" in text


async def test_a_lost_turn_can_be_told_in_rehearsal(
    page: AsyncClient, campaign: Campaign, settings: Settings
) -> None:
    request = await in_database(factories.open_turn)(campaign, "I open the hatch.")
    await in_database(requests.fail_request)(request_id=request.pk, code="inference_gone", detail="Gone.")
    transcript = reverse("transcript", args=[campaign.pk])
    rehearse = reverse("rehearse-request", args=[campaign.pk, request.pk])
    assert rehearse not in (await page.get(transcript)).content.decode()  # the narrator rehearses as it is
    settings.INFERENCE_API, settings.INFERENCE_URL = "ollama", "http://127.0.0.1:9"
    for address in (transcript, reverse("play", args=[campaign.pk])):
        assert rehearse in (await page.get(address)).content.decode()
    text = await post(page, "rehearse-request", campaign.pk, request.pk)
    assert "Gone." not in text
    await campaign.arefresh_from_db()
    assert campaign.head_depth == 1
    turn = await Turn.objects.select_related("live_take").aget(branch__campaign=campaign, depth=1)
    assert turn.live_take is not None
    assert (turn.input, turn.live_take.backend) == ("I open the hatch.", "rehearsal")


async def test_the_campaigns_own_model_is_named(
    page: AsyncClient, campaign: Campaign, settings: Settings
) -> None:
    settings.INFERENCE_API, settings.INFERENCE_URL = "ollama", "http://127.0.0.1:9"
    address = reverse("play", args=[campaign.pk])
    assert "no model chosen" in (await page.get(address)).content.decode()
    await Campaign.objects.filter(pk=campaign.pk).aupdate(settings={"model": "the-campaigns-own"})
    assert "the-campaigns-own" in (await page.get(address)).content.decode()


@pytest.mark.parametrize("operation", ["keep-request", "retry-request"])
async def test_recovering_a_failed_request(page: AsyncClient, campaign: Campaign, operation: str) -> None:
    request = await in_database(factories.open_turn)(campaign, "I open the hatch.")
    await in_database(requests.fail_request)(
        request_id=request.pk, code="interrupted", detail="Gone.", partial="The hatch"
    )
    text = await post(page, operation, campaign.pk, request.pk)
    assert "Gone." not in text
    await campaign.arefresh_from_db()
    assert campaign.head_depth == 1
    assert ("stopped here" in text) is (operation == "keep-request")


async def test_stopping_when_nothing_runs_says_so(page: AsyncClient, campaign: Campaign) -> None:
    assert "nothing to stop" in await post(page, "stop-turn", campaign.pk)


async def test_stopping_asks_the_running_turn(page: AsyncClient, campaign: Campaign) -> None:
    request = await in_database(factories.open_turn)(campaign)
    await post(page, "stop-turn", campaign.pk, keep="0")
    await request.arefresh_from_db()
    assert request.stop_asked == TurnRequest.Stop.DROP


async def test_another_owners_story_is_not_found(
    async_client: AsyncClient, campaign: Campaign, django_user_model: type[User]
) -> None:
    turn = await in_database(factories.play)(campaign)
    request = await in_database(factories.open_turn)(campaign)
    stranger = await django_user_model.objects.acreate_user("stranger")
    own = await in_database(factories.make_campaign)(owner=stranger)
    await async_client.aforce_login(stranger)
    for name, ids in {
        "submit-turn": (campaign.pk,),
        "stop-turn": (campaign.pk,),
        "retry-turn": (campaign.pk, turn.pk),
        "edit-input": (campaign.pk, turn.pk),
        "keep-request": (own.pk, request.pk),
        "retry-request": (own.pk, request.pk),
        "rehearse-request": (own.pk, request.pk),
    }.items():
        data = {"mode": "action", "text": "I intrude."}
        assert (await async_client.post(reverse(name, args=ids), data)).status_code == 404, name
    assert (await async_client.post(reverse("retry-turn", args=[own.pk, turn.pk]))).status_code == 404


# --- samples -----------------------------------------------------------------------------------------------


async def test_the_first_button_leads_into_the_story(page: AsyncClient, owner: User) -> None:
    text = await post(page, "begin-sample")
    campaign = await Campaign.objects.aget(owner=owner)
    assert campaign.title in text
    assert (await page.post(reverse("begin-sample"), {"sample": "none-such"})).status_code == 404


def test_samples_are_whole(owner: User) -> None:
    assert FIRST in [sample.slug for sample in list_samples()]
    for sample in list_samples():
        campaign = start_sample(owner.pk, sample.slug)
        opening = campaign.active_branch and campaign.active_branch.turns.get()
        assert opening
        assert 120 <= len(list_takes(opening)[0].narration.split()) <= 200
        assert campaign.narrator_rules
        assert campaign.canon["rules"]
        assert campaign.protagonist_name


def test_the_first_sample_is_for_those_who_have_none(owner: User) -> None:
    assert load_first_sample(owner.pk) is not None
    assert load_first_sample(owner.pk) is None
