"""Correcting what a row of the state says, without knowing an event: forms that read like a sentence."""

from collections.abc import Callable, Iterable
from typing import Any, ClassVar

from django import forms

from narrative.state.document import Document, Value
from narrative.state.events import ENTITY_STATUSES, TEXT_LENGTH, WITHDRAWN
from narrative.state.keys import fresh_key
from narrative.state.wording import fact_words, is_status, label_words, name_of, tie_words, value_words
from narrative.state_forms import (
    REASON_LENGTH,
    Choices,
    CorrectionForm,
    Raw,
    RowRef,
    Words,
    area,
    choice,
    line,
    ticks,
)


class EntityForm(CorrectionForm):
    name = line("Name", required=True)
    status = line("Is", required=True, hint="Such as active, inactive, destroyed, dead or unknown.")
    location = choice("Where")
    holder = choice("Held by")
    conditions = area("In what condition", hint="One a line.")
    description = area("Description", rows=3)
    besides = area("Besides", hint="One a line: what it is, a colon, and how it is.")
    dropped = ticks("No longer called")
    same_as = choice("Is the same as")
    never = forms.BooleanField(label="Was never there", required=False)

    @property
    def heading(self) -> str:
        return f"Correct {name_of(self.document, self.ref.key)}"

    def words(self) -> Words:
        entity = self.document.entities[self.ref.key]
        is_withdrawn = is_status(entity.status, WITHDRAWN)
        return {
            "name": entity.name,
            "status": "active" if is_withdrawn else entity.status,
            "location": entity.location or "",
            "holder": self.document.possessions.get(self.ref.key, ""),
            "conditions": "\n".join(entity.conditions),
            "description": entity.description,
            "besides": "\n".join(f"{label_words(n)}: {value_words(v)}" for n, v in entity.attributes.items()),
            "dropped": [],
            "same_as": "",
            "never": is_withdrawn,
        }

    def prepare(self) -> None:
        document, key = self.document, self.ref.key
        entity = document.entities[key]
        self.fields["status"].widget.attrs["list"] = "state-statuses"
        _offer(self, "location", "nobody knows where", _others(document, key, first="location"))
        _offer(self, "holder", "nobody", _others(document, key, first="character"))
        _offer(self, "same_as", "nothing else", _others(document, key, first=entity.type))
        _choose(self, "dropped", [(alias, alias) for alias in entity.aliases])
        is_holdable = entity.type not in ("character", "location") or key in document.possessions
        gone = {"holder": not is_holdable, "dropped": not entity.aliases, "besides": not entity.attributes}
        gone["same_as"] = len(document.entities) < 2
        for name in [name for name, is_gone in gone.items() if is_gone]:
            del self.fields[name]

    def clean_besides(self) -> str:
        text: str = self.cleaned_data["besides"]
        if any(":" not in each for each in _lines(text)):
            raise forms.ValidationError("Write one a line: what it is, a colon, and how it is.")
        return text

    def events(self) -> list[Raw]:
        key, changed, data = self.ref.key, self.changed(), self.cleaned_data
        made = [_MADE[name](key, data[name]) for name in _MADE if name in changed]
        if "never" in changed or ("status" in changed and not data["never"]):
            status = WITHDRAWN if data["never"] else data["status"]
            made.append({"type": "set_entity_status", "entity": key, "status": status})
        if "besides" in changed:
            made += self._attributes(data["besides"])
        if "dropped" in changed:
            made += [
                {"type": "remove_entity_alias", "entity": key, "alias": each} for each in data["dropped"]
            ]
        if "same_as" in changed:
            made.append({"type": "merge_entities", "entity": key, "into": data["same_as"]})
        return made

    def _attributes(self, text: str) -> list[Raw]:
        """An event for each that was added, changed or taken out, by the names that they are stored under."""
        held = self.document.entities[self.ref.key].attributes
        names = {label_words(name): name for name in held}
        opened, wanted = _pairs(str(self.opened.get("besides", ""))), _pairs(text)
        return [
            {
                "type": "set_entity_attribute",
                "entity": self.ref.key,
                "attribute": names.get(name, name),
                "value": read_value(wanted[name], held.get(names.get(name, name)))
                if name in wanted
                else None,
            }
            for name in dict.fromkeys([*opened, *wanted])
            if opened.get(name) != wanted.get(name)
        ]


class HolderForm(CorrectionForm):
    holder = choice("Held by")

    @property
    def heading(self) -> str:
        return f"Who holds {name_of(self.document, self.ref.key)}?"

    def words(self) -> Words:
        return {"holder": self.document.possessions[self.ref.key]}

    def prepare(self) -> None:
        _offer(self, "holder", "nobody", _others(self.document, self.ref.key, first="character"))

    def events(self) -> list[Raw]:
        return [_held(self.ref.key, self.cleaned_data["holder"])] if self.changed() else []


class FactForm(CorrectionForm):
    subject = choice("About")
    predicate = line("What", required=True)
    object = choice("Whom or what")
    value = line("How much or which", most=TEXT_LENGTH)
    status = choice("It", required=True)

    @property
    def heading(self) -> str:
        return "Correct what is established"

    def words(self) -> Words:
        fact = self.document.fact(self.ref.key)
        if fact is None:
            raise KeyError(self.ref.key)
        self.fact = fact
        return {
            "subject": fact.subject or "",
            "predicate": label_words(fact.predicate),
            "object": fact.object or "",
            "value": value_words(fact.value) if fact.value is not None else "",
            "status": fact.status,
        }

    def prepare(self) -> None:
        fact = self.fact
        _offer(self, "subject", "nobody in particular", _others(self.document, "", first="character"))
        things = _others(self.document, "", first="character")
        if fact.object and fact.object not in self.document.entities:
            inner = self.document.fact(fact.object)
            things.append((fact.object, f"that {fact_words(self.document, inner)}" if inner else fact.object))
        _offer(self, "object", "nothing", things)
        statuses = [("active", "holds"), ("disputed", "is in doubt"), ("superseded", "has been overtaken")]
        if fact.status == "invalidated":
            statuses = [("invalidated", "is no longer true"), ("active", "is true after all"), statuses[1]]
        _choose(self, "status", statuses)
        is_over = fact.status in ("invalidated", "superseded")
        gone = {"object": fact.object is None, "value": fact.value is None}
        for name in ("subject", "predicate", "object", "value"):
            if is_over or gone.get(name):
                del self.fields[name]

    def events(self) -> list[Raw]:
        changed, fact = self.changed(), self.fact
        status = {"type": "set_fact_status", "status": self.cleaned_data["status"]}
        if not changed - {"status"}:
            return [{**status, "fact_id": fact.id}] if changed else []
        fact_id = fresh_key(fact.id, {each.id for each in self.document.facts})
        reason = self.cleaned_data["note"] or "put in other words"
        made: list[Raw] = [
            {"type": "invalidate_fact", "fact_id": fact.id, "reason": reason},
            {"type": "add_fact", "fact_id": fact_id, **self._said()},
        ]
        is_doubted = self.cleaned_data["status"] != "active"
        return [*made, {**status, "fact_id": fact_id}] if is_doubted else made

    def _said(self) -> Raw:
        data, fact, changed = self.cleaned_data, self.fact, self.changed()
        said: Raw = {"predicate": data["predicate"] if "predicate" in changed else fact.predicate}
        for name in ("subject", "object"):
            if wanted := data.get(name):
                said[name] = wanted
        if data.get("value"):
            said["value"] = read_value(data["value"], fact.value) if "value" in changed else fact.value
        return said


class WrongForm(CorrectionForm):
    """Withdrawing a fact. The reason is told to the narrator, so that what was written does not win."""

    save: ClassVar[str] = "It is not true"
    note = area("Why is it wrong?", required=True, most=REASON_LENGTH)

    @property
    def row(self) -> RowRef:
        return RowRef("fact", self.ref.key)

    @property
    def heading(self) -> str:
        return "That’s wrong"

    def words(self) -> Words:
        fact = self.document.fact(self.ref.key)
        if fact is None:
            raise KeyError(self.ref.key)
        self.intro = f"“{fact_words(self.document, fact)}” is kept under No longer true, with your reason."
        return {}

    def prepare(self) -> None:
        self.fields["note"].help_text = f"The narrator is told so. At most {REASON_LENGTH} characters."

    def events(self) -> list[Raw]:
        reason = self.cleaned_data["note"]
        return [{"type": "invalidate_fact", "fact_id": self.ref.key, "reason": reason}]


class TieForm(CorrectionForm):
    @property
    def heading(self) -> str:
        return "How they stand to each other"

    @property
    def save(self) -> str:  # type: ignore[override]
        return "It is so no longer" if self.opened.get("status") == "active" else "It is so after all"

    def words(self) -> Words:
        found = [tie for tie in self.document.relationships if tie.id == self.ref.key]
        self.tie = dict(enumerate(found))[0]
        self.intro = f"{tie_words(self.document, self.tie)}."
        return {"status": self.tie.status}

    def events(self) -> list[Raw]:
        if self.opened.get("status") != self.tie.status:
            return []  # it is as was wished already
        kind = "end_relationship" if self.tie.status == "active" else "add_relationship"
        between = {"source": self.tie.source, "target": self.tie.target}
        return [{"type": kind, **between, "relationship": self.tie.type}]


class ThreadForm(CorrectionForm):
    status = choice("It is", required=True)
    resolution = area("How it ended")

    @property
    def heading(self) -> str:
        return f"Correct “{self.document.threads[self.ref.key].title}”"

    def words(self) -> Words:
        thread = self.document.threads[self.ref.key]
        return {"status": thread.status, "resolution": thread.resolution or ""}

    def prepare(self) -> None:
        statuses = ("open", "dormant", "resolved", "abandoned")
        _choose(self, "status", [(status, status) for status in statuses])

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        is_ending = data.get("resolution") and data["resolution"] != self.opened.get("resolution")
        if is_ending and data.get("status") in ("open", "dormant"):
            self.add_error(
                "resolution", "What is not over has no ending: say that it is resolved or abandoned."
            )
        return data

    def events(self) -> list[Raw]:
        if not self.changed():
            return []
        status, resolution = self.cleaned_data["status"], self.cleaned_data["resolution"]
        ending = {"resolution": resolution} if resolution and status in ("resolved", "abandoned") else {}
        return [{"type": "set_thread_status", "thread": self.ref.key, "status": status, **ending}]


class SceneForm(CorrectionForm):
    summary = area("What is going on")
    location = choice("Place")
    time = line("Time")
    mood = line("Mood")
    environment = area("Surroundings")
    present = ticks("Who is there")
    significant = ticks("Of note")
    actions = area("Being done", hint="One a line.")
    visual_notes = area("To be seen", hint="One a line.")
    continuity_notes = area("To bear in mind", hint="One a line.")

    _LISTS = ("actions", "visual_notes", "continuity_notes")

    @property
    def heading(self) -> str:
        return "Correct the scene"

    def words(self) -> Words:
        scene = self.document.scene
        said: Words = {name: getattr(scene, name) for name in ("summary", "time", "mood", "environment")}
        said |= {name: list(getattr(scene, name)) for name in ("present", "significant")}
        said |= {name: "\n".join(getattr(scene, name)) for name in self._LISTS}
        return said | {"location": scene.location or ""}

    def prepare(self) -> None:
        document, scene = self.document, self.document.scene
        places = _others(document, "", first="location")
        if scene.location:
            _choose(self, "location", _holding(document, places, scene.location))
        else:
            _offer(self, "location", "nobody knows where", places)
        living = [key for key, each in document.entities.items() if each.type in ("character", "creature")]
        people = dict.fromkeys([*scene.present, *_there(document, living)])
        _choose(self, "present", [(key, name_of(document, key)) for key in people])
        noted = dict.fromkeys([*scene.significant])
        _choose(self, "significant", [(key, name_of(document, key)) for key in noted])
        gone = {name: not getattr(scene, name) for name in (*self._LISTS, "significant")}
        for name in [name for name, is_gone in gone.items() if is_gone]:
            del self.fields[name]

    def events(self) -> list[Raw]:
        said = {name: self.cleaned_data[name] for name in self.fields if name in self.changed()}
        said |= {name: _lines(said[name]) for name in self._LISTS if name in said}
        return [{"type": "set_scene", **said}] if said else []


ROW_FORMS: dict[str, type[CorrectionForm]] = {
    "entity": EntityForm,
    "possession": HolderForm,
    "fact": FactForm,
    "wrong": WrongForm,
    "relationship": TieForm,
    "thread": ThreadForm,
    "scene": SceneForm,
}
STATUSES = ENTITY_STATUSES


def read_value(text: str, was: Value) -> Value:
    """What was typed, as the kind of value that stood there."""
    if isinstance(was, list):
        return [part.strip() for part in text.split(",") if part.strip()]
    if isinstance(was, bool) and text.casefold() in ("yes", "no"):
        return text.casefold() == "yes"
    if isinstance(was, int | float):
        for number in (int, float):
            try:
                return number(text)
            except ValueError:
                continue
    return text


def _held(item: str, owner: str) -> Raw:
    if not owner:
        return {"type": "clear_possession", "item": item}
    return {"type": "set_possession", "item": item, "owner": owner}


# The fields of an entity that are an event by themselves.
_MADE: dict[str, Callable[[str, Any], Raw]] = {
    "name": lambda key, text: {"type": "rename_entity", "entity": key, "name": text},
    "location": lambda key, to: {"type": "set_current_location", "entity": key, "location": to or None},
    "holder": _held,
    "conditions": lambda key, text: {
        "type": "set_entity_conditions",
        "entity": key,
        "conditions": _lines(text),
    },
    "description": lambda key, text: {"type": "set_entity_description", "entity": key, "description": text},
}


def entity_choices(document: Document, *, first: str, without: str = "") -> Choices:
    """Everything there is but one, those of a kind first; with the key where two are called the same."""
    keys = [key for key in _there(document, document.entities) if key != without]
    names = [document.entities[key].name for key in keys]
    labels = {
        key: f"{name} ({key})" if names.count(name) > 1 else name
        for key, name in zip(keys, names, strict=True)
    }
    keys.sort(key=lambda key: (document.entities[key].type != first, labels[key].casefold()))
    return [(key, labels[key]) for key in keys]


def _others(document: Document, without: str, *, first: str) -> Choices:
    return entity_choices(document, first=first, without=without)


def _there(document: Document, keys: Iterable[str]) -> list[str]:
    return [key for key in keys if not is_status(document.entities[key].status, WITHDRAWN)]


def _holding(document: Document, choices: Choices, key: str) -> Choices:
    """The choices, with what holds now among them."""
    is_there = not key or key in dict(choices)
    return choices if is_there else [*choices, (key, name_of(document, key))]


def _choose(form: CorrectionForm, name: str, choices: Choices) -> None:
    field = form.fields[name]
    if isinstance(field, forms.ChoiceField):
        field.choices = choices


def _offer(form: CorrectionForm, name: str, nothing: str, choices: Choices) -> None:
    held = form.now.get(name, "")
    _choose(form, name, [("", nothing), *_holding(form.document, choices, held)])


def _lines(text: str) -> list[str]:
    return [each.strip() for each in text.splitlines() if each.strip()]


def _pairs(text: str) -> dict[str, str]:
    split = (each.partition(":") for each in _lines(text))
    return {name.strip(): value.strip() for name, _, value in split}
