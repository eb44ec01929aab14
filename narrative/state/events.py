"""The events: the only way to change the state. Each says what holds afterwards, never a difference.

The vocabulary of the prompt, the JSON Schemas and the documentation are generated from these models
(``vocabulary.py``), so that nobody is taught an event that the review refuses.
"""

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from campaigns.texts import clean_text, join_halves
from narrative.state.keys import KEY_LENGTH, key_of

TEXT_LENGTH = 2_000
LABEL_LENGTH = 200
MOST_LABELS = 40
LARGEST_NUMBER = 2**53

ENTITY_TYPES = (
    "character",
    "location",
    "organization",
    "item",
    "vehicle",
    "creature",
    "structure",
    "concept",
    "other",
)
ENTITY_STATUSES = ("active", "inactive", "destroyed", "dead", "unknown")
# What a thing is that should never have been there: only the player says so.
WITHDRAWN = "withdrawn"


@dataclass(frozen=True, slots=True)
class Refers:
    """A field names something that the state holds. ``to`` is "entity", "fact", "thread", or "either" of the
    first two."""

    to: Literal["entity", "fact", "thread", "either"]


@dataclass(frozen=True, slots=True)
class Makes:
    """A field holds a key for something new."""

    what: Literal["entity", "fact", "thread"]


def _tidy(value: Any) -> Any:
    """Text on one line without what cannot be stored; anything else is left for its type to judge."""
    return " ".join(clean_text(join_halves(value)).split()) if isinstance(value, str) else value


def _no_whole(value: Any) -> Any:
    """A whole number too large to be kept exactly is not kept roughly."""
    if isinstance(value, int):
        raise ValueError("a whole number is judged as one")
    return value


def _new_key(text: str) -> str:
    key = key_of(text)
    if not key:
        raise ValueError("a key needs at least one letter or digit")
    if len(key) > KEY_LENGTH:
        raise ValueError(f"a key may have at most {KEY_LENGTH} characters")
    return key


def _attribute(name: str) -> str:
    if key_of(name) in _FIELDS_OF_ITS_OWN:
        raise ValueError(f"“{name}” is no attribute: use {_FIELDS_OF_ITS_OWN[key_of(name)]}")
    return name


def _predicate(name: str) -> str:
    if key_of(name) == "status":
        raise ValueError("a status is no fact: use set_entity_status")
    return name


# What has an event of its own, so that a forbidden change cannot be reached by another name.
_FIELDS_OF_ITS_OWN = {
    "status": "set_entity_status",
    "location": "set_current_location",
    "conditions": "set_entity_conditions",
    "condition": "set_entity_conditions",
    "description": "set_entity_description",
    "owner": "set_possession",
    "holder": "set_possession",
    "name": "a correction",
    "type": "create_entity",
    "aliases": "create_entity",
}

_Line = Annotated[str, BeforeValidator(_tidy)]
Text = Annotated[_Line, Field(max_length=TEXT_LENGTH)]
Name = Annotated[_Line, Field(min_length=1, max_length=LABEL_LENGTH)]
Label = Annotated[_Line, Field(min_length=1, max_length=LABEL_LENGTH)]
Mood = Annotated[_Line, Field(max_length=LABEL_LENGTH)]
Labels = Annotated[list[Label], Field(max_length=MOST_LABELS)]
NewKey = Annotated[_Line, AfterValidator(_new_key)]
Attribute = Annotated[Label, AfterValidator(_attribute)]
Predicate = Annotated[Label, AfterValidator(_predicate)]
_Reference = Annotated[_Line, Field(min_length=1, max_length=LABEL_LENGTH)]
EntityRef = Annotated[_Reference, Refers("entity")]
FactRef = Annotated[_Reference, Refers("fact")]
ThreadRef = Annotated[_Reference, Refers("thread")]
EntityOrFactRef = Annotated[_Reference, Refers("either")]
EntityRefs = Annotated[list[EntityRef], Field(max_length=MOST_LABELS), Refers("entity")]
NewEntity = Annotated[NewKey, Makes("entity")]
NewFact = Annotated[NewKey, Makes("fact")]
NewThread = Annotated[NewKey, Makes("thread")]
_Whole = Annotated[int, Field(ge=-LARGEST_NUMBER, le=LARGEST_NUMBER)]
_Number = Annotated[float, BeforeValidator(_no_whole), Field(allow_inf_nan=False)]
Scalar = bool | _Whole | _Number | Text
Value = Scalar | Labels | None


class BaseEvent(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    # What the player alone may ask for.
    is_for_players: ClassVar[bool] = False

    def payload(self) -> dict[str, Any]:
        """The event as it is recorded, without its type and without what was not given."""
        return self.model_dump(exclude={"type"}, exclude_unset=True)


class CreateEntity(BaseEvent):
    """Somebody or something new, under a key of its own."""

    type: Literal["create_entity"] = "create_entity"
    entity: NewEntity
    name: Name
    entity_type: Label | None = None
    description: Text | None = None
    aliases: Labels | None = None


class SetEntityStatus(BaseEvent):
    """Whether it is active, inactive, destroyed, dead or unknown."""

    type: Literal["set_entity_status"] = "set_entity_status"
    entity: EntityRef
    status: Label


class SetEntityDescription(BaseEvent):
    """What it is, in a sentence or two."""

    type: Literal["set_entity_description"] = "set_entity_description"
    entity: EntityRef
    description: Text


class SetEntityAttribute(BaseEvent):
    """One named property: a text, a number, yes or no, or a list of labels; null takes it away."""

    type: Literal["set_entity_attribute"] = "set_entity_attribute"
    entity: EntityRef
    attribute: Attribute
    value: Value


class SetEntityConditions(BaseEvent):
    """All the conditions it is in now, in place of the earlier ones."""

    type: Literal["set_entity_conditions"] = "set_entity_conditions"
    entity: EntityRef
    conditions: Labels


class SetCurrentLocation(BaseEvent):
    """Where somebody or something is now; null where nobody knows."""

    type: Literal["set_current_location"] = "set_current_location"
    entity: EntityRef
    location: EntityRef | None


class SetPossession(BaseEvent):
    """Who holds an item now."""

    type: Literal["set_possession"] = "set_possession"
    item: EntityRef
    owner: EntityRef


class ClearPossession(BaseEvent):
    """Nobody holds the item any more."""

    type: Literal["clear_possession"] = "clear_possession"
    item: EntityRef


class AddFact(BaseEvent):
    """Something that is established. The object is an entity or another fact."""

    type: Literal["add_fact"] = "add_fact"
    predicate: Predicate
    subject: EntityRef | None = None
    object: EntityOrFactRef | None = None
    value: Value = None
    fact_id: NewFact | None = None


class InvalidateFact(BaseEvent):
    """An established fact holds no longer."""

    type: Literal["invalidate_fact"] = "invalidate_fact"
    fact_id: FactRef
    reason: Text | None = None


class AddRelationship(BaseEvent):
    """How one entity stands to another."""

    type: Literal["add_relationship"] = "add_relationship"
    source: EntityRef
    target: EntityRef
    relationship: Label
    description: Text | None = None


class EndRelationship(BaseEvent):
    """They stand so no longer."""

    type: Literal["end_relationship"] = "end_relationship"
    source: EntityRef
    target: EntityRef
    relationship: Label


class OpenStoryThread(BaseEvent):
    """A goal, a promise or a question that the story has opened."""

    type: Literal["open_story_thread"] = "open_story_thread"
    thread: NewThread
    title: Name
    description: Text | None = None
    importance: Annotated[int, Field(ge=1, le=5)] | None = None


class SetThreadStatus(BaseEvent):
    """Where a thread stands now, and how it ended."""

    type: Literal["set_thread_status"] = "set_thread_status"
    thread: ThreadRef
    status: Literal["open", "dormant", "resolved", "abandoned"]
    resolution: Text | None = None


class SetScene(BaseEvent):
    """The scene; what is not given stays as it is."""

    type: Literal["set_scene"] = "set_scene"
    summary: Text | None = None
    location: EntityRef | None = None
    time: Mood | None = None
    mood: Mood | None = None
    environment: Text | None = None
    present: EntityRefs | None = None
    significant: EntityRefs | None = None
    actions: Labels | None = None
    visual_notes: Labels | None = None
    continuity_notes: Labels | None = None


class RenameEntity(BaseEvent):
    """Another name. The earlier one stays as an alias."""

    type: Literal["rename_entity"] = "rename_entity"
    is_for_players: ClassVar[bool] = True
    entity: EntityRef
    name: Name


class MergeEntities(BaseEvent):
    """Two entries for one thing: all that names ``entity`` names ``into`` from now on."""

    type: Literal["merge_entities"] = "merge_entities"
    is_for_players: ClassVar[bool] = True
    entity: EntityRef
    into: EntityRef


class RemoveEntityAlias(BaseEvent):
    """It is not called that."""

    type: Literal["remove_entity_alias"] = "remove_entity_alias"
    is_for_players: ClassVar[bool] = True
    entity: EntityRef
    alias: Name


class SetFactStatus(BaseEvent):
    """Whether a fact holds, is disputed, or has been overtaken by another."""

    type: Literal["set_fact_status"] = "set_fact_status"
    is_for_players: ClassVar[bool] = True
    fact_id: FactRef
    status: Literal["active", "disputed", "superseded"]


Event = (
    CreateEntity
    | SetEntityStatus
    | SetEntityDescription
    | SetEntityAttribute
    | SetEntityConditions
    | SetCurrentLocation
    | SetPossession
    | ClearPossession
    | AddFact
    | InvalidateFact
    | AddRelationship
    | EndRelationship
    | OpenStoryThread
    | SetThreadStatus
    | SetScene
    | RenameEntity
    | MergeEntities
    | RemoveEntityAlias
    | SetFactStatus
)

MODELS: dict[str, type[BaseEvent]] = {
    model.model_fields["type"].default: model for model in Event.__args__ if issubclass(model, BaseEvent)
}
# Old names that are still understood: what they are called now, and what they say besides.
OLD_NAMES: dict[str, tuple[str, dict[str, str]]] = {
    "resolve_story_thread": ("set_thread_status", {"status": "resolved"})
}
EVENT_TYPES: frozenset[str] = frozenset(MODELS) | frozenset(OLD_NAMES)


def parse_event(raw: dict[str, Any]) -> Event:
    """The event that a JSON object of a known ``type`` is. Raises pydantic's ValidationError."""
    name = raw["type"]
    if name in OLD_NAMES:
        name, implied = OLD_NAMES[name]
        raw = {**implied, **raw, "type": name}
    event: Event = MODELS[name].model_validate(raw)  # type: ignore[assignment]
    return event
