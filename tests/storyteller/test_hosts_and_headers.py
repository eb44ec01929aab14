"""Which Host is answered, and what every answer carries."""

import pytest
from django.contrib.auth.models import User
from django.test import AsyncClient, Client
from pytest_django import Settings

PATHS = [
    "/",
    "/sign-in/",
    "/nothing/here/",
    "/admin/",
    "/api/v1/health",
    "/api/v1/nothing",
    "/static/css/plain.css",
]


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8000", "127.0.0.1.evil.example", "a@127.0.0.1", "10.0.0.1"]
)
def test_foreign_names_are_refused_everywhere(client: Client, path: str, host: str) -> None:
    response = client.get(path, headers={"host": host})
    assert response.status_code == 400
    is_api = path.startswith("/api/")
    assert response["Content-Type"].startswith("application/problem+json" if is_api else "text/plain")


@pytest.mark.parametrize("host", ["localhost", "localhost:8000", "127.0.0.1:9", "[::1]:8000", "LOCALHOST"])
@pytest.mark.parametrize("path", ["/sign-in/", "/static/css/plain.css"])
def test_own_names_are_answered(client: Client, db: None, host: str, path: str) -> None:
    assert client.get(path, headers={"host": host}).status_code == 200


def test_operator_adds_names(client: Client, db: None, settings: Settings) -> None:
    settings.ALLOWED_HOSTS = [*settings.LOOPBACK_HOSTS, "den.lan"]
    assert client.get("/sign-in/", headers={"host": "den.lan:8000"}).status_code == 200


@pytest.mark.parametrize("path", [*PATHS, "/api/v1/docs"])
@pytest.mark.parametrize("is_signed_in", [True, False])
def test_every_answer_says_what_its_page_may_do(
    client: Client, keeper: User, path: str, is_signed_in: bool
) -> None:
    if is_signed_in:
        client.force_login(keeper)
    response = client.get(path)
    policy = dict(part.split(" ", 1) for part in response["Content-Security-Policy"].split("; "))
    assert policy["default-src"] == policy["frame-ancestors"] == policy["object-src"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
    assert policy["img-src"] == ("'self' data:" if path == "/api/v1/docs" else "'self'")
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["X-Frame-Options"] == "DENY"
    assert response["Referrer-Policy"] == "same-origin"
    assert response["Cross-Origin-Opener-Policy"] == "same-origin"
    assert "camera=()" in response["Permissions-Policy"]


@pytest.mark.parametrize("path", PATHS)
def test_other_sites_may_not_read(client: Client, db: None, path: str) -> None:
    response = client.get(path, headers={"origin": "https://elsewhere.example"})
    assert not [name for name in response.headers if name.lower().startswith("access-control-")]


@pytest.mark.django_db(transaction=True)
async def test_headers_and_hosts_under_asgi() -> None:
    client = AsyncClient()
    assert "Content-Security-Policy" in (await client.get("/sign-in/")).headers
    refused = await client.get("/sign-in/", headers={"host": "evil.example"})
    assert refused.status_code == 400
    assert "Content-Security-Policy" in refused.headers


def test_pages_that_are_not_there(client: Client, keeper: User) -> None:
    client.force_login(keeper)
    response = client.get("/nothing/here/")
    assert response.status_code == 404
    assert "There is nothing here" in response.content.decode()


def test_swagger_page_has_no_script_of_its_own(client: Client, keeper: User) -> None:
    client.force_login(keeper)
    page = client.get("/api/v1/docs").content.decode()
    scripts = [part.split(">", 1)[0] for part in page.split("<script")[1:]]
    assert scripts
    assert all('src="/static/' in tag or 'type="application/json"' in tag for tag in scripts)
    assert "<style" not in page
    assert " style=" not in page
