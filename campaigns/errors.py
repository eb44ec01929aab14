"""What can go wrong with a story, one class per failure that a caller can act on.

Each carries the code that every surface answers with, and a message fit for the person who plays.
"""

from typing import ClassVar


class StoryError(Exception):
    """Base of this app's errors."""

    code: ClassVar[str] = "invalid"

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class NotFoundError(StoryError):
    """There is no such thing, or it is somebody else's: the two are not told apart."""

    code = "not_found"


class InvalidError(StoryError):
    """What was asked cannot be done with what was given. ``field`` names the part at fault, if any."""

    code = "invalid"

    def __init__(self, message: str, *, field: str | None = None) -> None:
        super().__init__(message)
        self.field = field


class TurnInFlightError(StoryError):
    """A turn of this campaign is being told; nothing else may write until it has ended."""

    code = "turn_in_flight"

    def __init__(self) -> None:
        super().__init__("A turn is being told in this campaign. Wait until it has ended, or stop it.")


class NothingRunningError(StoryError):
    code = "nothing_running"

    def __init__(self) -> None:
        super().__init__("No turn is being told, so there is nothing to stop.")


class HeadMovedError(StoryError):
    """The story is being read somewhere else than where this was written. Names the place."""

    code = "head_moved"

    def __init__(self, *, branch_id: int, branch_name: str, depth: int) -> None:
        super().__init__(
            f"The story is being read somewhere else. Go to turn {depth} of “{branch_name}” first, then try "
            "again."
        )
        self.branch_id = branch_id
        self.depth = depth


class RequestFailedError(StoryError):
    """This request id was used before, and its turn failed. Its text is kept."""

    code = "request_failed"


class StoppedError(StoryError):
    """The player stopped the turn and kept nothing of it."""

    code = "stopped"

    def __init__(self) -> None:
        super().__init__(
            "The turn was stopped and its text was not kept as a turn. You can still keep or retry it."
        )


class BranchInUseError(StoryError):
    code = "branch_in_use"


class SavePointInBranchError(StoryError):
    code = "save_point_in_branch"
