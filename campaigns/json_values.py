"""JSON that somebody sent to be kept: how large it may be, and what of it can be stored. Pure."""

import json
from typing import Any

from campaigns.texts import clean_text

_BYTES = 64 * 1024
_LEVELS = 20


def require_bounded(value: Any) -> Any:
    """The same JSON value, if it can be stored and is not unreasonably large. Raises ValueError.

    Ask before anything else walks the value: what is nested too deeply ends a walk with an error.
    """
    if not _is_shallow(value, _LEVELS):
        raise ValueError(f"It may be nested at most {_LEVELS} levels deep.")
    try:
        size = len(json.dumps(value, allow_nan=False))
    except ValueError as error:
        raise ValueError("It holds a number that JSON has no word for.") from error
    if size > _BYTES:
        raise ValueError(f"It may take at most {_BYTES:,} bytes as JSON; this takes {size:,}.")
    return value


def clean_value(value: Any) -> Any:
    """The same JSON value without characters that cannot be stored."""
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, list):
        return [clean_value(item) for item in value]
    if isinstance(value, dict):
        return {clean_text(str(key)): clean_value(item) for key, item in value.items()}
    return value


def _is_shallow(value: Any, levels: int) -> bool:
    if not isinstance(value, dict | list):
        return True
    parts = value.values() if isinstance(value, dict) else value
    return levels > 0 and all(_is_shallow(part, levels - 1) for part in parts)
