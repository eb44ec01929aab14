"""The fields that New campaign and the Story panel share."""

from collections.abc import Callable
from typing import Any

from django import forms

from campaigns.errors import InvalidError, StoryError
from campaigns.forms.forbidden_changes import LineError, read_changes
from campaigns.models.campaign import PROFILE_FIELDS

_SUGGESTIONS = {
    "genre": ("Fantasy", "Mystery", "Science fiction", "Horror", "Historical", "Western", "Romance"),
    "subgenre": ("Harbour mystery", "Court intrigue", "Lost colony", "Ghost story", "Heist", "Road story"),
    "tone": ("Wistful", "Tense", "Wry", "Bleak", "Hopeful", "Uncanny"),
    "style": ("Spare and exact", "Lush and unhurried", "Quick, with much dialogue"),
    "point_of_view": ("Second person", "First person", "Close third person"),
    "tense": ("Present", "Past"),
}


def text_area(*, rows: int, help_text: str = "", label: str = "", required: bool = False) -> forms.CharField:
    widget = forms.Textarea(attrs={"rows": rows})
    return forms.CharField(required=required, label=label or None, widget=widget, help_text=help_text)


def rules_field(label: str, help_text: str) -> forms.CharField:
    return text_area(rows=3, label=label, help_text=help_text)


class ForbiddenChangesField(forms.CharField):
    """Lines such as ``dead -> alive for Mara``, as the canon keeps them."""

    widget = forms.Textarea(attrs={"rows": 2, "placeholder": "dead -> alive"})

    def __init__(self) -> None:
        super().__init__(
            required=False,
            label="Forbidden changes",
            help_text="One a line: a status, an arrow, and the status it may not become. "
            "“dead -> alive for Mara” holds for her alone.",
        )

    def clean(self, value: Any) -> Any:
        try:
            return read_changes(super().clean(value))
        except LineError as error:
            raise forms.ValidationError(str(error)) from error


class SettledField(forms.CharField):
    """Lines of what the canon settles, as the canon keeps them."""

    def __init__(self, label: str, help_text: str, *, read: Callable[[str], Any], example: str) -> None:
        self.read = read
        widget = forms.Textarea(attrs={"rows": 2, "placeholder": example})
        super().__init__(required=False, label=label, help_text=help_text, widget=widget)

    def clean(self, value: Any) -> Any:
        try:
            return self.read(super().clean(value))
        except LineError as error:
            raise forms.ValidationError(str(error)) from error


def suggest(form: forms.BaseForm) -> None:
    """Offer what others write into the fields of the profile; free text stays free."""
    for name in PROFILE_FIELDS:
        if name in form.fields:
            form.fields[name].widget.attrs["list"] = f"suggest-{name}"


def list_suggestions() -> list[tuple[str, tuple[str, ...]]]:
    return [(f"suggest-{name}", words) for name, words in _SUGGESTIONS.items()]


def blame(form: forms.BaseForm, error: StoryError) -> None:
    """Show what a service refused beside the field it names."""
    field = error.field if isinstance(error, InvalidError) else None
    name = (field or "").removeprefix("profile.").replace(".", "_")
    form.add_error(name if name in form.fields else None, error.message)
