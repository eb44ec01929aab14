"""Templates and their expansion: how one bank of phrases says many things, and none of them twice. Pure.

A template is a line. ``[this|that]`` chooses, ``{slot}`` is filled in, ``is~are`` agrees with ``{thing}``:
the first form is for one, the second for several.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

from narrative.inference.rehearsing.text import capitalised, split_sentences

_FOLDER = Path(__file__).parent / "phrases"
_CHOICE = re.compile(r"\[([^\[\]]*)\]")
_SLOT = re.compile(r"\{(\w+)\}")
_AGREEMENT = re.compile(r"([\w']+)~([\w']+)")
_TWO_MARKS = re.compile(r"([?!]),(?=”)")
# Ways a template is tried before the next one is.
_TRIES = 12

Bank = tuple[str, ...]


@cache
def load_phrases(name: str) -> Mapping[str, Bank]:
    """The banks of a file: a heading ``# name`` and below it a template on each line."""
    banks: dict[str, list[str]] = {}
    heading = ""
    for line in (_FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            heading = line[2:].strip()
        elif line.strip():
            banks.setdefault(heading, []).append(line.strip())
    return {heading: tuple(lines) for heading, lines in banks.items()}


class Teller:
    """Chooses and fills templates by a fingerprint, and repeats no sentence that was told.

    The next seed chooses the next template of each bank, so that a turn told again is told in other words.
    """

    def __init__(self, *, told: Iterable[str], fingerprint: str, seed: int, avoided: frozenset[str]) -> None:
        self._text = "\n".join(told)
        self._sentences = {sentence for text in self._text.split("\n") for sentence in split_sentences(text)}
        self._fingerprint = fingerprint
        self._seed = seed
        self._avoided = avoided

    def number(self, what: str) -> int:
        digest = hashlib.sha256(f"{what}\0{self._fingerprint}".encode(errors="replace")).digest()
        return int.from_bytes(digest[:6]) + self._seed

    def chance(self, what: str, one_in: int) -> bool:
        return self.number(what) % one_in == 0

    def choose(self, what: str, options: Sequence[str]) -> str:
        return options[self.number(what) % len(options)]

    def say(self, bank: Bank, *, plural: bool = False, **slots: str) -> str:
        """A line of a bank that has not been told, filled in; empty where the bank has none that fits. A line
        that ends like a sentence is one, and gets its capital; else it is a part of one."""
        for told in self._ways(bank, plural=plural, slots=slots):
            if not self.was_told(told):
                self._remember(told)
                return told
        return ""

    def phrase(self, bank: Bank, *, plural: bool = False, **slots: str) -> str:
        """A line to go into another; the least told comes first."""
        return next(self._ways(bank, plural=plural, slots=slots), "")

    def say_first(self, *banks: Bank, plural: bool = False, **slots: str) -> str:
        """A line of the first bank that has one."""
        return next(filter(None, (self.say(bank, plural=plural, **slots) for bank in banks)), "")

    def was_told(self, text: str) -> bool:
        return any(sentence in self._sentences for sentence in split_sentences(text))

    def times_told(self, text: str) -> int:
        return self._text.count(text)

    def _ways(self, bank: Bank, *, plural: bool, slots: Mapping[str, str]) -> Iterator[str]:
        fitting = [line for line in bank if set(_SLOT.findall(line)) <= set(slots) and self._is_allowed(line)]
        for line in self._freshest(fitting):
            for attempt in range(_TRIES):
                yield self._fill(line, attempt, plural=plural, slots=slots)

    def _remember(self, told: str) -> None:
        self._sentences.update(split_sentences(told))
        self._text += f"\n{told}"

    def _is_allowed(self, line: str) -> bool:
        if not self._avoided:
            return True
        words = {word.removesuffix("s") for word in re.findall(r"[a-z]{4,}", line.lower())}
        return not words & {word.removesuffix("s") for word in self._avoided}

    def _freshest(self, lines: Sequence[str]) -> list[str]:
        """The lines least told first, each level beginning where the fingerprint says."""
        if not lines:
            return []
        start = self.number(lines[0]) % len(lines)
        turned = [*lines[start:], *lines[:start]]
        return sorted(turned, key=lambda line: self._text.count(_mark(line)))

    def _fill(self, line: str, attempt: int, *, plural: bool, slots: Mapping[str, str]) -> str:
        count = 0

        def choose(match: re.Match[str]) -> str:
            nonlocal count
            count += 1
            options = match[1].split("|")
            return options[self.number(f"{line}\0{attempt}\0{count}") % len(options)]

        text = _CHOICE.sub(choose, line)
        text = _AGREEMENT.sub(lambda match: match[2] if plural else match[1], text)
        filled = " ".join(_SLOT.sub(lambda match: slots[match[1]], text).split())
        return filled if _is_part(line) else _in_capitals(filled)


def _is_part(line: str) -> bool:
    """Whether a template is a part of a sentence: a whole one ends like one."""
    return not line.endswith((".", "”", "?", "!", "]."))


def _in_capitals(text: str) -> str:
    """``text`` with a capital at the head of each of its sentences, and one mark where an answer ends in two."""
    text = _TWO_MARKS.sub(r"\1", text.replace(".,”", ",”"))
    return " ".join(capitalised(sentence) for sentence in split_sentences(text))


@cache
def _mark(line: str) -> str:
    """The longest stretch of a template that is the same however it is filled in."""
    fixed = _AGREEMENT.sub("\0", _SLOT.sub("\0", _CHOICE.sub("\0", line)))
    return max(fixed.split("\0"), key=len).strip() or "\0"
