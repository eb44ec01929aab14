"""What the summarizer is asked, and what becomes of its answer. Pure."""

from collections.abc import Iterable
from pathlib import Path

from campaigns.texts import clean_text, join_halves
from narrative.inference.base import BadResponseError, Message
from narrative.prompt.counting import Count
from narrative.prompt.overlap import SENTENCE_END
from narrative.prompt.window import MARGIN, MESSAGE_OVERHEAD, PROMPT_OVERHEAD, PastTurn, keep_end
from narrative.state.extraction import separate

_TEXTS = Path(__file__).parent.parent / "prompt" / "texts"
MEMORY_RULE = (_TEXTS / "memory.txt").read_text().strip()
SUMMARY_RULE = (_TEXTS / "summary.txt").read_text().strip()
SO_FAR = "The summary so far:"
TURNS = "The turns:"
# How the embedded narrator tells the player's words from the story's.
PLAYER = "Player: "
STORY = "Story: "

MEMORY_WORDS = 60
SUMMARY_WORDS = 300
MEMORY_TOKENS = 160
SUMMARY_TOKENS = 500

_USELESS = "The summarizer's answer holds no text that could be used. It is asked again after the next turn."
_LABELS = ("note:", "summary:", "memory:", "new summary:", "the new summary:")


def memory_messages(
    turns: Iterable[PastTurn], *, protagonist: str, budget: int, count: Count
) -> tuple[Message, ...]:
    """The request for a note of some turns, within ``budget`` tokens."""
    return _messages(MEMORY_RULE, "", turns, protagonist, budget, count)


def summary_messages(
    before: str, turns: Iterable[PastTurn], *, protagonist: str, budget: int, count: Count
) -> tuple[Message, ...]:
    """The request for a new summary out of the one before and the turns since, within ``budget`` tokens."""
    return _messages(SUMMARY_RULE, before, turns, protagonist, budget, count)


def room_for_turns(rule: str, before: str, *, budget: int, count: Count) -> int:
    """Tokens that turns may take in a request, beside all else."""
    frame = PROMPT_OVERHEAD + 2 * MESSAGE_OVERHEAD + MARGIN
    return budget - frame - count(rule) - count(before) - count(f"{SO_FAR}\n\n{TURNS}\n")


def told_as_text(turns: Iterable[PastTurn]) -> list[str]:
    return [_turn_text(turn) for turn in turns]


def clean_answer(text: str, *, words: int) -> str:
    """An answer as one paragraph of at most ``words`` words, cut at a sentence where it can be. Raises
    BadResponseError where nothing of it can be used."""
    prose = " ".join(separate(clean_text(join_halves(text))).prose.split()).strip('"“” *#-')
    for label in _LABELS:
        if prose.lower().startswith(label):
            prose = prose[len(label) :].strip()
    kept: list[str] = []
    for sentence in SENTENCE_END.split(prose):
        if sum(len(each.split()) for each in (*kept, sentence)) > words:
            break
        kept.append(sentence)
    short = " ".join(kept) or " ".join(prose.split()[:words])
    if not any(character.isalnum() for character in short):
        raise BadResponseError(_USELESS)
    return short


def _messages(
    rule: str, before: str, turns: Iterable[PastTurn], protagonist: str, budget: int, count: Count
) -> tuple[Message, ...]:
    texts = told_as_text(turns)
    room = room_for_turns(rule, before, budget=budget, count=count)
    share = max(0, room) // max(1, len(texts))
    if sum(count(text) for text in texts) > room:
        texts = [
            text if count(text) <= share else keep_end(text, budget=share, count=count) for text in texts
        ]
    named = [f"The protagonist is {protagonist}, whom the story may call “you”."] if protagonist else []
    so_far = [f"{SO_FAR}\n{before}"] if before else []
    asked = "\n\n".join([*named, *so_far, f"{TURNS}\n" + "\n\n".join(texts)])
    return Message("system", rule), Message("user", asked)


def _turn_text(turn: PastTurn) -> str:
    said = f"{PLAYER}{turn.input}\n" if turn.input else ""
    return f"{said}{STORY}{turn.narration}"
