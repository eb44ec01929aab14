"""What an event changed from and to, in words. Pure.

Its line was said when it was accepted, and is kept; this adds what held before, in the names of today.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from narrative.state.document import Document
from narrative.state.wording import label_words, name_of, names_of, value_words

_FACT = {
    "active": "it held",
    "disputed": "in doubt",
    "superseded": "overtaken",
    "invalidated": "no longer true",
}
_SCENE = {
    "location": "place",
    "present": "there",
    "significant": "of note",
    "environment": "surroundings",
    "actions": "going on",
    "visual_notes": "to be seen",
    "continuity_notes": "to bear in mind",
}


@dataclass(frozen=True, slots=True)
class Step:
    """From one value to another. ``before`` is empty where there was nothing to say."""

    before: str
    after: str


def read_step(document: Document, kind: str, payload: Mapping[str, Any], before: Any) -> Step:
    """What held before an event and what it set. Of a kind that makes something new nothing is said."""
    match kind:
        case "set_current_location":
            return Step(_place(document, before), _place(document, payload.get("location")))
        case "set_possession" | "clear_possession":
            return Step(_holder(document, before), _holder(document, payload.get("owner")))
        case "set_entity_status":
            return Step(str(before or ""), str(payload.get("status", "")))
        case "set_entity_description":
            return Step(str(before or "no description"), str(payload.get("description") or "no description"))
        case "set_entity_attribute":
            return Step(value_words(before), value_words(payload.get("value")))
        case "set_entity_conditions":
            return Step(_labels(before), _labels(payload.get("conditions")))
        case "invalidate_fact":
            return Step(fact_status_words(before), "no longer true")
        case "set_fact_status":
            return Step(fact_status_words(before), fact_status_words(payload.get("status")))
        case "set_thread_status":
            return Step(_thread(before), _thread(payload))
        case "set_scene":
            held = _scene(document, before)
            return Step(held, _scene(document, payload)) if held else Step("", "")
        case "rename_entity":
            return Step(str(before or ""), str(payload.get("name", "")))
        case "add_fact":
            return Step(_rival(document, before), _rival(document, payload)) if before else Step("", "")
    return Step("", "")


def fact_status_words(status: Any) -> str:
    return _FACT.get(status, str(status or ""))


def _place(document: Document, key: Any) -> str:
    return name_of(document, key) if isinstance(key, str) else "nobody knows where"


def _holder(document: Document, key: Any) -> str:
    return name_of(document, key) if isinstance(key, str) else "nobody"


def _labels(labels: Any) -> str:
    return value_words(labels) if isinstance(labels, list) else "none"


def _thread(thread: Any) -> str:
    if not isinstance(thread, Mapping):
        return ""
    end = f" ({thread['resolution']})" if thread.get("resolution") else ""
    return f"{thread.get('status', '')}{end}"


def _rival(document: Document, said: Any) -> str:
    if not isinstance(said, Mapping):
        return ""
    named = [name_of(document, said["object"])] if said.get("object") else []
    return " ".join(named + ([value_words(said["value"])] if said.get("value") is not None else []))


def _scene(document: Document, fields: Any) -> str:
    if not isinstance(fields, Mapping):
        return ""
    said = (
        f"{_SCENE.get(name, label_words(name))}: {scene_words(document, name, value)}"
        for name, value in fields.items()
        if value not in (None, "", [])
    )
    return "; ".join(said)


def scene_words(document: Document, name: str, value: Any) -> str:
    """One field of the scene as a person reads it."""
    if name == "location":
        return name_of(document, value) or "somewhere"
    if name in ("present", "significant") and isinstance(value, list):
        return names_of(document, value) or "nobody"
    return value_words(value) if value not in ("", None, []) else "nothing"
