"""What a campaign is made from, as the New campaign page asks for it."""

from typing import Any

from django import forms

from campaigns.errors import StoryError
from campaigns.forms.fields import (
    ForbiddenChangesField,
    blame,
    list_suggestions,
    rules_field,
    suggest,
    text_area,
)
from campaigns.models.campaign import PROFILE_FIELDS
from campaigns.services.campaigns import NewCampaign


class NewCampaignForm(forms.Form):
    title = forms.CharField()
    genre = forms.CharField(required=False)
    subgenre = forms.CharField(required=False)
    tone = forms.CharField(required=False)
    style = forms.CharField(required=False)
    point_of_view = forms.CharField(required=False, initial="Second person")
    tense = forms.CharField(required=False, initial="Present")
    protagonist_name = forms.CharField(required=False, label="Name")
    protagonist_description = text_area(rows=3, label="Description")
    opening = text_area(rows=8, required=True, help_text="The first page. It ends where you want to act.")
    narrator_rules = rules_field("Rules for the narrator", "One a line: how to tell it.")
    canon_rules = rules_field("Canon", "One a line: what is true in this world, whatever happens.")
    forbidden_changes = ForbiddenChangesField()
    # What stood in the opening before one was narrated, and which draft of the browser's this is.
    earlier_opening = forms.CharField(required=False, strip=False, widget=forms.HiddenInput)
    draft = forms.CharField(required=False, widget=forms.HiddenInput)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.label_suffix = ""
        suggest(self)

    def as_new_campaign(self) -> NewCampaign:
        data = self.cleaned_data
        return NewCampaign(
            title=data["title"],
            opening=data["opening"],
            profile=self.profile,
            protagonist_name=data["protagonist_name"],
            protagonist_description=data["protagonist_description"],
            narrator_rules=tuple(data["narrator_rules"].splitlines()),
            canon=self.canon,
        )

    @property
    def profile(self) -> dict[str, str]:
        return {name: self.cleaned_data[name] for name in PROFILE_FIELDS}

    @property
    def canon(self) -> dict[str, Any]:
        forbidden = self.cleaned_data["forbidden_changes"]
        canon = {"rules": self.cleaned_data["canon_rules"].splitlines()}
        return canon | ({"forbidden_status_changes": forbidden} if forbidden else {})

    def blame(self, error: StoryError) -> None:
        blame(self, error)

    def profile_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in PROFILE_FIELDS]

    def suggestions(self) -> list[tuple[str, tuple[str, ...]]]:
        return list_suggestions()


class OpeningBriefForm(NewCampaignForm):
    """The same page as far as an opening can be narrated from it: title and opening may be missing."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["title"].required = False
        self.fields["opening"].required = False

    def with_opening(self, text: str) -> NewCampaignForm:
        """The page as it was posted, with another opening in place; what stood there before is kept aside."""
        filled = {name: self.data.get(name, "") for name in self.fields}
        filled |= {"opening": text, "earlier_opening": filled["opening"]}
        return NewCampaignForm(initial=filled)
