"""Who gets in: the owner's account, one-time sign-in links, and tokens for programs.

Secrets are random and long, so that a plain SHA-256 of them is enough to store and fast enough to look up by.
"""

import hashlib
import secrets
from contextlib import suppress
from datetime import timedelta

from django.contrib.auth.models import User
from django.db import DatabaseError, transaction
from django.db.models import Q
from django.utils import timezone

from storyteller.errors import OwnerNameTakenError, SignInLinkError, TokenNameError, UnknownTokenError
from storyteller.models import ApiToken, SignInLink

OWNER_NAME = "owner"
LINK_LIFETIME = timedelta(hours=24)
# How long a spent or expired link is remembered, so that its page can say which of the two it is.
_LINK_MEMORY = timedelta(days=30)
# A token's time of use is only looked at: one write a minute is plenty on a database with one writer.
_LAST_USE_STEP = timedelta(minutes=1)
_TOKEN_NAME_LENGTH = 100

_UNKNOWN_LINK = "This sign-in link is not one of this game's. It may have been cut off when it was copied."
_USED_LINK = "This sign-in link has been used. Each link signs in once."
_EXPIRED_LINK = "This sign-in link has expired. A link works for 24 hours."


def ensure_owner() -> User:
    """The first administrator, made if there is none: without a password until one is set for it.

    Raises OwnerNameTakenError.
    """
    with (
        transaction.atomic()
    ):  # takes the write lock, so that two processes that start together make one owner
        owner = User.objects.filter(is_superuser=True, is_active=True).order_by("pk").first()
        if owner is not None:
            return owner
        if User.objects.filter(username=OWNER_NAME).exists():
            raise OwnerNameTakenError(
                f"There is no active administrator, and the account “{OWNER_NAME}” is none. "
                "Make one with: manage.py createsuperuser"
            )
        return User.objects.create_user(OWNER_NAME, is_staff=True, is_superuser=True)


def is_any_password_set() -> bool:
    """Whether anybody can sign in with a password."""
    return any(user.has_usable_password() for user in User.objects.filter(is_active=True).only("password"))


def make_sign_in_link(owner: User) -> str:
    """The secret of a new link, which cannot be read again."""
    now = timezone.now()
    token = secrets.token_urlsafe(32)
    with transaction.atomic():
        SignInLink.objects.filter(expires_at__lt=now - _LINK_MEMORY).delete()
        SignInLink.objects.create(owner=owner, hash=_hash(token), expires_at=now + LINK_LIFETIME)
    return token


def check_sign_in_link(token: str) -> SignInLink:
    """The link, unspent. Raises SignInLinkError, which says whether it is unknown, used or expired."""
    link = SignInLink.objects.select_related("owner").filter(hash=_hash(token), owner__is_active=True).first()
    if link is None:
        raise SignInLinkError(_UNKNOWN_LINK)
    if link.used_at is not None:
        raise SignInLinkError(_USED_LINK)
    if link.expires_at <= timezone.now():
        raise SignInLinkError(_EXPIRED_LINK)
    return link


def use_sign_in_link(token: str) -> User:
    """Spend the link and return whom it signs in. Of any number of uses at once, one succeeds.

    Raises SignInLinkError.
    """
    link = check_sign_in_link(token)
    now = timezone.now()
    spent = SignInLink.objects.filter(pk=link.pk, used_at=None, expires_at__gt=now).update(used_at=now)
    if not spent:
        raise SignInLinkError(_USED_LINK)
    return link.owner


def create_token(owner: User, name: str) -> str:
    """A new token, which cannot be read again. Raises TokenNameError."""
    name = name.strip()
    if not name.isprintable() or not 0 < len(name) <= _TOKEN_NAME_LENGTH:
        raise TokenNameError(f"A token's name is one line of 1 to {_TOKEN_NAME_LENGTH} characters.")
    raw = secrets.token_urlsafe(32)
    with transaction.atomic():
        if ApiToken.objects.filter(owner=owner, name=name, revoked_at=None).exists():
            raise TokenNameError(
                f"There is a token “{name}” already. Revoke it first, or choose another name."
            )
        ApiToken.objects.create(owner=owner, name=name, hash=_hash(raw))
    return raw


def list_tokens(owner: User) -> list[ApiToken]:
    """Every token of this owner, revoked ones too, oldest first."""
    return list(ApiToken.objects.filter(owner=owner).order_by("pk"))


def revoke_token(owner: User, name_or_id: str) -> ApiToken:
    """Let nobody in with this token any more. A name goes before a number. Raises UnknownTokenError."""
    in_use = ApiToken.objects.filter(owner=owner, revoked_at=None)
    token = in_use.filter(name=name_or_id).first()
    if token is None and name_or_id.isascii() and name_or_id.isdecimal():
        token = in_use.filter(pk=int(name_or_id)).first()
    if token is None:
        raise UnknownTokenError(f"No token in use is named or numbered “{name_or_id}”.")
    return _revoke(token)


def revoke_token_by_id(owner: User, token_id: int) -> ApiToken:
    """Let nobody in with this token of the owner's any more; one that is revoked stays so. Raises
    UnknownTokenError."""
    token = ApiToken.objects.filter(owner=owner, pk=token_id).first()
    if token is None:
        raise UnknownTokenError(f"No token in use is named or numbered “{token_id}”.")
    return token if token.revoked_at is not None else _revoke(token)


def _revoke(token: ApiToken) -> ApiToken:
    token.revoked_at = timezone.now()
    token.save(update_fields=["revoked_at"])
    return token


def authenticate_token(raw: str) -> User | None:
    """Whom this token lets in; nobody if it is unknown, revoked, or its owner's account is closed."""
    token = (
        ApiToken.objects.select_related("owner")
        .filter(hash=_hash(raw), revoked_at=None, owner__is_active=True)
        .first()
    )
    if token is None:
        return None
    now = timezone.now()
    if token.last_used_at is None or token.last_used_at <= now - _LAST_USE_STEP:
        not_just_used = Q(last_used_at=None) | Q(last_used_at__lte=now - _LAST_USE_STEP)
        with suppress(DatabaseError):  # a note that cannot be made keeps nobody from reading
            ApiToken.objects.filter(not_just_used, pk=token.pk).update(last_used_at=now)
    return token.owner


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
