"""The settings over HTTP: what is in force, what may be saved, and who may."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django.fixtures import Settings

from campaigns.models import Campaign
from narrative.engine import read_engine
from narrative.models import SavedSettings
from tests import factories
from tests.api_client import Api, json_of, problem_of
from tests.inference_servers.scripted import MODEL, ScriptedServer, refusal

pytestmark = pytest.mark.django_db(transaction=True)

# As the contract has it.
NAMES = {
    *("inference_api", "inference_url", "model", "extractor_model", "summarizer_model", "embeddings"),
    *("embedding_model", "context_window", "max_output_tokens", "reasoning", "reasoning_tokens", "events"),
    *("evidence", "temperature", "top_p", "min_p", "repeat_penalty", "seed", "keep_alive"),
    *("memory_interval", "summary_interval", "memory_top_k", "shares", "active"),
}


@pytest.fixture
def api(owner: User) -> Api:
    assert owner.is_staff
    return Api(owner)


@pytest.fixture(params=["ollama", "openai"])
def server(
    request: pytest.FixtureRequest, settings: Settings, scripted_server: ScriptedServer
) -> ScriptedServer:
    settings.INFERENCE_API, settings.INFERENCE_URL = request.param, scripted_server.url
    settings.INFERENCE_MODEL = MODEL
    return scripted_server


def test_everything_in_force(api: Api) -> None:
    answer = json_of(api.get("/settings"))
    assert set(answer) == NAMES
    assert answer["active"] == {"api": "rehearsal", "model": "rehearsal", "state": "rehearsal", "detail": ""}
    assert (answer["context_window"], answer["temperature"], answer["seed"]) == (8192, 0.8, None)
    assert answer["shares"]["state"] == 0.3


@pytest.mark.usefixtures("server")
def test_who_narrates_and_how_they_are(api: Api, settings: Settings) -> None:
    active = json_of(api.get("/settings"))["active"]
    assert active == {"api": settings.INFERENCE_API, "model": MODEL, "state": "connected", "detail": ""}


def test_what_is_saved_holds_over_the_environment_until_it_is_given_back(
    api: Api, settings: Settings, campaign: Campaign
) -> None:
    answer = json_of(api.patch("/settings", {"context_window": 16_384, "seed": 7, "keep_alive": -1}))
    assert (answer["context_window"], answer["seed"], answer["keep_alive"]) == (16_384, 7, -1)
    settings.CONTEXT_WINDOW = 2048
    assert read_engine(campaign).options.context_window == 16_384
    answer = json_of(api.patch("/settings", {"context_window": None}))
    assert (answer["context_window"], answer["seed"]) == (2048, 7)
    assert SavedSettings.objects.get().values == {"seed": 7, "keep_alive": -1}


def test_a_campaigns_own_settings_hold_over_those_of_the_page(api: Api, campaign: Campaign) -> None:
    json_of(api.patch("/settings", {"temperature": 0.3, "shares": {"state": 0.5}}))
    json_of(api.patch(f"/campaigns/{campaign.pk}", {"settings": {"temperature": 1.2}}))
    campaign.refresh_from_db()
    engine = read_engine(campaign)
    assert (engine.temperature, engine.shares["state"], engine.shares["memories"]) == (1.2, 0.5, 0.15)


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"context_window": 100}, "context_window"),
        ({"context_window": "8192"}, "context_window"),
        ({"temperature": 9}, "temperature"),
        ({"reasoning": 1}, "reasoning"),
        ({"keep_alive": "-1"}, "keep_alive"),
        ({"inference_api": "cloud"}, "inference_api"),
        ({"inference_url": 8}, "inference_url"),
        ({"embeddings": "all"}, "embeddings"),
        ({"model": ""}, "model"),
        ({"model": " "}, "model"),
        ({"model": "x\ny"}, "model"),
        ({"summarizer_model": "x\u200by"}, "summarizer_model"),
        ({"shares": {"stories": 1}}, "shares"),
        ({"active": {}}, "active"),
        ({"inference_key": "secret"}, "inference_key"),
    ],
)
def test_what_cannot_be_a_setting_changes_nothing(api: Api, body: dict[str, Any], field: str) -> None:
    problem = problem_of(api.patch("/settings", {"seed": 1} | body), 422, "invalid")
    assert problem["errors"][0]["field"].split(".")[0] == field
    assert not SavedSettings.objects.exists()


@pytest.mark.parametrize(
    "url",
    [
        "https://8.8.8.8",
        "http://192.168.1.5:11434",
        "http://169.254.169.254",
        "http://0x08080808",
        "http://user:secret@127.0.0.1",
        "ftp://127.0.0.1",
        "127.0.0.1:11434",
        "",
        "http://no-such-host.invalid",
    ],
)
def test_an_address_that_may_not_be_used_is_not_saved(api: Api, url: str) -> None:
    problem = problem_of(api.patch("/settings", {"inference_url": url, "seed": 1}), 422, "endpoint_refused")
    assert "secret" not in problem["detail"]
    assert not SavedSettings.objects.exists()


@pytest.mark.parametrize("field", ["model", "extractor_model", "summarizer_model", "embedding_model"])
def test_a_model_that_runs_elsewhere_is_not_saved(api: Api, settings: Settings, field: str) -> None:
    body = {field: "big:cloud"}
    problem = problem_of(api.patch("/settings", body), 422, "endpoint_refused")
    assert "somebody else's machine" in problem["detail"]
    settings.ALLOWED_ENDPOINTS = [":cloud"]
    assert json_of(api.patch("/settings", body))[field] == "big:cloud"


@pytest.mark.parametrize("field", ["model", "summarizer_model"])
def test_a_model_that_only_its_server_knows_to_run_elsewhere_is_not_saved(
    api: Api, settings: Settings, scripted_server: ScriptedServer, field: str
) -> None:
    settings.INFERENCE_API, settings.INFERENCE_URL = "ollama", scripted_server.url
    scripted_server.remote_models = {"plain-name"}
    problem = problem_of(api.patch("/settings", {field: "plain-name"}), 422, "endpoint_refused")
    assert "somebody else's machine" in problem["detail"]
    assert not SavedSettings.objects.exists()
    settings.ALLOWED_ENDPOINTS = [":cloud"]
    assert json_of(api.patch("/settings", {field: "plain-name"}))[field] == "plain-name"


def test_a_model_can_be_chosen_before_its_server_runs(api: Api, settings: Settings) -> None:
    settings.INFERENCE_API, settings.INFERENCE_URL = "ollama", "http://127.0.0.1:1"
    active = json_of(api.patch("/settings", {"model": "mistral"}))["active"]
    assert (active["model"], active["state"]) == ("mistral", "gone")


def test_white_space_around_an_address_is_no_part_of_it(api: Api, scripted_server: ScriptedServer) -> None:
    saved = {"inference_api": "openai", "inference_url": f" {scripted_server.url}/v1 ", "model": f" {MODEL} "}
    answer = json_of(api.patch("/settings", saved))
    assert (answer["inference_url"], answer["model"]) == (f"{scripted_server.url}/v1", MODEL)
    assert answer["active"]["state"] == "connected"


@pytest.mark.parametrize(("method", "path"), [("GET", ""), ("PATCH", ""), ("GET", "/models")])
def test_a_stranger_is_told_nothing(method: str, path: str) -> None:
    answer = Client().generic(method, f"/api/v1/settings{path}", "{}", "application/json")
    problem_of(answer, 401, "not_signed_in")


def test_a_listed_address_can_be_saved(api: Api, settings: Settings) -> None:
    settings.ALLOWED_ENDPOINTS = ["http://192.168.77.5"]
    answer = json_of(api.patch("/settings", {"inference_url": "http://192.168.77.5:11434"}))
    assert answer["inference_url"] == "http://192.168.77.5:11434"


def test_the_next_turn_is_told_by_what_was_saved(
    api: Api, campaign: Campaign, scripted_server: ScriptedServer
) -> None:
    saved = {"inference_api": "ollama", "inference_url": scripted_server.url, "model": MODEL, "min_p": 0.2}
    assert json_of(api.patch("/settings", saved))["active"]["state"] == "connected"
    turn = json_of(api.post(f"/campaigns/{campaign.pk}/turns", {"mode": "action", "text": "I wait."}), 201)
    assert turn["narration"] == "You wake in the rain."
    assert scripted_server.chats[0].body["options"]["min_p"] == 0.2


def test_the_models_of_the_server(api: Api, server: ScriptedServer, settings: Settings) -> None:
    server.models["other"] = 4096
    server.remote_models = {"big:cloud"}
    answer = json_of(api.get("/settings/models"))
    assert answer["items"] == [
        {"name": MODEL, "remote": False, "chosen": True},
        {"name": "other", "remote": False, "chosen": False},
        {"name": "big:cloud", "remote": True, "chosen": False},
    ]
    assert (answer["api"], answer["next"]) == (settings.INFERENCE_API, None)


@pytest.mark.parametrize(("hidden", "api_found"), [(None, "ollama"), ("/api/", "openai")])
def test_auto_finds_out_what_the_server_speaks(
    api: Api, settings: Settings, scripted_server: ScriptedServer, hidden: str | None, api_found: str
) -> None:
    settings.INFERENCE_API, settings.INFERENCE_URL = "auto", scripted_server.url
    scripted_server.without = hidden
    answer = json_of(api.get("/settings/models"))
    assert (answer["api"], [item["name"] for item in answer["items"]]) == (api_found, [MODEL])
    active = json_of(api.get("/settings"))["active"]
    assert (active["api"], active["state"]) == ("rehearsal", "rehearsal")


def test_a_server_that_is_gone(api: Api, settings: Settings) -> None:
    settings.INFERENCE_API, settings.INFERENCE_URL = "ollama", "http://127.0.0.1:1"
    problem_of(api.get("/settings/models"), 502, "inference_unreachable")
    active = json_of(api.get("/settings"))["active"]
    assert active["state"] == "gone"
    assert "ollama serve" in active["detail"]


def test_no_key_is_ever_shown(api: Api, settings: Settings, server: ScriptedServer) -> None:
    settings.INFERENCE_KEY = "sk-very-secret"
    server.play(refusal(401, "bad key sk-very-secret"))
    for response in (api.get("/settings"), api.get("/settings/models"), api.post("/openings", {})):
        assert "sk-very-secret" not in response.content.decode()


def test_settings_are_for_staff(campaign: Campaign) -> None:
    player = factories.make_owner("player")
    player.is_staff = False
    player.save()
    other = Api(player)
    for response in (
        other.get("/settings"),
        other.patch("/settings", {"seed": 1}),
        other.get("/settings/models"),
        other.post("/settings/check"),
    ):
        assert response.status_code == 403, response.content
    assert not SavedSettings.objects.exists()
