"""The words of a turn, to write over."""

from django import forms

from campaigns.models import Turn


class NarrationForm(forms.Form):
    # Not stripped: what the player writes becomes the narration word for word.
    text = forms.CharField(strip=False, widget=forms.Textarea(attrs={"rows": 10}))


class InputForm(forms.Form):
    mode = forms.ChoiceField(choices=Turn.Mode)
    text = forms.CharField(required=False, widget=forms.Textarea(attrs={"rows": 3}))
