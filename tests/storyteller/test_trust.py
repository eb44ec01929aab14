"""What must hold on every address there is, found by walking the addresses: a new one is tried without being
named here. And that nothing of the game reaches beyond this machine.

Hosts, headers and the origin of sockets: test_hosts_and_headers.py, test_websocket_origin.py. Each operation
of the API with a body of its own: tests/campaigns/api/test_ownership.py.
"""

import json
import re
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.db.models import Model
from django.test import AsyncClient, Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from campaigns.models import Campaign, Turn
from campaigns.services import requests
from campaigns.services.save_points import create_save_point
from narrative.corrections import correct_state
from narrative.database import in_database
from narrative.models import StateEvent
from narrative.remembering import add_memory, write_summary
from storyteller.access import create_token
from storyteller.api import api
from storyteller.models import ApiToken
from tests import factories
from tests.api_client import bearer

ROOT = Path(__file__).parents[2]
ELSEWHERE = "https://elsewhere.example"
API = "/api/v1"
PARAMETER = re.compile(r"<(?:\w+:)?(\w+)>|\{(\w+)\}")
Operation = tuple[str, str, dict[str, Any]]


# --- the walk ----------------------------------------------------------------------------------------------


def page_routes(resolver: URLResolver | None = None, prefix: str = "") -> Iterator[str]:
    """Every page's route, with its parameters as they are written. Admin and API are walked apart."""
    for pattern in (resolver or get_resolver()).url_patterns:
        route = prefix + str(pattern.pattern)
        if route.startswith(("admin/", "api/")):
            continue
        if isinstance(pattern, URLPattern):
            yield route
        else:
            yield from page_routes(pattern, route)


def operations() -> list[Operation]:
    """Method, path and description of every operation of the API."""
    schema = api.get_openapi_schema()
    return [
        (method.upper(), path.removeprefix(API), operation | {"schemas": schema["components"]["schemas"]})
        for path, methods in schema["paths"].items()
        for method, operation in methods.items()
    ]


def parameters(route: str) -> list[str]:
    return [first or second for first, second in PARAMETER.findall(route)]


def is_about(route: str, things: dict[str, int]) -> bool:
    """Whether it names something that belongs to somebody."""
    return any(name in things for name in parameters(route))


def filled(route: str, things: dict[str, int]) -> str:
    """The address of a route. An id of a new kind needs its line in ``things``; any other word is made up."""

    def value(found: re.Match[str]) -> str:
        name = found[1] or found[2]
        is_word = name not in things and not name.endswith("_id") and not found[0].startswith("<int:")
        return "word" if is_word else str(things[name])

    return "/" + PARAMETER.sub(value, route).lstrip("/")


def example(schema: dict[str, Any], schemas: dict[str, Any]) -> Any:
    """The least that a JSON schema takes, so that a refusal is not one of the form."""
    if "$ref" in schema:
        return example(schemas[schema["$ref"].rsplit("/", 1)[1]], schemas)
    if "const" in schema or "enum" in schema:
        return schema.get("const", schema.get("enum", [None])[0])
    for choice in ("anyOf", "allOf", "oneOf"):
        if choice in schema:
            return example(schema[choice][0], schemas)
    if schema.get("type") == "object":
        fields = schema.get("properties", {})
        wanted = schema.get("required", []) or list(fields)[:1]
        return {name: example(fields[name], schemas) for name in wanted}
    if schema.get("type") == "array":
        return [example(schema["items"], schemas)] * schema.get("minItems", 0)
    return {"integer": 1, "number": 1, "boolean": True}.get(schema.get("type", ""), "Mine")


def body_of(operation: dict[str, Any]) -> Any:
    content = operation.get("requestBody", {}).get("content", {})
    return example(content["application/json"]["schema"], operation["schemas"]) if content else {}


def query_of(operation: dict[str, Any]) -> str:
    wanted = [
        item for item in operation.get("parameters", []) if item["in"] == "query" and item.get("required")
    ]
    return "&".join(f"{item['name']}={example(item['schema'], {})}" for item in wanted)


@pytest.fixture
def things(campaign: Campaign) -> dict[str, int]:
    """A parameter of an address, and what of the owner's it stands for."""
    create_token(campaign.owner, "bot")
    turn = factories.play(campaign)
    made = {"type": "create_entity", "entity": "mara", "name": "Mara"}
    correct_state(campaign_id=campaign.pk, events=[made])
    event = StateEvent.objects.get(campaign=campaign)
    save_point = create_save_point(campaign_id=campaign.pk, name="Here")
    failed = factories.open_turn(campaign)
    requests.fail_request(request_id=failed.pk, code="interrupted", detail="Gone.", partial="Half a")
    return {
        "campaign_id": campaign.pk,
        "turn_id": turn.pk,
        "take_id": turn.live_take_id or 0,
        "branch_id": turn.branch_id,
        "save_point_id": save_point.pk,
        "memory_id": add_memory(campaign_id=campaign.pk, text="Mara keeps the brass key.").pk,
        "summary_id": write_summary(campaign_id=campaign.pk, text="A courier came to the inn.").pk,
        "request_id": failed.pk,
        "token_id": ApiToken.objects.get(name="bot").pk,
        "event_id": event.pk,
        "number": 1,
        "depth": 0,
    }


def everything() -> dict[str, list[Any]]:
    """Every row of the stories, and which tokens let in."""
    models: list[type[Model]] = [
        model for app in ("campaigns", "narrative") for model in apps.get_app_config(app).get_models()
    ]
    rows = {model.__name__: list(model._default_manager.order_by("pk").values()) for model in models}
    return rows | {"ApiToken": list(ApiToken.objects.order_by("pk").values("pk", "name", "revoked_at"))}


@pytest.fixture
def home(async_client: AsyncClient, owner: User) -> AsyncClient:
    """The owner's browser."""
    async_client.force_login(owner)
    return async_client


@pytest.fixture
def stranger(db: None) -> User:
    return User.objects.create_user("stranger")


@pytest.fixture
def visitor(async_client: AsyncClient, stranger: User) -> AsyncClient:
    """The browser of somebody with an account and no story."""
    async_client.force_login(stranger)
    return async_client


@pytest.fixture
def token(stranger: User) -> dict[str, str]:
    """The headers of a program that has a token of the same somebody."""
    return bearer(stranger)


# --- other people's things (SEC-15) ------------------------------------------------------------------------


def test_the_walk_finds_what_there_is() -> None:
    assert {"", "sign-in/", "campaigns/<int:campaign_id>/undo/"} <= set(page_routes())
    assert {("GET", "/health"), ("POST", "/campaigns/{campaign_id}/undo")} <= {
        (method, path) for method, path, _ in operations()
    }


@pytest.mark.django_db(transaction=True)
async def test_no_page_shows_or_changes_what_is_somebody_elses(
    visitor: AsyncClient, things: dict[str, int]
) -> None:
    before = await in_database(everything)()
    for route in page_routes():
        if not is_about(route, things):
            continue
        address = filled(route, things)
        answers = {
            method: (await getattr(visitor, method)(address)).status_code for method in ("get", "post")
        }
        assert set(answers.values()) <= {404, 405}, (address, answers)
        assert 404 in answers.values(), (address, answers)
    assert await in_database(everything)() == before


@pytest.mark.django_db(transaction=True)
async def test_no_operation_gives_or_changes_what_is_somebody_elses(
    async_client: AsyncClient, token: dict[str, str], things: dict[str, int]
) -> None:
    before = await in_database(everything)()
    for method, path, operation in operations():
        if not is_about(path, things):
            continue
        address = f"{API}{filled(path, things)}?{query_of(operation)}"
        body = body_of(operation)
        answer = await async_client.generic(
            method, address, json.dumps(body), "application/json", headers=token
        )
        assert answer.status_code == 404, (method, address, body, answer.content)
        assert answer["Content-Type"] == "application/problem+json"
    assert await in_database(everything)() == before


@pytest.mark.django_db(transaction=True)
async def test_the_same_addresses_answer_their_owner(home: AsyncClient, things: dict[str, int]) -> None:
    """Or the tests above would hold for addresses that lead nowhere."""
    for route in page_routes():
        if not set(parameters(route)) <= set(things):
            continue
        address = filled(route, things)
        answer = await home.get(address)
        assert answer.status_code in (200, 302, 405), (address, answer.status_code)


@pytest.mark.django_db(transaction=True)
async def test_the_admin_is_for_staff_alone(visitor: AsyncClient, campaign: Campaign) -> None:
    for model in (Campaign, Turn):
        address = reverse("admin:index") + f"{model._meta.app_label}/{model._meta.model_name}/"
        for path in (address, f"{address}1/change/"):
            answer = await visitor.get(path)
            assert (answer.status_code, answer["Location"].split("?")[0]) == (302, "/admin/login/")


# --- other sites (SEC-14) ----------------------------------------------------------------------------------


@pytest.fixture
def browser(owner: User) -> Client:
    """A signed-in browser, whose forms are checked."""
    client = Client(enforce_csrf_checks=True)
    client.force_login(owner)
    client.cookies["storyteller_csrf"] = "a" * 32
    return client


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("headers", [{}, {"Origin": ELSEWHERE, "X-CSRFToken": "a" * 32}])
def test_no_page_takes_a_form_from_elsewhere(
    browser: Client, things: dict[str, int], headers: dict[str, str]
) -> None:
    before = everything()
    for route in page_routes():
        if "token" in parameters(route):
            continue
        answer = browser.post(filled(route, things), headers=headers)
        assert answer.status_code == 403, (route, answer.status_code)
    assert everything() == before


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("headers", [{}, {"Origin": ELSEWHERE, "X-CSRFToken": "a" * 32}])
def test_no_operation_changes_anything_for_another_site(
    browser: Client, things: dict[str, int], headers: dict[str, str]
) -> None:
    before = everything()
    for method, path, operation in operations():
        if method == "GET":
            continue
        address = f"{API}{filled(path, things)}"
        answer = browser.generic(
            method, address, json.dumps(body_of(operation)), "application/json", headers=headers
        )
        assert answer.status_code == 403, (method, address, answer.status_code)
    assert everything() == before


@pytest.mark.django_db(transaction=True)
def test_no_answer_may_be_read_by_another_site(browser: Client, things: dict[str, int]) -> None:
    pages = [filled(route, things) for route in page_routes() if "token" not in parameters(route)]
    reads = [API + filled(path, things) for method, path, _ in operations() if method == "GET"]
    for address in [*pages, *reads, "/admin/", "/static/css/plain.css"]:
        for ask in (browser.get, browser.options):
            answer = ask(address, headers={"Origin": ELSEWHERE, "Access-Control-Request-Method": "POST"})
            assert not [name for name in answer.headers if name.lower().startswith("access-control-")], (
                address
            )


# --- beyond this machine (SEC-12, SEC-13) ------------------------------------------------------------------

_watched: list[list[str]] = []
_LOOPBACK = ("127.", "localhost", "::1")


def _watch(event: str, arguments: tuple[Any, ...]) -> None:
    """An audit hook: it sees every connection and look-up of the process, whatever library makes it."""
    if not _watched or event not in ("socket.connect", "socket.sendto", "socket.getaddrinfo"):
        return
    target = arguments[0] if event == "socket.getaddrinfo" else arguments[1]
    host = str(target[0] if isinstance(target, tuple) else target)
    is_network = isinstance(target, tuple) or event == "socket.getaddrinfo"  # else a name in the file system
    if is_network and not host.startswith(_LOOPBACK):
        _watched[-1].append(f"{event} {host}")
        raise OSError(f"no network here: {host}")


@pytest.fixture(scope="module", autouse=True)
def _hook() -> None:
    sys.addaudithook(_watch)  # cannot be taken away again; it does nothing but for the tests that watch


@pytest.fixture
def beyond() -> Iterator[list[str]]:
    """What was tried to be reached beyond this machine; nothing of it is."""
    tried: list[str] = []
    _watched.append(tried)
    yield tried
    _watched.remove(tried)


def test_a_connection_to_elsewhere_would_be_seen(beyond: list[str]) -> None:
    for act in (
        lambda: socket.create_connection(("192.0.2.1", 80), timeout=0.1),
        lambda: socket.getaddrinfo("elsewhere.example", 80),
    ):
        with pytest.raises(OSError, match="no network here"):
            act()
    assert len(beyond) >= 2


@pytest.mark.django_db(transaction=True)
async def test_pages_api_and_admin_reach_nothing_beyond_this_machine(
    home: AsyncClient, things: dict[str, int], beyond: list[str]
) -> None:
    pages = [filled(route, things) for route in page_routes() if "token" not in parameters(route)]
    reads = [API + filled(path, things) for method, path, _ in operations() if method == "GET"]
    admin = [reverse("admin:index"), reverse("admin:auth_user_changelist")]
    seen = [(await home.get(address)).status_code for address in [*pages, *reads, *admin]]
    assert 200 in seen
    assert beyond == []


@pytest.mark.django_db(transaction=True)
async def test_a_turn_in_rehearsal_reaches_nothing_beyond_this_machine(
    home: AsyncClient, campaign: Campaign, beyond: list[str]
) -> None:
    await home.post(reverse("submit-turn", args=[campaign.pk]), {"mode": "action", "text": "I wait."})
    await in_database(campaign.refresh_from_db)()
    assert campaign.head_depth == 1
    assert beyond == []


# Hosted models and stores, by host and by product. The API that OpenAI's server made common is spoken by
# local servers as well, and is called by its name; its maker's address is another matter.
HOSTS = (
    "api.openai.com anthropic.com openrouter.ai googleapis.com groq.com mistral.ai together.xyz fireworks.ai",
    "cohere.com cohere.ai deepseek.com x.ai perplexity.ai replicate.com huggingface.co amazonaws.com",
)
PRODUCTS = ("chatgpt gpt-3 gpt-4 gpt-5 claude gemini bedrock pinecone weaviate qdrant milvus turbopuffer",)


def test_no_hosted_model_or_store_is_named() -> None:
    policy = ROOT / "narrative" / "inference" / "policy.py"
    folders = ("storyteller", "narrative", "knowledge", "campaigns", "templates", "static")
    kinds = (".py", ".html", ".js", ".css", ".txt", ".json")
    files = [path for folder in folders for path in (ROOT / folder).rglob("*") if path.suffix in kinds]
    files += [ROOT / "requirements.txt"]
    assert policy in files
    words = {
        word: re.compile(rf"(?<![\w.]){re.escape(word)}(?![\w])")
        for word in " ".join(HOSTS + PRODUCTS).split()
    }
    named = [
        (str(path.relative_to(ROOT)), word)
        for path in files
        if path != policy
        for word, pattern in words.items()
        if pattern.search(path.read_text().lower())
    ]
    assert named == []
