"""The standard stories, with the state that they begin with."""

import json
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User

from campaigns.models import Campaign
from campaigns.services.campaigns import NewCampaign, create_campaign

_FIXTURES = Path(__file__).parents[1] / "fixtures"


def begin_story(owner: User, name: str = "crooked-lantern", **changes: Any) -> Campaign:
    data = json.loads((_FIXTURES / f"{name}.json").read_text()) | changes
    new = NewCampaign(
        title=data["title"],
        opening=data["opening"],
        profile=data["profile"],
        protagonist_name=data["protagonist"]["name"],
        protagonist_description=data["protagonist"]["description"],
        canon=data["canon"],
        settings=data.get("settings", {}),
        initial_events=tuple(data["initial_events"]),
    )
    return create_campaign(owner_id=owner.pk, new=new)
