"""The events that undo an event, by what held before it. Pure."""

from typing import Any

from narrative.state.apply import replaced_by
from narrative.state.document import Document
from narrative.state.events import WITHDRAWN, Event, parse_event
from narrative.state.holding import value_before

Raw = dict[str, Any]
_TEXT_LENGTH = 2_000


def undo_events(document: Document, raw: Raw, before: Any, *, reason: str) -> list[Raw] | None:
    """What takes an event back, or None where nothing does or what it set has changed again since."""
    event = parse_event(raw)
    if not _still_holds(document, event):
        return None
    if event.type not in _UNDO:
        return None
    undone: list[Raw] | None = _UNDO[event.type](raw, before, reason[:_TEXT_LENGTH])
    return undone + _put_back(document, event) if undone else undone


def _put_back(document: Document, event: Event) -> list[Raw]:
    """What an added fact took the place of holds again without it."""
    if event.type != "add_fact" or event.fact_id is None:
        return []
    return [
        {"type": "set_fact_status", "fact_id": fact.id, "status": "active"}
        for fact in document.facts
        if fact.status == "superseded" and fact.invalidated_reason == replaced_by(event.fact_id)
    ]


def _still_holds(document: Document, event: Event) -> bool:
    """Whether what the event set is what holds now."""
    now = value_before(document, event)
    match event.type:
        case "create_entity":
            entity = document.entities.get(event.entity)
            return entity is not None and entity.status != WITHDRAWN
        case "add_fact":
            fact = document.fact(event.fact_id or "")
            return fact is not None and fact.status == "active"
        case "open_story_thread":
            thread = document.threads.get(event.thread)
            return thread is not None and thread.status in ("open", "dormant")
        case "invalidate_fact":
            return bool(now == "invalidated")
        case "clear_possession" | "end_relationship":
            return now is None
        case "add_relationship":
            return now is not None and event.description in (None, now)
        case "set_entity_conditions":
            return bool(now == list(dict.fromkeys(event.conditions)))
        case "set_thread_status":
            return bool(now and now["status"] == event.status)
        case "set_scene":
            return bool(now == {name: part for name, part in event.payload().items() if part is not None})
    wanted = next(
        (value for name, value in event.payload().items() if name in _SET and value is not None), None
    )
    return bool(now == wanted)


_SET = ("status", "description", "value", "conditions", "location", "owner", "name")


def _entity(raw: Raw, before: Any, reason: str) -> list[Raw]:
    return [{"type": "set_entity_status", "entity": raw["entity"], "status": WITHDRAWN}]


def _possession(raw: Raw, before: Any, reason: str) -> list[Raw] | None:
    if before is None:
        return [{"type": "clear_possession", "item": raw["item"]}] if "owner" in raw else None
    return [{"type": "set_possession", "item": raw["item"], "owner": before}]


def _fact(raw: Raw, before: Any, reason: str) -> list[Raw]:
    return [{"type": "invalidate_fact", "fact_id": raw["fact_id"], "reason": reason}]


def _fact_again(raw: Raw, before: Any, reason: str) -> list[Raw] | None:
    if before == "invalidated":
        return [{"type": "invalidate_fact", "fact_id": raw["fact_id"], "reason": reason}]
    return [{"type": "set_fact_status", "fact_id": raw["fact_id"], "status": before}] if before else None


def _tie(raw: Raw, before: Any, reason: str) -> list[Raw]:
    named = {name: raw[name] for name in ("source", "target", "relationship")}
    if before is None:
        return [{"type": "end_relationship", **named}]
    return [{"type": "add_relationship", **named, "description": before}]


def _tie_again(raw: Raw, before: Any, reason: str) -> list[Raw]:
    named = {name: raw[name] for name in ("source", "target", "relationship")}
    return [{"type": "add_relationship", **named}]


def _thread(raw: Raw, before: Any, reason: str) -> list[Raw]:
    return [
        {"type": "set_thread_status", "thread": raw["thread"], "status": "abandoned", "resolution": reason}
    ]


def _thread_again(raw: Raw, before: Any, reason: str) -> list[Raw] | None:
    if not isinstance(before, dict):
        return None
    again: Raw = {"type": "set_thread_status", "thread": raw["thread"], "status": before["status"]}
    return [again | ({"resolution": before["resolution"]} if before.get("resolution") else {})]


def _scene(raw: Raw, before: Any, reason: str) -> list[Raw] | None:
    kept = {name: value for name, value in before.items() if value is not None} if before else {}
    return [{"type": "set_scene", **kept}] if kept else None


def _setting(field: str, *, otherwise: Any = None) -> Any:
    def undo(raw: Raw, before: Any, reason: str) -> list[Raw]:
        return [{**raw, field: otherwise if before is None else before}]

    return undo


_UNDO: dict[str, Any] = {
    "create_entity": _entity,
    "set_entity_status": _setting("status", otherwise="active"),
    "set_entity_description": _setting("description", otherwise=""),
    "set_entity_attribute": _setting("value"),
    "set_entity_conditions": _setting("conditions", otherwise=[]),
    "set_current_location": _setting("location"),
    "set_possession": _possession,
    "clear_possession": _possession,
    "add_fact": _fact,
    "invalidate_fact": _fact_again,
    "set_fact_status": _fact_again,
    "add_relationship": _tie,
    "end_relationship": _tie_again,
    "open_story_thread": _thread,
    "set_thread_status": _thread_again,
    "set_scene": _scene,
    "rename_entity": _setting("name"),
}
