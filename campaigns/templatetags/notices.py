"""The Undo of a notice, for the template that shows it."""

from django import template
from django.contrib.messages.storage.base import Message

from campaigns.notices import Undo, read_undo

register = template.Library()


@register.filter
def undo_of(message: Message) -> Undo | None:
    return read_undo(message)
