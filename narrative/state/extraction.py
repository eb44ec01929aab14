"""Parts a reply of the narrator into the prose and the proposal that came with it. Pure.

What belongs to the protocol leaves the prose: blocks labelled ``state``; a ``json`` or bare fence, and an
object or list at the end, that is a proposal or plainly was going to be one; an echo of our reminder at the
end. A story's own fences, braces and brackets stay.

A reply is read once, from left to right, and nothing is decided before what follows can no longer change it.
So what may be shown of a reply that is still arriving only ever grows.
"""

import re
from dataclasses import dataclass, replace
from enum import Enum, auto

from narrative.state.events import EVENT_TYPES
from narrative.state.fences import (
    LABEL,
    RUN,
    UNFINISHED_LABEL,
    Fence,
    find_block_end,
    find_value_end,
    has_line_to_itself,
    is_closing,
)
from narrative.state.lenient_json import UNPARSEABLE, parse_lenient

__all__ = ["REMINDER", "UNPARSEABLE", "Separated", "parse_lenient", "separate", "visible"]

REMINDER = "[Now close with the state block: what changed in this reply, and nothing else.]"
_WORDS = re.findall(r"\w+", REMINDER.lower())
_FEWEST_WORDS = 6
# What the first key of a proposal may be: of the envelope, or of an event that does not begin with its type.
# Any other first key tells at once that an object is the story's own.
_FIRST_KEYS = (
    "events",
    "type",
    "entity",
    "item",
    "thread",
    "predicate",
    "subject",
    "fact_id",
    "source",
    "reasoning",
    "turn",
)
# So many blocks per reply are looked for by going over the whole rest of it again.
_MOST_LATE_ENDINGS = 16


def _starts_of(*words: str) -> str:
    return "|".join(sorted({word[:length] for word in words for length in range(1, len(word) + 1)}))


_KEYS = "|".join(_FIRST_KEYS)
_BRACKETS = r"(?:[\[{]\s*+){1,3}"
_OPENING = rf"""{_BRACKETS}(?:"(?:{_KEYS})"\s*+:|'?events'?\s*+:\s*+\[)"""
_UNFINISHED_OPENING = (
    rf"""{_BRACKETS}(?:"(?:{_starts_of(*_FIRST_KEYS)})?|"(?:{_KEYS})"\s*+"""
    rf"""|'?(?:{_starts_of("events")})|'|'?events'?\s*+(?::\s*+)?)?"""
)
_GAP = r"(?:[^\w\[\]{}`~]|_){0,8}"
# Where something of ours may begin. What is unfinished reaches to the end of the text.
_MARK = re.compile(
    rf"(?P<run>{RUN})|(?P<value>{_OPENING})|(?P<unfinished>(?:`{{1,2}}|~{{1,2}}|{_UNFINISHED_OPENING}|\[{_GAP})\Z)"
    rf"|(?P<echo>\[(?={_GAP}[nN]))"
)
_FIRST_CHARACTER = re.compile(r"[`~{\[]")
_JSON_FENCE = re.compile(rf"[ \t]?(?ai:json)?\s*+(?P<inside>{_OPENING})")
_UNFINISHED_JSON_FENCE = re.compile(
    rf"[ \t]?(?:(?ai:json)?\s*+(?:{_UNFINISHED_OPENING})?|(?ai:{_starts_of('json')}))\Z"
)
_SPACE_IN_ECHO = re.compile(_GAP)
_SPACE = re.compile(r"\s*+")
_SPACE_TO_THE_END = re.compile(r"\s*+\Z")
_PLAINLY_OURS = re.compile(
    rf"""["']?\bevents["']?\s*+:\s*+(?:\[|\Z)|["']type["']\s*+:\s*+["'](?:{"|".join(sorted(EVENT_TYPES))})["']"""
)


@dataclass(frozen=True, slots=True)
class Separated:
    """``prose`` is what is stored and shown, and may be empty. ``raw`` is the proposal as it was received,
    fence and all, ``parsed`` the JSON value in it or UNPARSEABLE; both are None where there is none.
    """

    prose: str
    raw: str | None
    parsed: object


class _Kind(Enum):
    LABELLED = auto()
    FENCED = auto()
    # These two belong to the protocol only where nothing but protocol comes after them.
    TRAILING_VALUE = auto()
    TRAILING_ECHO = auto()


_TRAILING = (_Kind.TRAILING_VALUE, _Kind.TRAILING_ECHO)


@dataclass(frozen=True, slots=True)
class _Cut:
    kind: _Kind
    start: int
    end: int
    inside: str = ""


def separate(reply: str) -> Separated:
    reading = _Reading(reply, is_whole=True)
    cuts = reading.find_cuts()
    labelled = [cut for cut in cuts if cut.kind is _Kind.LABELLED]
    proposals = labelled or [cut for cut in cuts if cut.kind is not _Kind.TRAILING_ECHO]
    prose = _join(reply, cuts, len(reply))
    if not proposals:
        return Separated(prose, None, None)
    last = proposals[-1]
    return Separated(prose, reply[last.start : last.end], parse_lenient(last.inside))


def visible(reply: str) -> str:
    """What can be shown of a reply that is still arriving: no more than what stays, and never less later."""
    reading = _Reading(reply, is_whole=False)
    cuts = reading.find_cuts()
    return _join(reply, cuts, reading.position).rstrip()


def _join(text: str, cuts: list[_Cut], end: int) -> str:
    """The text up to ``end`` without the cuts and the white space around them: a blank line instead."""
    edges = [0, *(edge for cut in cuts for edge in (cut.start, cut.end)), end]
    pieces = [text[start:stop] for start, stop in zip(edges[::2], edges[1::2], strict=True)]
    pieces[1:] = [piece.lstrip() for piece in pieces[1:]]
    pieces[:-1] = [piece.rstrip() for piece in pieces[:-1]]
    return "\n\n".join(piece for piece in pieces if piece.strip())


class _Reading:
    """One pass over a reply. ``position`` is how far it is decided."""

    def __init__(self, text: str, *, is_whole: bool) -> None:
        self.position = 0
        self._text = text
        self._is_whole = is_whole
        self._cuts: list[_Cut] = []
        self._story_fence: Fence | None = None
        self._late_endings = 0

    def find_cuts(self) -> list[_Cut]:
        while mark := self._find_mark():
            self.position = mark.start()
            if not self._pass(mark):
                break
        else:
            self.position = len(self._text)
        return self._without_what_does_not_trail()

    def _find_mark(self) -> re.Match[str] | None:
        """The next mark. Two steps, since most of a story is none of these characters."""
        candidates = _FIRST_CHARACTER.finditer(self._text, self.position)
        return next(filter(None, (_MARK.match(self._text, found.start()) for found in candidates)), None)

    def _without_what_does_not_trail(self) -> list[_Cut]:
        kept: list[_Cut] = []
        trails, following = True, self.position
        for cut in reversed(self._cuts):
            trails = trails and not self._text[cut.end : following].strip()
            if trails or cut.kind not in _TRAILING:
                kept.append(cut)
            following = cut.start
        return kept[::-1]

    def _pass(self, mark: re.Match[str]) -> bool:
        """Decide on what begins at the mark and go past it. False where that has to wait for more text."""
        if mark["unfinished"] is not None:
            return self._is_whole and self._go_to(mark.end())
        if mark["run"]:
            return self._pass_run(Fence(mark.start(), mark.end()))
        if mark["value"]:
            return self._pass_value(mark.start())
        return self._pass_echo(mark.start())

    def _go_to(self, position: int) -> bool:
        self.position = position
        return True

    def _pass_run(self, run: Fence) -> bool:
        if self._is_undecided(UNFINISHED_LABEL, run.end):
            return False
        if label := LABEL.match(self._text, run.end):
            return self._pass_block(_Kind.LABELLED, run.start, label.end())
        closes = self._closes_story_fence(run)
        if closes is None or (not closes and self._is_undecided(_UNFINISHED_JSON_FENCE, run.end)):
            return False
        if closes:
            self._story_fence = None
        elif opening := _JSON_FENCE.match(self._text, run.end):
            return self._pass_block(_Kind.FENCED, run.start, opening.start("inside"))
        elif self._is_stray(run):
            self._cuts[-1] = replace(self._cuts[-1], end=run.end)
        elif not self._story_fence:
            self._story_fence = run
        return self._go_to(run.end)

    def _is_undecided(self, unfinished: re.Pattern[str], position: int) -> bool:
        return not self._is_whole and unfinished.match(self._text, position) is not None

    def _closes_story_fence(self, run: Fence) -> bool | None:
        if not self._story_fence:
            return False
        return is_closing(self._text, self._story_fence, run, is_whole=self._is_whole)

    def _is_stray(self, run: Fence) -> bool:
        """Whether these marks close a fence around an object that was never opened."""
        return (
            not self._story_fence
            and bool(self._cuts)
            and self._cuts[-1].kind is _Kind.TRAILING_VALUE
            and _SPACE.fullmatch(self._text, self._cuts[-1].end, run.start) is not None
            and has_line_to_itself(self._text, run.end)
        )

    def _pass_block(self, kind: _Kind, start: int, inside: int) -> bool:
        ending = find_block_end(self._text, inside, is_whole=self._is_whole)
        if not ending:
            return False
        self._late_endings += ending.is_late
        if self._late_endings > _MOST_LATE_ENDINGS:
            ending = replace(ending, inside=len(self._text), whole=len(self._text))
        content = self._text[inside : ending.inside]
        if kind is _Kind.LABELLED or _is_ours(content):
            self._cuts.append(_Cut(kind, start, ending.whole, content))
        self._story_fence = None
        return self._go_to(ending.whole)

    def _pass_value(self, start: int) -> bool:
        end = find_value_end(self._text, start, is_whole=self._is_whole)
        if end is None:
            return False
        content = self._text[start:end]
        if _is_ours(content):
            self._cuts.append(_Cut(_Kind.TRAILING_VALUE, start, end, content))
        return self._go_to(end)

    def _pass_echo(self, start: int) -> bool:
        """Compare with the reminder word by word; only letters count."""
        position, matching = start + 1, 0
        for word in (*_WORDS, ""):
            position += len(_SPACE_IN_ECHO.match(self._text, position)[0])  # type: ignore[index]
            found = self._text[position : position + len(word)].lower().rstrip()
            if found != word or not word:
                break
            position, matching = position + len(word), matching + 1
        is_at_end = _SPACE_TO_THE_END.match(self._text, position + len(found)) is not None
        is_cut_short = is_at_end and word.startswith(found)
        if is_cut_short and not self._is_whole:
            return False
        is_closed = self._text.startswith("]", position)
        if matching < _FEWEST_WORDS or not (is_closed or is_cut_short):
            return self._go_to(start + 1)
        end = position + 1 if is_closed else len(self._text)
        self._cuts.append(_Cut(_Kind.TRAILING_ECHO, start, end))
        return self._go_to(end)


def _is_ours(text: str) -> bool:
    """Whether it is a proposal, or plainly was going to be one."""
    parsed = parse_lenient(text)
    if parsed is UNPARSEABLE:
        return _PLAINLY_OURS.search(text) is not None
    return _is_proposal(parsed)


def _is_proposal(value: object) -> bool:
    if isinstance(value, dict):
        return isinstance(value.get("events"), list) or _is_event(value)
    return isinstance(value, list) and any(_is_event(item) for item in value)


def _is_event(value: object) -> bool:
    return isinstance(value, dict) and isinstance(kind := value.get("type"), str) and kind in EVENT_TYPES
