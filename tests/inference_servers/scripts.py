"""What a scripted server is told to do with one chat request."""

import json
import re
import threading
from dataclasses import dataclass
from enum import StrEnum

# More than any test sends: a server that reports fewer tokens than were sent has cut the prompt.
WHOLE_PROMPT = 5000


class Fault(StrEnum):
    HANG_BEFORE = "hang_before"  # not even headers
    HANG_MIDWAY = "hang_midway"
    CUT_MIDWAY = "cut_midway"  # half of a line, then the connection is gone
    ERROR_MIDWAY = "error_midway"  # an error line under status 200, and no proper end
    NO_END = "no_end"  # every word, and no done or finish_reason
    GARBAGE = "garbage"
    INVALID_UTF8 = "invalid_utf8"
    HUGE = "huge"  # 10 MB of words
    LONG_LINE = "long_line"  # 2 MB without a line's end
    REDIRECT = "redirect"


class Gate:
    """Holds a stream once ``after`` chunks are out.

    A test waits for ``reached`` and lets go with ``opened``.
    """

    def __init__(self, after: int = 1) -> None:
        self.after = after
        self.reached = threading.Event()
        self.opened = threading.Event()


@dataclass(frozen=True, slots=True)
class Script:
    """One answer. ``rate`` is chunks a second (0 = at once); a midway fault strikes once ``after`` chunks are
    out.

    Counts of ``None`` are left out of the reply, as servers do. A ``status`` other than 200 answers
    ``body``; ``raw`` is sent in place of a stream.
    """

    chunks: tuple[str, ...] = ()
    thinking: tuple[str, ...] = ()
    rate: float = 0.0
    fault: Fault | None = None
    after: int = 1
    gate: Gate | None = None
    finish: str = "stop"
    prompt_tokens: int | None = WHOLE_PROMPT
    output_tokens: int | None = None
    status: int = 200
    body: bytes = b""
    raw: bytes | None = None


def in_words(text: str) -> tuple[str, ...]:
    """``text`` cut the way models stream it: a word and the space after it at a time."""
    return tuple(re.findall(r"\s*\S+\s*", text)) or ((text,) if text else ())


def refusal(status: int, error: object = None) -> Script:
    """An error status with ``{"error": …}`` as its body, or with none."""
    body = b"" if error is None else json.dumps({"error": error}).encode()
    return Script(status=status, body=body)
