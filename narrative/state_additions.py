"""Noting down what no row of the state says yet, and writing events as they are."""

import json
from collections.abc import Mapping
from typing import Any, ClassVar

from django import forms

from narrative.corrections import MOST_EVENTS
from narrative.state.document import Document
from narrative.state.events import ENTITY_TYPES, MODELS
from narrative.state.keys import KEY_LENGTH, folded_name, fresh_key, key_of
from narrative.state.vocabulary import vocabulary
from narrative.state.wording import fact_words
from narrative.state_forms import CorrectionForm, Raw, RowRef, area, choice, line
from narrative.state_row_forms import ROW_FORMS, entity_choices

KINDS = ENTITY_TYPES


class NewFactForm(CorrectionForm):
    save: ClassVar[str] = "It is so"
    subject = choice("About whom or what")
    predicate = line(
        "What is true", required=True, hint="As the end of a sentence: “knows where the key is”."
    )

    @property
    def heading(self) -> str:
        return "Something else is true"

    def prepare(self) -> None:
        known = entity_choices(self.document, first="character")
        field = self.fields["subject"]
        if isinstance(field, forms.ChoiceField):
            field.choices = [("", "nobody in particular"), *known]

    def events(self) -> list[Raw]:
        data = self.cleaned_data
        about = {"subject": data["subject"]} if data["subject"] else {}
        return [{"type": "add_fact", "predicate": data["predicate"], **about}]


class NewEntityForm(CorrectionForm):
    save: ClassVar[str] = "Note it down"
    name = line("Name", required=True)
    entity_type = line("Kind", hint="Such as character, location or item.")
    description = area("Description")
    location = choice("Where")

    @property
    def heading(self) -> str:
        return "Somebody or something new"

    def prepare(self) -> None:
        self.fields["entity_type"].widget.attrs["list"] = "state-kinds"
        field = self.fields["location"]
        if isinstance(field, forms.ChoiceField):
            field.choices = [("", "nobody knows where"), *entity_choices(self.document, first="location")]

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        known = {folded_name(each.name): each.name for each in self.document.entities.values()}
        if folded_name(name) in known:
            there = known[folded_name(name)]
            raise forms.ValidationError(f"There is {there} already. Correct that, or give this another name.")
        return name

    def events(self) -> list[Raw]:
        data = self.cleaned_data
        key = _free_key(data["name"], set(self.document.entities))
        said = {name: data[name] for name in ("entity_type", "description") if data[name]}
        made: list[Raw] = [{"type": "create_entity", "entity": key, "name": data["name"], **said}]
        if data["location"]:
            made.append({"type": "set_current_location", "entity": key, "location": data["location"]})
        return made


class NewThreadForm(CorrectionForm):
    save: ClassVar[str] = "Open it"
    title = line("What is open", required=True, hint="A goal, a promise or a question of the story.")
    description = area("More about it")

    @property
    def heading(self) -> str:
        return "A thread"

    def events(self) -> list[Raw]:
        data = self.cleaned_data
        key = _free_key(data["title"], set(self.document.threads))
        more = {"description": data["description"]} if data["description"] else {}
        return [{"type": "open_story_thread", "thread": key, "title": data["title"], **more}]


class EventsForm(CorrectionForm):
    """For whoever knows the events: JSON, judged like every other proposal."""

    save: ClassVar[str] = "Apply all of them"
    events_text = area("Events as JSON", required=True, rows=6, most=40_000)

    @property
    def heading(self) -> str:
        return "Write events"

    def prepare(self) -> None:
        field = self.fields["events_text"]
        field.widget.attrs |= {"class": "code", "spellcheck": "false"}
        field.help_text = f"A list of up to {MOST_EVENTS} events. All of them are applied, or none."

    def vocabulary(self) -> str:
        """Every event a player may write: a line for each."""
        own = [(name, model) for name, model in MODELS.items() if model.is_for_players]
        lines = [
            f"- {name}: {', '.join(field for field in model.model_fields if field != 'type')}. "
            f"{' '.join((model.__doc__ or '').split())}"
            for name, model in own
        ]
        return "\n".join([vocabulary(), *lines])

    def known(self) -> list[tuple[str, list[tuple[str, str]]]]:
        """The keys to name things by, with what they stand for."""
        document = self.document
        found = [
            ("Who and what there is", [(key, each.name) for key, each in document.entities.items()]),
            ("Facts", [(fact.id, fact_words(document, fact)) for fact in document.facts]),
            ("Threads", [(key, each.title) for key, each in document.threads.items()]),
        ]
        return [(title, keys) for title, keys in found if keys]

    def clean_events_text(self) -> list[Raw]:
        try:
            read = json.loads(self.cleaned_data["events_text"])
        except (ValueError, RecursionError) as error:
            where = f" (line {error.lineno})" if isinstance(error, json.JSONDecodeError) else ""
            raise forms.ValidationError(f"This is no JSON{where}. A list of events is wanted.") from error
        read = read.get("events", [read]) if isinstance(read, dict) else read
        if not isinstance(read, list) or not all(isinstance(each, dict) for each in read):
            raise forms.ValidationError("A list of events is wanted, each an object with a “type”.")
        if not 1 <= len(read) <= MOST_EVENTS:
            raise forms.ValidationError(f"A correction has 1 to {MOST_EVENTS} events.")
        return read

    def events(self) -> list[Raw]:
        made: list[Raw] = self.cleaned_data["events_text"]
        return made


_NEW: dict[str, type[CorrectionForm]] = {
    "fact": NewFactForm,
    "entity": NewEntityForm,
    "thread": NewThreadForm,
    "events": EventsForm,
}


def read_form(
    document: Document, ref: RowRef, data: Mapping[str, Any] | None = None
) -> CorrectionForm | None:
    """The form of a row, or of something new (``new:…``). None where the state does not hold the row."""
    form = _NEW.get(ref.key) if ref.kind == "new" else ROW_FORMS.get(ref.kind)
    try:
        return form(ref, document, data) if form is not None else None
    except KeyError:
        return None


def _free_key(name: str, taken: set[str]) -> str:
    return fresh_key(key_of(name)[:KEY_LENGTH], taken)
