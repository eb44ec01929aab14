"""Code fences in a reply: where one opens, what it is labelled, where it ends. Pure.

Every question can be asked of a reply that is still arriving. The answer is then ``None`` as long as what
comes next could change it, so that an answer once given holds for every continuation.
"""

import re
from dataclasses import dataclass

RUN = r"`{3,}|~{3,}"
# Of a text inside JSON, on its line; one that lacks its end lasts to the end of the line.
_TEXT = r'"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"?'
# What follows the marks of a block of ours.
LABEL = re.compile(r"[ \t]?(?ai:state)(?=[\s{\[:`~]|\Z):?")
UNFINISHED_LABEL = re.compile(r"[ \t]?(?ai:s|st|sta|stat|state)?\Z")
LABELLED_OPENER = re.compile(rf"(?:(?<!`)`{{3,}}+|(?<!~)~{{3,}}+)(?={LABEL.pattern})")
_NAMED = re.compile(r"[\w+#.\-]{1,20}[ \t]*+\r?(?:\n|\Z)")
_UNFINISHED_NAME = re.compile(r"[\w+#.\-]{0,20}[ \t]*+\r?\Z")
_REST_OF_LINE = re.compile(r"[ \t\r]*+(?:\n|\Z)")
_UNFINISHED_LINE = re.compile(r"[ \t\r]*+\Z")
_RUN = re.compile(RUN)
_RUN_OR_TEXT = re.compile(rf"{_TEXT}|{RUN}")
_STRUCTURE = re.compile(rf"{_TEXT}|{RUN}|[{{}}\[\]]")
_LONGEST_LINE = 2_000
_MORE_CLOSING = re.compile(r"[}\]]*+")


@dataclass(frozen=True, slots=True)
class Fence:
    """The marks that open, or may close, a fence."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Ending:
    """Where the inside of something ends, and where all of it does.

    ``is_late``: it was found only by going back over the whole rest of the reply.
    """

    inside: int
    whole: int
    is_late: bool = False


def is_closing(text: str, opener: Fence, run: Fence, *, is_whole: bool) -> bool | None:
    """Whether ``run`` closes the story's own fence that ``opener`` opened."""
    if text[run.start] != text[opener.start] or run.end - run.start < opener.end - opener.start:
        return False
    if run.start - opener.end < _LONGEST_LINE and text.find("\n", opener.end, run.start) < 0:
        return True
    if not _starts_line(text, run.start):
        return False
    if not is_whole and _UNFINISHED_LINE.match(text, run.end):
        return None
    return has_line_to_itself(text, run.end)


def has_line_to_itself(text: str, end: int) -> bool:
    """Whether only white space follows on the line."""
    return _REST_OF_LINE.match(text, end) is not None


def _starts_line(text: str, start: int) -> bool:
    return text[max(0, start - 4) : start].rstrip(" \t")[-1:] in ("", "\n")


def find_block_end(text: str, start: int, *, is_whole: bool) -> Ending | None:
    """Where the block whose inside begins at ``start`` ends: at the next marks that are in no JSON text.

    Marks that open another fence end it too, and are left to that one.
    """
    late: re.Match[str] | None = None
    for found in _RUN_OR_TEXT.finditer(text, start):
        if found[0][0] != '"':
            return _end_at(text, found, is_whole=is_whole)
        if not late and (len(found[0]) == 1 or found[0][-1] != '"'):
            late = _RUN.search(text, found.start(), found.end())
    if not is_whole:
        return None
    if not late:
        return Ending(len(text), len(text))
    ending = _end_at(text, late, is_whole=True)
    return ending and Ending(ending.inside, ending.whole, is_late=True)


def _end_at(text: str, run: re.Match[str], *, is_whole: bool) -> Ending | None:
    end = run.end()
    if not is_whole and (UNFINISHED_LABEL.match(text, end) or _UNFINISHED_NAME.match(text, end)):
        return None
    opens_another = LABEL.match(text, end) or (_starts_line(text, run.start()) and _NAMED.match(text, end))
    return Ending(run.start(), run.start() if opens_another else end)


def find_value_end(text: str, start: int, *, is_whole: bool) -> int | None:
    """Where the JSON object or list that begins at ``start`` ends, with brackets too many after it.

    One that is never closed ends at the next fence, or with the reply.
    """
    depth = 0
    for found in _STRUCTURE.finditer(text, start):
        mark = found[0][0]
        if mark in "`~":
            return _before_label(text, start, found.start())
        depth += (mark in "{[") - (mark in "}]")
        if not depth:
            return _MORE_CLOSING.match(text, found.end()).end()  # type: ignore[union-attr]
    return _before_label(text, start, len(text)) if is_whole else None


def _before_label(text: str, start: int, end: int) -> int:
    hidden = LABELLED_OPENER.search(text, start, end)
    return hidden.start() if hidden else end
