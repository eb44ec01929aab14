"""Who is let in, and what every refusal under /api/v1/ looks like, whoever refuses."""

import pytest
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.test import AsyncClient, Client
from django.test.client import RequestFactory
from django.urls import path

from campaigns import errors as story
from campaigns.models import Campaign, TurnRequest
from campaigns.schemas import TurnRequestOut
from narrative.errors import NarrativeError, TurnFailedError
from storyteller import __version__
from storyteller.api import api
from storyteller.api_errors import STATUS
from storyteller.urls import urlpatterns as game
from tests import factories
from tests.api_client import Api, bearer, json_of, problem_of


def broken(request: HttpRequest) -> HttpResponse:
    raise RuntimeError("a secret of the story")


urlpatterns = [path("api/v1/broken", broken), *game]


@pytest.fixture
def browser(owner: User) -> Client:
    """A signed-in session whose changes are checked for their CSRF token."""
    client = Client(enforce_csrf_checks=True)
    client.force_login(owner)
    return client


def csrf_token(browser: Client) -> str:
    """As a page of the game hands it out."""
    browser.cookies["storyteller_csrf"] = "a" * 32
    return "a" * 32


def test_health_needs_nothing(db: None, client: Client) -> None:
    assert json_of(client.get("/api/v1/health")) == {"status": "ok", "version": __version__}


@pytest.mark.parametrize(
    "address", ["campaigns", "docs", "openapi.json", "campaigns/1/story", "campaigns/1/requests"]
)
def test_a_stranger_is_told_to_sign_in(db: None, client: Client, address: str) -> None:
    refused = client.get(f"/api/v1/{address}")
    problem_of(refused, 401, "not_signed_in")
    assert refused["WWW-Authenticate"] == "Bearer"


@pytest.mark.parametrize("address", ["campaigns", "campaigns/1/undo", "campaigns/1/turns", "requests/1/keep"])
def test_a_stranger_who_writes_is_told_to_sign_in(db: None, address: str) -> None:
    client = Client(enforce_csrf_checks=True)
    problem_of(client.post(f"/api/v1/{address}", {}, "application/json"), 401, "not_signed_in")


@pytest.mark.parametrize("token", ["wrong", "", "wrong token", "é"])
def test_a_wrong_token_is_refused_whatever_session_comes_with_it(browser: Client, token: str) -> None:
    assert browser.get("/api/v1/campaigns").status_code == 200
    for address in ("campaigns", "docs", "openapi.json"):
        refused = browser.get(f"/api/v1/{address}", headers={"Authorization": f"Bearer {token}"})
        problem_of(refused, 401, "not_signed_in")


def test_a_token_needs_no_csrf_token(owner: User) -> None:
    client = Client(enforce_csrf_checks=True, headers=bearer(owner))
    json_of(client.post("/api/v1/campaigns", {"title": "A", "opening": "B"}, "application/json"), 201)


def test_a_session_reads_and_needs_the_csrf_token_to_write(browser: Client, campaign: Campaign) -> None:
    address = f"/api/v1/campaigns/{campaign.pk}"
    json_of(browser.get(f"{address}/story"))
    problem_of(browser.post(f"{address}/undo", {}, "application/json"), 403, "forbidden")
    problem_of(browser.delete(f"{address}?confirm=The+Crooked+Lantern"), 403, "forbidden")
    problem_of(browser.post(f"{address}/turns", {"mode": "continue"}, "application/json"), 403, "forbidden")
    headers = {"X-CSRFToken": csrf_token(browser)}
    json_of(browser.post(f"{address}/undo", {}, "application/json", headers=headers))


def test_the_documentation_is_for_those_who_are_let_in(owner: User, browser: Client) -> None:
    assert browser.get("/api/v1/docs").status_code == 200
    assert Client(headers=bearer(owner)).get("/api/v1/openapi.json").json()["info"]["version"] == __version__


@pytest.mark.parametrize(
    "address", ["", "nothing", "campaigns/1/nothing", "campaigns/", "prune", "campaigns//story"]
)
def test_an_unknown_address(owner: User, address: str) -> None:
    problem_of(Api(owner).get(f"/{address}"), 404, "not_found")


@pytest.mark.parametrize("method", ["put", "patch", "delete", "options", "trace", "head"])
def test_an_unknown_method_names_those_that_are_known(owner: User, method: str) -> None:
    answer = getattr(Client(headers=bearer(owner)), method)("/api/v1/campaigns")
    assert {name.strip() for name in answer["Allow"].split(",")} == {"GET", "POST"}
    assert (answer.status_code, answer["Content-Type"]) == (405, "application/problem+json")
    if method != "head":
        problem_of(answer, 405, "method_not_allowed")


def test_an_unknown_host(owner: User) -> None:
    answer = Client(headers=bearer(owner)).get("/api/v1/campaigns", headers={"Host": "rebound.example"})
    problem_of(answer, 400, "malformed")


def test_another_site_is_not_answered_to(owner: User, browser: Client) -> None:  # SEC-14
    headers = {"Origin": "https://elsewhere.example", "X-CSRFToken": csrf_token(browser)}
    answer = browser.post("/api/v1/campaigns", {}, "application/json", headers=headers)
    problem_of(answer, 403, "forbidden")
    read = browser.get("/api/v1/campaigns", headers={"Origin": "https://elsewhere.example"})
    assert not [name for name in read.headers if name.lower().startswith("access-control")]


@pytest.mark.urls(__name__)
def test_a_fault_of_the_program_tells_nothing_of_itself(owner: User) -> None:
    client = Client(headers=bearer(owner), raise_request_exception=False)
    answer = client.get("/api/v1/broken")
    assert "secret" not in str(problem_of(answer, 500, "internal"))


def test_a_page_outside_the_api_stays_a_page(owner: User, client: Client) -> None:
    client.force_login(owner)
    answer = client.get("/nothing/")
    assert answer.status_code == 404
    assert answer["Content-Type"].startswith("text/html")


@pytest.mark.django_db(transaction=True)
async def test_refusals_are_the_same_asynchronously(owner: User) -> None:
    client = AsyncClient()
    problem_of(await client.get("/api/v1/campaigns"), 401, "not_signed_in")
    problem_of(await client.get("/api/v1/nothing"), 404, "not_found")
    problem_of(await client.delete("/api/v1/campaigns"), 405, "method_not_allowed")
    problem_of(await client.post("/api/v1/campaigns/1/turns"), 401, "not_signed_in")


@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("inference_unreachable", 502),
        ("inference_refused_by_policy", 502),
        ("inference_model_missing", 502),
        ("inference_context_exceeded", 502),
        ("inference_bad_response", 502),
        ("inference_timed_out", 502),
        ("inference_overloaded", 502),
        ("context_overflow", 422),
        ("head_moved", 409),
        ("interrupted", 503),
        ("storage_failed", 503),
        ("internal_error", 503),
    ],
)
def test_a_failed_turn_answers_with_its_request(campaign: Campaign, code: str, status: int) -> None:
    request = factories.open_turn(campaign, "I wait.")
    values = {"status": "failed", "code": code, "detail": "Why.", "partial": "Half a"}
    TurnRequest.objects.filter(pk=request.pk).update(**values)
    request.refresh_from_db()
    answer = api.on_exception(RequestFactory().get("/"), TurnFailedError(request))
    document = problem_of(answer, status, code)
    assert document["detail"] == "Why."
    assert (document["request"]["id"], document["request"]["partial"]) == (request.pk, "Half a")
    assert set(document["request"]) == set(TurnRequestOut.model_fields)


def test_every_anticipated_error_has_its_place_in_the_table() -> None:
    anticipated = {*story.StoryError.__subclasses__(), *NarrativeError.__subclasses__()}
    assert set(STATUS) == anticipated - {TurnFailedError}
