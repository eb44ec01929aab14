"""Who calls, and what is theirs."""

from typing import Annotated

from django.http import HttpRequest
from ninja import Path
from pydantic import BeforeValidator

from campaigns.models import Campaign
from campaigns.selectors import get_campaign


def _digits(text: object) -> object:
    if not isinstance(text, str) or not (text.isascii() and text.isdecimal()):
        raise ValueError("An id is a whole number.")
    return text


# What a row can have as its id. Anything else in an address is not found: no “1_0”, and nothing past 64 bits.
Id = Annotated[int, BeforeValidator(_digits), Path(le=2**63 - 1)]


def owner_id(request: HttpRequest) -> int:
    """The caller's id. Authentication has put them onto the request."""
    caller: int = request.auth.pk  # type: ignore[attr-defined]
    return caller


def own_campaign(request: HttpRequest, campaign_id: int) -> Campaign:
    """The caller's campaign as it is now. Raises NotFoundError for anybody else's."""
    return get_campaign(owner_id=owner_id(request), campaign_id=campaign_id)
