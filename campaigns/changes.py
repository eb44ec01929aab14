"""Telling whoever listens that a story changed.

Within a process a listener is called after the commit. What another process did shows in the campaign's
change count, which goes up with every change.
"""

from dataclasses import dataclass
from typing import Protocol

from django.conf import settings
from django.utils.module_loading import import_string


@dataclass(frozen=True, slots=True)
class StoryChange:
    """One committed change. ``reason`` is the verb: undo, redo, goto, turn, retry, edit, select, …"""

    campaign_id: int
    change_count: int
    reason: str
    is_head_moved: bool


class StoryChangeListener(Protocol):
    def __call__(self, change: StoryChange) -> None: ...


def tell(change: StoryChange) -> None:
    listener: StoryChangeListener = import_string(settings.STORY_CHANGE_LISTENER)
    listener(change)
