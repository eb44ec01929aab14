"""The commands of the door, in process."""

import json
import re

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client
from pytest_django import Settings

from campaigns.models import Branch, Campaign, Turn
from storyteller import access
from storyteller.management.command_help import CommandWithExamples
from storyteller.management.commands.api_token import Command as ApiTokenCommand
from storyteller.management.commands.play import Command as PlayCommand
from storyteller.management.commands.prune import Command as PruneCommand
from storyteller.management.commands.sign_in_link import Command as SignInLinkCommand
from storyteller.management.commands.verify import Command as VerifyCommand
from tests import factories

pytestmark = pytest.mark.django_db


def test_token_alone_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("api_token", "create", "story bot")
    output = capsys.readouterr().out
    assert re.fullmatch(r"[\w-]{43}\n", output)
    assert access.authenticate_token(output.strip()) == access.ensure_owner()


def test_tokens_are_listed_without_their_secrets(capsys: pytest.CaptureFixture[str]) -> None:
    raw = access.create_token(access.ensure_owner(), "bot")
    call_command("api_token", "revoke", "bot")
    call_command("api_token", "list")
    call_command("api_token", "list", "--json")
    output = capsys.readouterr().out
    text, listing = output.split("\n", 1)
    assert "bot" in text
    assert "revoked" in text
    (row,) = json.loads(listing)
    assert set(row) == {"id", "name", "created_at", "last_used_at", "revoked_at"}
    assert raw not in output


def test_refusals_are_sentences() -> None:
    with pytest.raises(CommandError, match="No token in use"):
        call_command("api_token", "revoke", "bot")


def test_printed_link_signs_in(capsys: pytest.CaptureFixture[str], client: Client) -> None:
    call_command("sign_in_link", "--port", "8123")
    url = capsys.readouterr().out.strip()
    assert url.startswith("http://127.0.0.1:8123/sign-in/")
    assert client.post(url.removeprefix("http://127.0.0.1:8123")).status_code == 302


def test_play_needs_a_password_and_names_before_others_get_in(settings: Settings) -> None:
    settings.ALLOWED_HOSTS = settings.LOOPBACK_HOSTS
    with pytest.raises(CommandError, match="changepassword owner"):
        call_command("play", "--host", "0.0.0.0", "--port", "0", "--no-browser")  # noqa: S104 - it is refused
    owner = User.objects.get(username="owner")
    owner.set_password("correct horse")
    owner.save()
    with pytest.raises(CommandError, match="STORYTELLER_HOSTS"):
        call_command("play", "--host", "0.0.0.0", "--port", "0", "--no-browser")  # noqa: S104 - it is refused


@pytest.mark.parametrize(
    "command", [ApiTokenCommand(), PlayCommand(), PruneCommand(), SignInLinkCommand(), VerifyCommand()]
)
def test_help_has_examples_and_exit_codes(command: CommandWithExamples) -> None:
    text = command.create_parser("manage.py", command.__module__.rsplit(".", 1)[1]).format_help()
    assert "\nexamples:\n  manage.py " in text
    assert "\nexit codes:\n  0  " in text


def _departed_story(owner: User) -> Campaign:
    campaign = factories.make_campaign(owner=owner)
    factories.play_turns(campaign, 3)
    factories.fork_at(campaign, 1)
    return campaign


def test_prune_says_what_would_go_and_deletes_only_when_told(
    owner: User, capsys: pytest.CaptureFixture[str]
) -> None:
    campaign = _departed_story(owner)
    call_command("prune", str(campaign.pk))
    output = capsys.readouterr().out
    assert "Would delete 2 turns, 2 takes, 0 branches." in output
    assert "“Main”, from turn 2 on" in output
    assert "Add --yes" in output
    assert Turn.objects.count() == 5
    call_command("prune", str(campaign.pk), "--yes")
    assert "Deleted 2 turns, 2 takes, 0 branches." in capsys.readouterr().out
    assert Turn.objects.count() == 3
    call_command("verify", str(campaign.pk))


def test_prune_answers_a_program(owner: User, capsys: pytest.CaptureFixture[str]) -> None:
    campaign = _departed_story(owner)
    main = Branch.objects.get(campaign=campaign, parent=None)
    Branch.objects.filter(pk=main.pk).update(is_kept=True)
    call_command("prune", "--json", "--yes")
    assert json.loads(capsys.readouterr().out) == [
        {
            "campaign": campaign.pk,
            "title": campaign.title,
            "deleted": True,
            "turns": 0,
            "takes": 0,
            "branches": 0,
            "lines": [],
            "passed_over": [{"branch": main.pk, "name": "Main", "reason": "“Main” is kept.", "turns": 2}],
        }
    ]


def test_prune_refuses_in_sentences(owner: User) -> None:
    with pytest.raises(CommandError, match="There is no campaign 404") as refused:
        call_command("prune", "404")
    assert refused.value.returncode == 2
    campaign = _departed_story(owner)
    factories.open_turn(campaign)
    with pytest.raises(CommandError, match="A turn is being told"):
        call_command("prune", str(campaign.pk), "--yes")
