"""What the fields of the events refer to, read from their types. Pure."""

from collections.abc import Iterator
from functools import cache
from typing import Any, get_args

from narrative.state.events import BaseEvent, Event, Makes, Refers


@cache
def references(model: type[BaseEvent]) -> dict[str, Refers]:
    """The fields that name something the state holds."""
    return {name: role for name, role in _roles(model) if isinstance(role, Refers)}


@cache
def makes(model: type[BaseEvent]) -> dict[str, Makes]:
    """The fields that hold a key for something new."""
    return {name: role for name, role in _roles(model) if isinstance(role, Makes)}


def named_by(event: Event) -> Iterator[tuple[str, Refers, str]]:
    """Every reference in an event: the field, what it refers to, and what stands there."""
    for name, role in references(type(event)).items():
        value = getattr(event, name)
        for text in value if isinstance(value, list) else [value]:
            if text is not None:
                yield name, role, text


def _roles(model: type[BaseEvent]) -> Iterator[tuple[str, Refers | Makes]]:
    for name, info in model.model_fields.items():
        found = [part for part in info.metadata if isinstance(part, Refers | Makes)]
        found = found or _find(info.annotation)
        if found:
            yield name, found[0]


def _find(annotation: Any) -> list[Refers | Makes]:
    parts = get_args(annotation)
    here = [part for part in parts if isinstance(part, Refers | Makes)]
    return here or [role for part in parts for role in _find(part)]
