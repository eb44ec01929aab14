"""The door as a browser meets it."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from storyteller import access
from storyteller.models import SignInLink

PASSWORD = "correct horse battery"


@pytest.fixture
def link(keeper: User) -> str:
    return f"/sign-in/{access.make_sign_in_link(keeper)}/"


def test_pages_lead_strangers_to_the_door(client: Client, db: None) -> None:
    for path in ("/", "/admin/", "/admin/auth/user/"):
        response = client.get(path)
        assert response.status_code == 302
        assert response["Location"].startswith("/sign-in/?next=/")


def test_door_says_how_to_get_a_link(client: Client, db: None) -> None:
    page = client.get("/sign-in/").content.decode()
    assert "manage.py sign_in_link" in page
    assert 'name="password"' not in page  # nobody has one yet


def test_fetching_a_link_does_not_spend_it(client: Client, link: str) -> None:
    for _ in range(3):
        page = client.get(link)
        client.head(link)
    assert page.status_code == 200
    main = page.content.decode().partition("<main")[2].partition("</main")[0]
    assert main.count("<button") == 1
    assert "_auth_user_id" not in client.session
    assert SignInLink.objects.get().used_at is None


def test_button_signs_in_and_the_same_session_opens_the_admin(client: Client, link: str) -> None:
    response = client.post(link)
    assert (response.status_code, response["Location"]) == (302, "/")
    assert client.get("/admin/").status_code == 200


def test_used_link_says_what_to_do(client: Client, link: str) -> None:
    client.post(link)
    client.post("/sign-out/")
    for response in (client.get(link), client.post(link)):
        assert response.status_code == 410
        assert "has been used" in response.content.decode()
        assert "manage.py sign_in_link" in response.content.decode()
    assert "_auth_user_id" not in client.session


def test_button_needs_the_forms_own_token(link: str) -> None:
    assert Client(enforce_csrf_checks=True).post(link).status_code == 403
    assert SignInLink.objects.get().used_at is None


def test_sign_out_is_a_post(client: Client, link: str) -> None:
    client.post(link)
    assert client.get("/sign-out/").status_code == 405
    assert client.post("/sign-out/")["Location"] == "/sign-in/"
    assert client.get("/admin/").status_code == 302


def test_password_works_where_one_is_set(client: Client, keeper: User) -> None:
    keeper.set_password(PASSWORD)
    keeper.save()
    assert 'name="password"' in client.get("/sign-in/").content.decode()
    wrong = client.post("/sign-in/", {"username": "owner", "password": "guess"})
    assert wrong.status_code == 200
    assert 'class="error"' in wrong.content.decode()
    right = client.post("/sign-in/", {"username": "owner", "password": PASSWORD, "next": "/admin/"})
    assert right["Location"] == "/admin/"


@pytest.mark.parametrize(
    ("target", "lands_on"),
    [
        ("/admin/", "/admin/"),
        ("/campaigns/1/?x=1", "/campaigns/1/?x=1"),
        ("https://elsewhere.example/", "/"),
        ("//elsewhere.example/", "/"),
        ("/\\elsewhere.example/", "/"),
        ("http://testserver/admin/", "/"),
        ("javascript:alert(1)", "/"),
        ("", "/"),
    ],
)
def test_next_stays_on_this_site(client: Client, keeper: User, target: str, lands_on: str) -> None:
    keeper.set_password(PASSWORD)
    keeper.save()
    response = client.post("/sign-in/", {"username": "owner", "password": PASSWORD, "next": target})
    assert response["Location"] == lands_on


def test_admins_own_door_leads_to_ours(client: Client, db: None) -> None:
    assert client.get("/admin/login/?next=/admin/auth/")["Location"] == "/sign-in/?next=%2Fadmin%2Fauth%2F"
    assert client.get("/admin/login/?next=//x.example")["Location"] == "/sign-in/?next=%2Fadmin%2F"


def test_wrong_passwords_are_slowed_per_account(keeper: User) -> None:
    keeper.set_password(PASSWORD)
    keeper.save()
    for number in range(5):
        other_address = Client(REMOTE_ADDR=f"127.0.0.{number + 2}")
        assert other_address.post("/sign-in/", {"username": "Owner", "password": "guess"}).status_code == 200
    response = Client().post("/sign-in/", {"username": "owner", "password": PASSWORD})
    assert response.status_code == 429
    assert int(response["Retry-After"]) >= 1
    assert "Wait" in response.content.decode()


def test_no_page_can_keep_the_owner_out_with_wrong_links(client: Client, link: str) -> None:
    assert [client.get(f"/sign-in/wrong{number}/").status_code for number in range(9)] == [410] * 9
    assert client.post(link).status_code == 302


def test_cookies_have_names_of_our_own_and_are_kept_from_scripts(link: str) -> None:
    client = Client()
    client.get(link)
    client.post(link)
    assert set(client.cookies) == {"storyteller_session", "storyteller_csrf"}
    for cookie in client.cookies.values():
        assert (cookie["httponly"], cookie["samesite"], cookie["secure"]) == (True, "Lax", "")


def test_cookies_are_secure_under_tls(link: str) -> None:
    client = Client()
    client.get(link, secure=True)
    client.post(link, secure=True)
    assert all(cookie["secure"] for cookie in client.cookies.values())


def test_form_from_elsewhere_is_refused_with_a_page(db: None) -> None:
    response = Client(enforce_csrf_checks=True).post("/sign-out/")
    assert response.status_code == 403
    assert "reload the page" in response.content.decode()
