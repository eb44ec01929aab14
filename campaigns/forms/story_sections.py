"""What the narrator is told of a story, in the sections in which the Story panel lets it be changed.

A section's form knows which words it was opened with (``base``), so that a save over somebody else's words is
noticed.
"""

import hashlib
import json
from typing import Any, ClassVar

from django import forms

from campaigns.errors import StoryError
from campaigns.forms.fields import ForbiddenChangesField, blame, rules_field, suggest, text_area
from campaigns.forms.forbidden_changes import write_changes
from campaigns.models import Campaign
from campaigns.models.campaign import PROFILE_FIELDS
from campaigns.services.campaigns import CampaignChanges


class SectionForm(forms.Form):
    """One section. ``columns`` are the campaign's fields whose earlier versions belong to it."""

    slug: ClassVar[str]
    heading: ClassVar[str]
    columns: ClassVar[tuple[str, ...]]
    is_one_field: ClassVar[bool] = True

    base = forms.CharField(required=False, widget=forms.HiddenInput)

    def __init__(self, campaign: Campaign, data: Any = None) -> None:
        self.now = self.words_of(campaign)
        super().__init__(data, initial=self.now, auto_id="story-%s", label_suffix="")
        suggest(self)
        for field in self.fields.values():
            field.widget.attrs["placeholder"] = "Nothing yet"

    @staticmethod
    def words_of(campaign: Campaign) -> dict[str, str]:
        raise NotImplementedError

    def changes(self) -> CampaignChanges:
        raise NotImplementedError

    @property
    def mark(self) -> str:
        """Stands for the words as they are stored now."""
        return hashlib.sha256(json.dumps(self.now, sort_keys=True).encode()).hexdigest()[:16]

    def is_overtaken(self) -> bool:
        """Whether the words have changed since this form was opened, and not to what it holds."""
        base = self.cleaned_data["base"]
        return bool(base) and base != self.mark and bool(self.differing())

    def differing(self) -> list[forms.BoundField]:
        """The fields that hold other words than are stored."""
        return [
            field for field in self.words_fields() if _plain(field.value()) != _plain(self.now[field.name])
        ]

    def words_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in self.fields if name != "base"]

    def blame(self, error: StoryError) -> None:
        blame(self, error)


class TitleForm(SectionForm):
    slug, heading, columns = "title", "Title", ()
    title = forms.CharField()

    @staticmethod
    def words_of(campaign: Campaign) -> dict[str, str]:
        return {"title": campaign.title}

    def changes(self) -> CampaignChanges:
        return CampaignChanges(title=self.cleaned_data["title"])


class ProtagonistForm(SectionForm):
    slug, heading = "protagonist", "You are"
    columns = ("protagonist_name", "protagonist_description")
    is_one_field = False
    protagonist_name = forms.CharField(required=False, label="Name")
    protagonist_description = text_area(rows=3, label="Description")

    @staticmethod
    def words_of(campaign: Campaign) -> dict[str, str]:
        return {name: getattr(campaign, name) for name in ProtagonistForm.columns}

    def changes(self) -> CampaignChanges:
        data = self.cleaned_data
        return CampaignChanges(
            protagonist_name=data["protagonist_name"], protagonist_description=data["protagonist_description"]
        )


class ProfileForm(SectionForm):
    slug, heading, columns = "profile", "Told as", PROFILE_FIELDS
    is_one_field = False
    genre = forms.CharField(required=False)
    subgenre = forms.CharField(required=False)
    tone = forms.CharField(required=False)
    style = forms.CharField(required=False)
    point_of_view = forms.CharField(required=False)
    tense = forms.CharField(required=False)

    @staticmethod
    def words_of(campaign: Campaign) -> dict[str, str]:
        return campaign.profile

    def changes(self) -> CampaignChanges:
        return CampaignChanges(profile={name: self.cleaned_data[name] for name in PROFILE_FIELDS})


class NarratorRulesForm(SectionForm):
    slug, heading, columns = "rules", "Rules for the narrator", ("narrator_rules",)
    narrator_rules = rules_field("Rules for the narrator", "One a line: how to tell it.")

    @staticmethod
    def words_of(campaign: Campaign) -> dict[str, str]:
        return {"narrator_rules": _spaced(campaign.narrator_rules)}

    def changes(self) -> CampaignChanges:
        return CampaignChanges(narrator_rules=tuple(self.cleaned_data["narrator_rules"].splitlines()))


class CanonForm(SectionForm):
    slug, heading, columns = "canon", "What is true", ("canon",)
    is_one_field = False
    canon_rules = rules_field("Canon", "One a line: what is true in this world, whatever happens.")
    forbidden_changes = ForbiddenChangesField()

    @staticmethod
    def words_of(campaign: Campaign) -> dict[str, str]:
        return {
            "canon_rules": _spaced(campaign.canon.get("rules", [])),
            "forbidden_changes": write_changes(campaign.canon.get("forbidden_status_changes", [])),
        }

    def changes(self) -> CampaignChanges:
        """The keys of this form, the second where its lines were changed; all else in the canon stays."""
        canon: dict[str, Any] = {"rules": self.cleaned_data["canon_rules"].splitlines()}
        forbidden = self.cleaned_data["forbidden_changes"]
        if write_changes(forbidden) != self.now["forbidden_changes"]:
            canon["forbidden_status_changes"] = forbidden
        return CampaignChanges(canon=canon)


class AuthorsNoteForm(SectionForm):
    slug, heading, columns = "note", "Author’s note", ("authors_note",)
    authors_note = text_area(
        rows=3, label="Author’s note", help_text="What the narrator should bear in mind for the time being."
    )

    @staticmethod
    def words_of(campaign: Campaign) -> dict[str, str]:
        return {"authors_note": campaign.authors_note}

    def changes(self) -> CampaignChanges:
        return CampaignChanges(authors_note=self.cleaned_data["authors_note"])


_FORMS: tuple[type[SectionForm], ...] = (
    TitleForm,
    ProtagonistForm,
    ProfileForm,
    CanonForm,
    NarratorRulesForm,
    AuthorsNoteForm,
)
SECTIONS: dict[str, type[SectionForm]] = {form.slug: form for form in _FORMS}


def _spaced(rules: list[str]) -> str:
    """A rule a line, and a blank one between: rules that wrap are told apart. Blank lines are no rules."""
    return "\n\n".join(rules)


def _plain(text: str | None) -> str:
    """Without what a browser adds to a text on its way."""
    return (text or "").replace("\r\n", "\n").strip()
