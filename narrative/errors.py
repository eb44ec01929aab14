"""What can go wrong when a turn is told."""

from collections.abc import Sequence
from typing import ClassVar

from campaigns.models import TurnRequest
from narrative.state.review import Refused


class NarrativeError(Exception):
    """Base of this app's errors. ``code`` is what every surface answers with."""

    code: ClassVar[str] = "invalid"

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class ContextOverflowError(NarrativeError):
    """The parts of a prompt that must be there, and the reply, do not fit the window. Nothing was sent."""

    code = "context_overflow"

    def __init__(self, *, needed: int, window: int, reply: int) -> None:
        super().__init__(
            f"The rules, the canon and your text need {needed:,} tokens and the reply {reply:,}, but the "
            f"context window holds {window:,}. Shorten the rules or your text, lower the reply limit, or "
            "raise the window."
        )


class EndpointRefusedError(NarrativeError):
    """The address of a model server may not be used. Nothing was saved and nothing was sent."""

    code = "endpoint_refused"

    def __init__(self, message: str, *, field: str = "inference_url") -> None:
        super().__init__(message)
        self.field = field


class TurnFailedError(NarrativeError):
    """A submission ended without a turn. ``request`` keeps its words, its text, its code and the reason."""

    def __init__(self, request: TurnRequest) -> None:
        super().__init__(request.detail)
        self.request = request


class EventRefusedError(NarrativeError):
    """Of the events that the player asked for some were refused, so that none was applied. ``refused`` says
    which, and why."""

    code = "event_refused"

    def __init__(self, refused: Sequence[Refused], *, done: str = "changed") -> None:
        first = refused[0]
        more = f" ({len(refused) - 1} more were refused.)" if len(refused) > 1 else ""
        super().__init__(f"{first.detail}{more} Nothing was {done}.")
        self.refused = tuple(refused)
