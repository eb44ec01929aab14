"""What the narrator is told of a story, in the sections in which the Story panel lets it be changed.

A section's form knows which words it was opened with (``base``), so that a save over somebody else's words is
noticed.
"""

import hashlib
import json
from collections.abc import Callable
from typing import Any, ClassVar

from django import forms

from campaigns.errors import StoryError
from campaigns.forms import settled_lines
from campaigns.forms.fields import (
    ForbiddenChangesField,
    SettledField,
    blame,
    rules_field,
    suggest,
    text_area,
)
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
        if data is not None:  # a field that was not sent stays as it is
            data = data.copy()
            for name, words in self.now.items():
                data.setdefault(name, words)
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
    locked_facts = SettledField(
        "Settled facts",
        "One a line: what no story and no narrator changes any more. “Mara: origin” holds for her alone.",
        read=settled_lines.read_facts,
        example="Mara: origin",
    )
    locked_attributes = SettledField(
        "Settled attributes",
        "One a line: whose, and which. Status, name, location, description and conditions count as well.",
        read=settled_lines.read_attributes,
        example="Mara: eye colour",
    )
    single_valued = SettledField(
        "One at a time",
        "One a line: what has one value at a time, so that a new one takes the place of the old.",
        read=settled_lines.read_predicates,
        example="rank",
    )

    @staticmethod
    def words_of(campaign: Campaign) -> dict[str, str]:
        canon = campaign.canon
        lines = {name: write(canon.get(key, [])) for name, (key, write) in CANON_LINES.items()}
        return {"canon_rules": _spaced(canon.get("rules", [])), **lines}

    def __init__(self, campaign: Campaign, data: Any = None) -> None:
        super().__init__(campaign, data)
        # Kept and told to the narrator as it is written, but no rule that the game could watch over.
        self.unread = sorted(set(campaign.canon) - set(CANON_KEYS))

    def changes(self) -> CampaignChanges:
        """The keys of this form whose lines were changed; all else in the canon stays."""
        canon: dict[str, Any] = {"rules": self.cleaned_data["canon_rules"].splitlines()}
        for name, (key, write) in CANON_LINES.items():
            given = self.cleaned_data[name]
            if write(given) != self.now[name]:
                canon[key] = given
        return CampaignChanges(canon=canon)


CANON_KEYS = ("rules", "forbidden_status_changes", "locked_facts", "locked_attributes", "single_valued")
CANON_LINES: dict[str, tuple[str, Callable[[Any], str]]] = {
    "forbidden_changes": ("forbidden_status_changes", write_changes),
    "locked_facts": ("locked_facts", settled_lines.write_facts),
    "locked_attributes": ("locked_attributes", settled_lines.write_attributes),
    "single_valued": ("single_valued", settled_lines.write_predicates),
}


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
