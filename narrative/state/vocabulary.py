"""The events as they are taught and described, generated from their models so that nothing differs. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any, get_args, get_origin

from narrative.state.events import ENTITY_TYPES, MODELS, BaseEvent, CreateEntity
from narrative.state.fields import makes, references
from narrative.state.keys import KEY_LENGTH, fresh_key, key_of

# A model that is asked for few events invents fewer; one that came to no end is asked for fewer still.
MOST_ASKED = 6
FEW_ASKED = 3
# Stand-ins for the keys of what a proposal makes: a closed choice can be referred to, a free text cannot.
NEW = ("new-1", "new-2", "new-3", "new-4")
_TEXT = 100
_SHORT = 40
_SHORT_FIELDS = frozenset({"status", "attribute", "predicate", "relationship", "time", "mood", "conditions"})
_LIST = 6
# What a model is not asked for in a call: it fills them with words that nobody told.
_LEFT_OUT = frozenset(
    {"aliases", "importance", "environment", "actions", "visual_notes", "continuity_notes", "fact_id"}
)
_PLAIN_FIELDS = frozenset({"type", "name", "value", "title", "description", "reason"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """The keys that a model may answer with. What has none yet goes by one of ``NEW`` in the answer."""

    entities: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    threads: tuple[str, ...] = ()


def story_models() -> Iterable[tuple[str, type[BaseEvent]]]:
    """The events that a narrator may propose."""
    return ((name, model) for name, model in MODELS.items() if not model.is_for_players)


@cache
def vocabulary() -> str:
    """A line for each event: its type, its fields (? may be left out, [] is a list), and what it says."""
    return "\n".join(f"- {name}: {_fields(model)}. {_purpose(model)}" for name, model in story_models())


@cache
def short_vocabulary() -> str:
    """The same without what each says."""
    return "\n".join(f"{name}({_fields(model)})" for name, model in story_models())


def event_schema() -> dict[str, Any]:
    """The JSON Schema of every event, the player's own included: what the API documents."""
    return {"oneOf": [model.model_json_schema() for model in MODELS.values()]}


def proposal_schema(choices: Choices, *, most: int = MOST_ASKED) -> dict[str, Any]:
    """The JSON Schema that a model's output is constrained to: few events, closed choices of keys, and only
    what every server's converter knows (objects, arrays, enums, lengths, anyOf of whole objects)."""
    events = [
        _event_schema(name, model, choices) for name, model in story_models() if _is_possible(model, choices)
    ]
    return {
        "type": "object",
        "properties": {"events": {"type": "array", "maxItems": most, "items": {"anyOf": events}}},
        "required": ["events"],
        "additionalProperties": False,
    }


def _fields(model: type[BaseEvent]) -> str:
    return ", ".join(
        f"{name}{'' if info.is_required() else '?'}{'[]' if _is_list(info.annotation) else ''}"
        for name, info in model.model_fields.items()
        if name != "type"
    )


def _purpose(model: type[BaseEvent]) -> str:
    return " ".join((model.__doc__ or "").split())


def _is_list(annotation: Any) -> bool:
    """Whether a field is a list, or a list or null."""
    if hasattr(annotation, "__metadata__"):
        return _is_list(annotation.__origin__)
    if get_origin(annotation) is list:
        return True
    members = [part for part in get_args(annotation) if part is not type(None)]
    return len(members) == 1 and _is_list(members[0])


def _is_possible(model: type[BaseEvent], choices: Choices) -> bool:
    """Whether there is something to name where an event needs it."""
    fields = model.model_fields
    needed = (role.to for name, role in references(model).items() if fields[name].is_required())
    return all(_keys(to, choices) for to in needed)


def _event_schema(name: str, model: type[BaseEvent], choices: Choices) -> dict[str, Any]:
    properties: dict[str, Any] = {"type": {"const": name}}
    for field, info in model.model_fields.items():
        if field in _LEFT_OUT and not info.is_required():
            continue
        if field != "type" and (schema := _field_schema(model, field, choices)):
            properties[field] = schema
    required = [field for field in properties if field == "type" or model.model_fields[field].is_required()]
    return {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }


def _field_schema(model: type[BaseEvent], field: str, choices: Choices) -> dict[str, Any] | None:
    """None for a field that there is nothing to choose for."""
    annotation = model.model_fields[field].annotation
    if field in references(model):
        keys = _keys(references(model)[field].to, choices)
        if not keys:
            return None
        one: dict[str, Any] = {"enum": list(keys)}
        return {"type": "array", "maxItems": _LIST, "items": one} if _is_list(annotation) else one
    if field in makes(model) and makes(model)[field].what == "entity":
        return {"enum": list(NEW)}
    if model is CreateEntity and field == "entity_type":
        return {"enum": list(ENTITY_TYPES)}
    if field == "value":
        return {"anyOf": [{"type": "string", "maxLength": _TEXT}, {"type": "integer"}, {"type": "boolean"}]}
    if field == "importance":
        return {"type": "integer", "minimum": 1, "maximum": 5}
    if literal := _literal(annotation):
        return {"enum": list(literal)}
    longest = KEY_LENGTH if field in makes(model) else _SHORT if field in _SHORT_FIELDS else _TEXT
    text = {"type": "string", "minLength": 1, "maxLength": longest}
    return {"type": "array", "maxItems": _LIST, "items": text} if _is_list(annotation) else text


def _keys(to: str, choices: Choices) -> tuple[str, ...]:
    match to:
        case "fact":
            return choices.facts
        case "thread":
            return choices.threads
        case "either":
            return tuple(dict.fromkeys((*choices.entities, *choices.facts, *NEW)))
    return tuple(dict.fromkeys((*choices.entities, *NEW)))


def name_new_ones(proposal: object, taken: Iterable[str]) -> object:
    """A proposal with a key of its own in the place of each stand-in: the slug of the name that it was made
    with. Anything else is returned as it is."""
    if not isinstance(proposal, dict) or not isinstance(proposal.get("events"), list):
        return proposal
    keys: dict[str, str] = {}
    unnamed = set(taken)
    for event in proposal["events"]:
        if isinstance(event, dict) and event.get("type") == "create_entity" and event.get("entity") in NEW:
            name = key_of(event["name"])[:KEY_LENGTH] if isinstance(event.get("name"), str) else ""
            # One that is there already keeps its key: the review tells whether it is the same.
            keys[event["entity"]] = name or fresh_key("unnamed", unnamed)
            unnamed.add(keys[event["entity"]])
    return {**proposal, "events": [_renamed(event, keys) for event in proposal["events"]]}


def _renamed(event: Any, keys: dict[str, str]) -> Any:
    """An event with its keys renamed: they stand in its fields and in the lists there, no deeper."""
    if not isinstance(event, dict):
        return event
    return {name: part if name in _PLAIN_FIELDS else _key(part, keys) for name, part in event.items()}


def _key(part: Any, keys: dict[str, str]) -> Any:
    if isinstance(part, list):
        return [keys.get(each, each) if isinstance(each, str) else each for each in part]
    return keys.get(part, part) if isinstance(part, str) else part


def _literal(annotation: Any) -> tuple[str, ...]:
    values = get_args(annotation)
    return values if values and all(isinstance(value, str) for value in values) else ()


def event_table() -> str:
    """The events as a table in Markdown, for docs/state.md."""
    rows = [
        f"| `{name}`{' (player)' if model.is_for_players else ''} | {_fields(model)} | {_purpose(model)} |"
        for name, model in MODELS.items()
    ]
    return "\n".join(["| event | fields | says |", "|---|---|---|", *rows])
