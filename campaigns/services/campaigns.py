"""Creating and changing campaigns. Every change to profile, rules or canon leaves a revision."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction

from campaigns.errors import InvalidError
from campaigns.json_values import clean_value, require_bounded
from campaigns.models import Campaign, CampaignRevision
from campaigns.models.campaign import PROFILE_FIELDS
from campaigns.services.setting_up import settle_setup
from campaigns.services.story_write import story_write
from campaigns.services.writing import place_opening
from campaigns.texts import INPUT_LENGTH, limit_text, require_line, require_text

_PROFILE_LENGTH = 500
_RULE_LENGTH = 2_000
_MOST_RULES = 100
# What the API calls a column that it does not show under its own name.
_API_NAMES = {
    "protagonist_name": "protagonist.name",
    "protagonist_description": "protagonist.description",
}
# What the narrator is told the story under; a change of one of these is kept as a revision.
_AUDITED = (
    *PROFILE_FIELDS,
    "protagonist_name",
    "protagonist_description",
    "narrator_rules",
    "canon",
    "authors_note",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewCampaign:
    """What a campaign is made from. ``canon`` has the keys of spec and API; unknown ones are kept."""

    title: str
    opening: str
    profile: Mapping[str, str] = field(default_factory=dict)
    protagonist_name: str = ""
    protagonist_description: str = ""
    narrator_rules: tuple[str, ...] = ()
    canon: Mapping[str, Any] = field(default_factory=dict)
    authors_note: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    initial_events: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignChanges:
    """What to change; None leaves a part as it is. ``profile`` and ``canon`` merge their keys."""

    title: str | None = None
    profile: Mapping[str, str] | None = None
    protagonist_name: str | None = None
    protagonist_description: str | None = None
    narrator_rules: tuple[str, ...] | None = None
    canon: Mapping[str, Any] | None = None
    authors_note: str | None = None
    settings: Mapping[str, Any] | None = None


def create_campaign(*, owner_id: int, new: NewCampaign) -> Campaign:
    """A campaign with its first branch, its opening as turn 0, and the head on it. Raises InvalidError."""
    opening = require_text(new.opening, field="opening", limit=INPUT_LENGTH, what="The opening")
    campaign = Campaign(
        owner_id=owner_id,
        title=require_line(new.title, field="title", what="The title"),
        narrator_rules=_clean_rules(new.narrator_rules, field="narrator_rules"),
        canon=_clean_canon(new.canon),
        settings=dict(new.settings),
        initial_events=[clean_value(dict(event)) for event in new.initial_events],
        **_clean_profile(new.profile),
        **_clean_words(
            protagonist_name=new.protagonist_name,
            protagonist_description=new.protagonist_description,
            authors_note=new.authors_note,
        ),
    )
    with transaction.atomic():
        campaign.save()
        settle_setup(campaign, place_opening(campaign, text=opening))
    return campaign


def update_campaign(*, campaign_id: int, changes: CampaignChanges) -> Campaign:
    """Change what is given, and keep the earlier words of what the story is told under."""
    values = _clean_changes(changes)
    with story_write(campaign_id=campaign_id, reason="campaign") as campaign:
        if changes.canon is not None:
            values["canon"] = _clean_canon({**campaign.canon, **changes.canon})
        if changes.settings is not None:
            merged = {**campaign.settings, **changes.settings}
            values["settings"] = {name: value for name, value in merged.items() if value is not None}
        for name, value in values.items():
            before = getattr(campaign, name)
            if before == value:
                continue
            setattr(campaign, name, value)
            if name in _AUDITED:
                CampaignRevision.objects.create(
                    campaign=campaign,
                    field=name,
                    before=before,
                    after=value,
                    branch_id=campaign.head.branch_id,
                    depth=campaign.head_depth,
                )
        campaign.save()
        return campaign


def archive_campaign(*, campaign_id: int) -> Campaign:
    return _set_status(campaign_id, Campaign.Status.ARCHIVED)


def unarchive_campaign(*, campaign_id: int) -> Campaign:
    return _set_status(campaign_id, Campaign.Status.ACTIVE)


def _set_status(campaign_id: int, status: Campaign.Status) -> Campaign:
    with story_write(campaign_id=campaign_id, reason="campaign") as campaign:
        campaign.status = status
        campaign.save(update_fields=["status"])
        return campaign


def _clean_changes(changes: CampaignChanges) -> dict[str, Any]:
    values: dict[str, Any] = {}
    if changes.title is not None:
        values["title"] = require_line(changes.title, field="title", what="The title")
    if changes.profile is not None:
        values |= _clean_profile(changes.profile)
    if changes.narrator_rules is not None:
        values["narrator_rules"] = _clean_rules(changes.narrator_rules, field="narrator_rules")
    words = {
        "protagonist_name": changes.protagonist_name,
        "protagonist_description": changes.protagonist_description,
        "authors_note": changes.authors_note,
    }
    return values | _clean_words(**{name: text for name, text in words.items() if text is not None})


def _clean_profile(profile: Mapping[str, str]) -> dict[str, str]:
    unknown = sorted(set(profile) - set(PROFILE_FIELDS))
    if unknown:
        raise InvalidError(
            f"A profile has no {unknown[0]!r}. It has: {', '.join(PROFILE_FIELDS)}.", field="profile"
        )
    return {
        name: limit_text(
            text, field=f"profile.{name}", what=f"The {name.replace('_', ' ')}", limit=_PROFILE_LENGTH
        )
        for name, text in profile.items()
    }


def _clean_words(**texts: str) -> dict[str, str]:
    return {
        name: limit_text(text, field=_API_NAMES.get(name, name), what=f"The {name.replace('_', ' ')}")
        for name, text in texts.items()
    }


def _clean_rules(rules: tuple[str, ...], *, field: str) -> list[str]:
    if len(rules) > _MOST_RULES:
        raise InvalidError(f"There can be at most {_MOST_RULES} rules.", field=field)
    cleaned = [limit_text(rule, field=field, what="A rule", limit=_RULE_LENGTH) for rule in rules]
    return [rule for rule in cleaned if rule]


def _clean_canon(canon: Mapping[str, Any]) -> dict[str, Any]:
    """The canon as it is stored: for a change, what there was with the new keys merged in."""
    try:
        require_bounded(dict(canon))
    except ValueError as error:
        raise InvalidError(f"The canon is too much. {error}", field="canon") from error
    cleaned: dict[str, Any] = clean_value(dict(canon))
    rules = cleaned.get("rules", [])
    if not isinstance(rules, list) or not all(isinstance(rule, str) for rule in rules):
        raise InvalidError("The rules of the canon must be a list of texts.", field="canon.rules")
    return cleaned | {"rules": _clean_rules(tuple(rules), field="canon.rules")}
