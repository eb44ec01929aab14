"""What people type into pages, as far as it has a shape. The services judge the rest.

No field has a ``max_length``: a form's line ends arrive as two characters, so that a text which fits would be
refused here; and a browser's ``maxlength`` cuts what is pasted without a word.
"""

from typing import Any

from django import forms

from campaigns.errors import InvalidError, StoryError
from campaigns.models import Turn
from campaigns.models.campaign import PROFILE_FIELDS
from campaigns.services.campaigns import NewCampaign

_SUGGESTIONS = {
    "genre": ("Fantasy", "Mystery", "Science fiction", "Horror", "Historical", "Western", "Romance"),
    "subgenre": ("Harbour mystery", "Court intrigue", "Lost colony", "Ghost story", "Heist", "Road story"),
    "tone": ("Wistful", "Tense", "Wry", "Bleak", "Hopeful", "Uncanny"),
    "style": ("Spare and exact", "Lush and unhurried", "Quick, with much dialogue"),
    "point_of_view": ("Second person", "First person", "Close third person"),
    "tense": ("Present", "Past"),
}


class NewCampaignForm(forms.Form):
    title = forms.CharField()
    genre = forms.CharField(required=False)
    subgenre = forms.CharField(required=False)
    tone = forms.CharField(required=False)
    style = forms.CharField(required=False)
    point_of_view = forms.CharField(required=False, initial="Second person")
    tense = forms.CharField(required=False, initial="Present")
    protagonist_name = forms.CharField(required=False, label="Name")
    protagonist_description = forms.CharField(
        required=False, label="Description", widget=forms.Textarea(attrs={"rows": 3})
    )
    opening = forms.CharField(
        widget=forms.Textarea(attrs={"rows": 8}),
        help_text="The first page. It ends where you want to act.",
    )
    narrator_rules = forms.CharField(
        required=False,
        label="Rules for the narrator",
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="One a line: how to tell it.",
    )
    canon_rules = forms.CharField(
        required=False,
        label="Canon",
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="One a line: what is true in this world, whatever happens.",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.label_suffix = ""
        for name in PROFILE_FIELDS:
            self.fields[name].widget.attrs["list"] = f"suggest-{name}"

    def as_new_campaign(self) -> NewCampaign:
        data = self.cleaned_data
        return NewCampaign(
            title=data["title"],
            opening=data["opening"],
            profile={name: data[name] for name in PROFILE_FIELDS},
            protagonist_name=data["protagonist_name"],
            protagonist_description=data["protagonist_description"],
            narrator_rules=tuple(data["narrator_rules"].splitlines()),
            canon={"rules": data["canon_rules"].splitlines()},
        )

    def blame(self, error: StoryError) -> None:
        """Show what a service refused beside the field it names."""
        field = error.field if isinstance(error, InvalidError) else None
        name = (field or "").removeprefix("profile.").replace(".", "_")
        self.add_error(name if name in self.fields else None, error.message)

    def profile_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in PROFILE_FIELDS]

    def suggestions(self) -> list[tuple[str, tuple[str, ...]]]:
        return [(f"suggest-{name}", words) for name, words in _SUGGESTIONS.items()]


class NarrationForm(forms.Form):
    # Not stripped: what the player writes becomes the narration word for word.
    text = forms.CharField(strip=False, widget=forms.Textarea(attrs={"rows": 10}))


class InputForm(forms.Form):
    mode = forms.ChoiceField(choices=Turn.Mode)
    text = forms.CharField(required=False, widget=forms.Textarea(attrs={"rows": 3}))
