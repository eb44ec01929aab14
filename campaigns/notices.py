"""What a page says once after something was done, and the way to undo it where there is one.

A notice travels as one of Django's messages, as words and plain values. The template makes a form of its
Undo, so that no markup is ever stored and a browser without a script has the same button.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass

from django.contrib import messages
from django.contrib.messages.storage.base import Message
from django.http import HttpRequest

# The fields in which a form says which part of a page it was posted from.
_PLACE = ("panel", "versions", "back", "at", "view")


@dataclass(frozen=True, slots=True)
class Undo:
    """A form to post: its address and its fields, of which a name may come more than once."""

    action: str
    fields: tuple[tuple[str, str], ...] = ()


def give_notice(request: HttpRequest, text: str, *, undo: Undo | None = None) -> None:
    """Say it on the page that comes next. Its Undo leads back to where this was asked."""
    packed = "" if undo is None else json.dumps([undo.action, [*undo.fields, *_asked_at(request)]])
    messages.success(request, text, extra_tags=packed)


def read_undo(message: Message) -> Undo | None:
    """The Undo that a message carries."""
    if not message.extra_tags:
        return None
    action, fields = json.loads(message.extra_tags)
    return Undo(action, _as_pairs(fields))


def _asked_at(request: HttpRequest) -> list[tuple[str, str]]:
    return [(name, request.POST[name]) for name in _PLACE if request.POST.get(name)]


def _as_pairs(fields: Iterable[Iterable[str]]) -> tuple[tuple[str, str], ...]:
    return tuple((name, value) for name, value in fields)
