"""Reading what a model server sends, without trusting a word of it: any shape but the expected one is a typed
error.
"""

import json
from typing import TypeGuard

from narrative.inference.base import BadResponseError

JsonObject = dict[str, object]


def parse_object(text: str) -> JsonObject:
    """The JSON object in ``text``; raises ``BadResponseError`` where it is anything else."""
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError):
        raise BadResponseError(
            "The model server sent something that is not JSON. Is it a model server, and is "
            "STORYTELLER_INFERENCE_API right for it?"
        ) from None
    if not is_object(value):
        raise BadResponseError(
            "The model server sent JSON of an unknown shape. Try again, or update the server."
        )
    return value


def is_object(value: object) -> TypeGuard[JsonObject]:
    return isinstance(value, dict)


def get_object(source: JsonObject, key: str) -> JsonObject:
    """``source[key]`` where it is an object, otherwise an empty one."""
    value = source.get(key)
    return value if is_object(value) else {}


def get_objects(source: JsonObject, key: str) -> list[JsonObject]:
    """The objects in the list ``source[key]``; what else may be in it is passed over."""
    value = source.get(key)
    return [item for item in value if is_object(item)] if isinstance(value, list) else []


def get_text(source: JsonObject, key: str) -> str:
    """``source[key]`` as text: empty where missing or null, an error where it is anything else."""
    value = source.get(key)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise BadResponseError(f"The model server sent a value for “{key}” that is not text. Try again.")
    return value


def get_number(source: JsonObject, key: str) -> float | None:
    value = source.get(key)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def get_count(source: JsonObject, key: str) -> int | None:
    """``source[key]`` where it is a count; servers leave counts of nothing out."""
    value = source.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
