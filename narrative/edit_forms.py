"""The words of a turn, to write over, and what becomes of the state."""

from django import forms

from campaigns.forms.turns import NarrationForm

_DERIVE = (
    ("model", "ask the model what the new words change"),
    ("keep", "keep what this turn changed"),
    ("own", "change nothing with this turn"),
)


class EditForm(NarrationForm):
    derive = forms.ChoiceField(choices=_DERIVE, required=False, label="The state", widget=forms.RadioSelect)
