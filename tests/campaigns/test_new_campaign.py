"""Making a campaign: what its page asks for, keeps and refuses."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from campaigns.forms.forbidden_changes import LineError, read_changes, write_changes
from campaigns.models import Campaign

FILLED = {"title": "Salt Road", "opening": "You wake."}


@pytest.fixture
def page(client: Client, owner: User) -> Client:
    client.force_login(owner)
    return client


@pytest.mark.parametrize(
    ("text", "changes"),
    [
        ("", []),
        ("dead -> alive", [{"from": "dead", "to": "alive"}]),
        ("  dead→alive for Mara Lind \r\n\r\n", [{"from": "dead", "to": "alive", "entity": "Mara Lind"}]),
        (
            "Destroyed => active FOR the bridge",
            [{"from": "Destroyed", "to": "active", "entity": "the bridge"}],
        ),
        ("unknown -> lost for ever", [{"from": "unknown", "to": "lost", "entity": "ever"}]),
        ("a -> b\nc -> d", [{"from": "a", "to": "b"}, {"from": "c", "to": "d"}]),
    ],
)
def test_lines_are_read_as_forbidden_changes(text: str, changes: list[dict[str, str]]) -> None:
    assert read_changes(text) == changes
    assert read_changes(write_changes(changes)) == changes


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("dead alive", "Line 1, “dead alive”, has no arrow"),
        ("dead -> alive\n-> alive", "Line 2, “-> alive”, needs one status on each side"),
        ("dead ->", "needs one status on each side"),
        ("a -> b -> c", "needs one status on each side"),
        ("dead -> Dead", "forbids no change"),
    ],
)
def test_a_line_that_says_nothing_is_named(text: str, said: str) -> None:
    with pytest.raises(LineError) as refused:
        read_changes(text)
    assert said in str(refused.value)


def test_forbidden_changes_are_kept_in_the_canon(page: Client) -> None:
    data = FILLED | {"canon_rules": "Nobody flies.", "forbidden_changes": "dead -> alive for Mara"}
    page.post(reverse("new-campaign"), data)
    assert Campaign.objects.get().canon == {
        "rules": ["Nobody flies."],
        "forbidden_status_changes": [{"from": "dead", "to": "alive", "entity": "Mara"}],
    }


def test_a_wrong_line_comes_back_beside_its_field(page: Client) -> None:
    response = page.post(reverse("new-campaign"), FILLED | {"forbidden_changes": "dead, alive"})
    text = response.content.decode()
    assert response.status_code == 422
    assert 'id="id_forbidden_changes_error"' in text
    assert "dead, alive</textarea>" in text
    assert not Campaign.objects.exists()


def test_the_page_tells_the_browser_which_draft_became_a_campaign(page: Client) -> None:
    response = page.post(reverse("new-campaign"), FILLED | {"draft": "ab12"})
    cookie = response.cookies["made_draft"]
    assert (cookie.value, cookie["path"], cookie["samesite"]) == ("ab12", reverse("new-campaign"), "Strict")
    response = page.post(reverse("new-campaign"), {"title": "", "draft": "cd34"})
    assert "made_draft" not in response.cookies
    assert 'value="cd34"' in response.content.decode()


def test_an_opening_that_stood_there_before_is_carried_along(page: Client) -> None:
    text = page.post(
        reverse("new-campaign"), {"opening": "New.", "earlier_opening": "Old words."}
    ).content.decode()
    assert 'value="Old words."' in text
    assert "Put back what stood here before" in text
