"""Who gets in, without a page in between."""

import threading
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.utils import timezone

from storyteller import access
from storyteller.errors import OwnerNameTakenError, SignInLinkError, TokenNameError, UnknownTokenError
from storyteller.models import ApiToken, SignInLink


def test_owner_is_made_once_and_has_no_password(keeper: User) -> None:
    assert (keeper.username, keeper.is_staff, keeper.is_superuser) == ("owner", True, True)
    assert not keeper.has_usable_password()
    assert access.ensure_owner() == keeper
    assert not access.is_any_password_set()


def test_first_administrator_is_the_owner(db: None) -> None:
    User.objects.create_user("somebody")
    first = User.objects.create_superuser("ada", password="correct horse")
    User.objects.create_superuser("bob", password="battery staple")
    assert access.ensure_owner() == first
    assert access.is_any_password_set()


def test_an_account_is_not_made_an_administrator_for_its_name(db: None) -> None:
    User.objects.create_user("owner")
    with pytest.raises(OwnerNameTakenError, match="createsuperuser"):
        access.ensure_owner()


def test_link_signs_in_once(keeper: User) -> None:
    token = access.make_sign_in_link(keeper)
    access.check_sign_in_link(token)
    assert access.use_sign_in_link(token) == keeper
    with pytest.raises(SignInLinkError, match="has been used"):
        access.use_sign_in_link(token)


def test_link_works_until_it_expires(keeper: User) -> None:
    token = access.make_sign_in_link(keeper)
    link = SignInLink.objects.get()
    assert abs(link.expires_at - timezone.now() - timedelta(hours=24)) < timedelta(minutes=1)
    SignInLink.objects.update(expires_at=timezone.now())
    with pytest.raises(SignInLinkError, match="has expired"):
        access.use_sign_in_link(token)


def test_unknown_links_and_those_of_closed_accounts_sign_nobody_in(keeper: User) -> None:
    token = access.make_sign_in_link(keeper)
    User.objects.update(is_active=False)
    for wrong in (token, token[:-1], "", "ü"):
        with pytest.raises(SignInLinkError, match="not one of this game's"):
            access.use_sign_in_link(wrong)


def test_forgotten_links_are_cleared_away(keeper: User) -> None:
    access.make_sign_in_link(keeper)
    SignInLink.objects.update(expires_at=timezone.now() - timedelta(days=31))
    access.make_sign_in_link(keeper)
    assert SignInLink.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_of_many_uses_at_once_one_succeeds() -> None:
    token = access.make_sign_in_link(access.ensure_owner())
    start = threading.Barrier(4)
    outcomes: list[str] = []

    def use() -> None:
        start.wait()
        try:
            outcomes.append(access.use_sign_in_link(token).username)
        except SignInLinkError:
            outcomes.append("refused")
        finally:
            connection.close()

    threads = [threading.Thread(target=use) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["owner", "refused", "refused", "refused"]


def test_only_hashes_are_stored(keeper: User) -> None:
    secrets = [access.create_token(keeper, "bot"), access.make_sign_in_link(keeper)]
    stored = repr([*ApiToken.objects.values(), *SignInLink.objects.values()])
    assert all(len(secret) >= 43 and secret not in stored for secret in secrets)


def test_token_lets_in_until_it_is_revoked(keeper: User) -> None:
    raw = access.create_token(keeper, "bot")
    assert access.authenticate_token(raw) == keeper
    assert access.authenticate_token(raw + "x") is None
    access.revoke_token(keeper, "bot")
    assert access.authenticate_token(raw) is None
    assert access.create_token(keeper, "bot") != raw  # the name is free again


def test_token_of_a_closed_account_lets_nobody_in(keeper: User) -> None:
    raw = access.create_token(keeper, "bot")
    User.objects.update(is_active=False)
    assert access.authenticate_token(raw) is None


def test_use_of_a_token_is_written_once_a_minute(keeper: User) -> None:
    raw = access.create_token(keeper, "bot")
    access.authenticate_token(raw)
    first = ApiToken.objects.get().last_used_at
    access.authenticate_token(raw)
    assert ApiToken.objects.get().last_used_at == first
    ApiToken.objects.update(last_used_at=timezone.now() - timedelta(seconds=61))
    access.authenticate_token(raw)
    last = ApiToken.objects.get().last_used_at
    assert first is not None
    assert last is not None
    assert last > first


@pytest.mark.parametrize("name", ["", "  ", "a\nb", "x" * 101])
def test_names_that_no_token_can_have(keeper: User, name: str) -> None:
    with pytest.raises(TokenNameError):
        access.create_token(keeper, name)


def test_two_tokens_in_use_do_not_share_a_name(keeper: User) -> None:
    access.create_token(keeper, "bot")
    with pytest.raises(TokenNameError, match="already"):
        access.create_token(keeper, " bot ")


def test_revoking_by_number_and_by_name(keeper: User) -> None:
    access.create_token(keeper, "bot")
    bot = ApiToken.objects.get()
    access.create_token(keeper, str(bot.pk))
    assert access.revoke_token(keeper, str(bot.pk)).name == str(bot.pk)  # a name goes before a number
    assert access.revoke_token(keeper, str(bot.pk)) == bot
    with pytest.raises(UnknownTokenError):
        access.revoke_token(keeper, str(bot.pk))


def test_somebody_elses_token_cannot_be_revoked(keeper: User) -> None:
    access.create_token(keeper, "bot")
    with pytest.raises(UnknownTokenError):
        access.revoke_token(User.objects.create_user("other"), "bot")
