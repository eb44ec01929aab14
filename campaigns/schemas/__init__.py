"""The shapes of JSON that go in and out, and how rows become them. Nothing here makes a query."""

from campaigns.schemas.requests import TurnRequestOut, request_out
from campaigns.schemas.story import HeadOut, StoryOut, TakeOut, TurnOut, head_out, story_out, turn_out

__all__ = [
    "HeadOut",
    "StoryOut",
    "TakeOut",
    "TurnOut",
    "TurnRequestOut",
    "head_out",
    "request_out",
    "story_out",
    "turn_out",
]
