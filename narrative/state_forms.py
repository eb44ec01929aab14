"""What every correction of the state has in common, as a form.

A form is filled with what holds and knows what it was opened with (``base``). What was changed in it becomes
events, and nothing else: a field that another window has changed since is never written over.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from django import forms

from narrative.state.document import Document
from narrative.state.events import LABEL_LENGTH, TEXT_LENGTH

REASON_LENGTH = 500

Raw = dict[str, Any]
Words = dict[str, Any]
Choices = list[tuple[str, Any]]


@dataclass(frozen=True, slots=True)
class RowRef:
    """The row of the state that a form is about: what kind it is, and its key. As text, ``kind:key``."""

    kind: str
    key: str

    def __str__(self) -> str:
        return f"{self.kind}:{self.key}"


def read_ref(text: str | None) -> RowRef | None:
    kind, colon, key = (text or "").partition(":")
    return RowRef(kind, key) if colon and kind and key else None


def line(
    label: str, *, required: bool = False, most: int = LABEL_LENGTH, hint: str = "", placeholder: str = ""
) -> forms.CharField:
    shown = {"placeholder": placeholder} if placeholder else {}
    widget = forms.TextInput(attrs={"autocomplete": "off", **shown})
    return forms.CharField(label=label, required=required, max_length=most, help_text=hint, widget=widget)


def area(
    label: str, *, required: bool = False, rows: int = 2, most: int = TEXT_LENGTH, hint: str = ""
) -> forms.CharField:
    widget = forms.Textarea(attrs={"rows": rows})
    return forms.CharField(label=label, required=required, max_length=most, help_text=hint, widget=widget)


def choice(label: str, *, required: bool = False) -> forms.ChoiceField:
    return forms.ChoiceField(label=label, required=required)


def ticks(label: str) -> forms.MultipleChoiceField:
    return forms.MultipleChoiceField(label=label, required=False, widget=forms.CheckboxSelectMultiple)


class CorrectionForm(forms.Form):
    """What every correction has. ``now`` are the words that hold, ``opened`` those it was opened with."""

    save: ClassVar[str] = "Save"
    intro: str = ""

    note = line("Why", most=REASON_LENGTH, placeholder="if you like")

    def __init__(self, ref: RowRef, document: Document, data: Mapping[str, Any] | None = None) -> None:
        self.ref, self.document = ref, document
        self.now = self.words()
        self.opened = _read_base(data, self.now)
        super().__init__(data, initial=self.now, auto_id="state-%s", label_suffix="")
        self.order_fields([name for name in self.fields if name != "note"])
        self.prepare()
        for field in self.fields.values():
            field.widget.attrs["data-key"] = f"row-{ref}"
        # Where the keyboard goes when the form opens.
        next(iter(self.fields.values())).widget.attrs["data-landing"] = True

    @property
    def row(self) -> RowRef:
        """The row of the list that it is about."""
        return self.ref

    @property
    def heading(self) -> str:
        return "Correct this"

    def words(self) -> Words:
        """What holds, by field."""
        return {}

    def prepare(self) -> None:
        """Choices, and fields that not every row has."""

    def events(self) -> list[Raw]:
        """What was changed, as events. Only of a valid form."""
        raise NotImplementedError

    def changed(self) -> set[str]:
        return {name for name in self.now if name in self.fields and self._differs(name, self.opened)}

    def overtaken(self) -> list[tuple[forms.BoundField, str]]:
        """The fields that were changed here and, to something else, elsewhere since, with what holds now."""
        return [
            (self[name], self._shown(name))
            for name in self.fields
            if name in self.changed()
            and self._differs(name, self.now)
            and _plain(self.now[name]) != _plain(self.opened.get(name))
        ]

    def overtaken_shown(self) -> list[tuple[forms.BoundField, str]]:
        return self.overtaken() if self.is_bound and not self.errors else []

    def base(self) -> str:
        """What this form is on top of, once what was overtaken has been seen."""
        seen = {field.name: self.now[field.name] for field, _ in self.overtaken_shown()}
        return json.dumps({**self.opened, **seen}, ensure_ascii=False)

    def _differs(self, name: str, words: Words) -> bool:
        is_other: bool = _plain(self.cleaned_data.get(name)) != _plain(words.get(name))
        return is_other

    def _shown(self, name: str) -> str:
        """What holds now in a field, as its reader knows it."""
        labels = dict(_flat(getattr(self.fields[name], "choices", ())))
        value = self.now[name]
        shown = [str(labels.get(each, each)) for each in (value if isinstance(value, list) else [value])]
        return ", ".join(shown)


def _read_base(data: Mapping[str, Any] | None, now: Words) -> Words:
    """What the form was opened with; what holds now where that cannot be read."""
    try:
        opened = json.loads(data.get("base") or "null") if data is not None else None
    except (ValueError, RecursionError):
        opened = None
    return {name: opened.get(name, now[name]) for name in now} if isinstance(opened, dict) else now


def _plain(value: Any) -> Any:
    """A field's words for comparing: browsers and the state have their own ideas of white space."""
    if isinstance(value, list):
        return sorted(str(each) for each in value)
    if isinstance(value, bool) or value is None:
        return bool(value)
    return "\n".join(" ".join(each.split()) for each in str(value).splitlines() if each.strip())


def _flat(choices: Iterable[Any]) -> list[tuple[str, Any]]:
    return [(str(value), label) for value, label in choices]
