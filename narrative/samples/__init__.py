"""Campaigns to begin with, kept as data beside this module."""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from campaigns.errors import NotFoundError
from campaigns.models import Campaign
from campaigns.services.campaigns import NewCampaign, create_campaign

_FOLDER = Path(__file__).parent
FIRST = "forty-second-lamp"


@dataclass(frozen=True, slots=True)
class Sample:
    slug: str
    # One sentence that makes one want to play it.
    hook: str
    new: NewCampaign


@cache
def list_samples() -> tuple[Sample, ...]:
    """Every sample, by slug."""
    return tuple(_read(path) for path in sorted(_FOLDER.glob("*.json")))


def start_sample(owner_id: int, slug: str) -> Campaign:
    """A campaign of the owner's, made from a sample. Raises NotFoundError."""
    sample = next((sample for sample in list_samples() if sample.slug == slug), None)
    if sample is None:
        raise NotFoundError("There is no such sample.")
    return create_campaign(owner_id=owner_id, new=sample.new)


def load_first_sample(owner_id: int) -> Campaign | None:
    """The first sample for somebody who has no campaign yet; nothing for everybody else."""
    if Campaign.objects.owned_by(owner_id).exists():
        return None
    return start_sample(owner_id, FIRST)


def _read(path: Path) -> Sample:
    data: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    new = NewCampaign(
        title=data["title"],
        opening="\n\n".join(data["opening"]),
        profile=data["profile"],
        protagonist_name=data["protagonist"]["name"],
        protagonist_description=data["protagonist"]["description"],
        narrator_rules=tuple(data["narrator_rules"]),
        canon=data["canon"],
        initial_events=tuple(data["initial_events"]),
    )
    return Sample(slug=path.stem, hook=data["hook"], new=new)
