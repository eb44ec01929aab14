"""The embedded narrator: the same every time, never the same twice, and in the second person whatever is
typed.
"""

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from narrative.inference.base import ChatRequest, Finished, GenerationOptions, Message, TextDelta
from narrative.inference.rehearsal import RehearsalBackend
from narrative.inference.rehearsal_prose import compose
from narrative.inference.rehearsal_words import second_person, split_sentences

SYSTEM = Message(
    "system", "You narrate in the second person. Protagonist: Maren Vale. Never write for the player."
)
OPENING = Message(
    "assistant", "Rain follows you to the crypt of Saint Orsel. A hooded woman waits by the bronze door."
)
FIRST_PERSON = re.compile(r"\b(?:I|i|[Mm]e|[Mm]y|[Mm]yself|I'm|I've)\b(?!\.\w)")
EVENING = (
    "I push open the bronze door and raise my lantern.",
    "I take the iron key from the hook and put it in my satchel.",
    'I say: "Who are you?"',
    "[Continue the story.]",
    "[Direction to the narrator: let me find my sister's letter]",
    "look around",
)


def narrate(text: str, *, before: tuple[Message, ...] = (OPENING,), seed: int | None = 1) -> str:
    return compose((SYSTEM, *before, Message("user", text)), seed)


def outside_quotes(text: str) -> str:
    return re.sub(r"“[^”]*”|\"[^\"]*\"", "", text)


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("I take the lantern", "You take the lantern."),
        ("i'm tired and i've had enough", "You are tired and you've had enough."),
        ("I am sure my friend sees me.", "You are sure your friend sees you."),
        ("Am I alone?", "Are you alone?"),
        ("I was late, was I not?", "You were late, were you not?"),
        ("take the lantern. Go down!", "You take the lantern. You go down!"),
        ("I enter the old mine; the gold is mine", "You enter the old mine; the gold is yours."),
        ('I whisper "I am afraid" to him', 'You whisper "I am afraid" to him.'),
        ("We light our torch; it hates us", "You light your torch; it hates you."),
        ("I’ll wait until 3 am", "You'll wait until 3 am."),
        ("Slowly I turn", "Slowly you turn."),
        ("He sees me. I run.", "He sees you. You run."),
        ("I mime, i.e. I wave", "You mime, i.e. you wave."),
    ],
)
def test_the_players_words_are_turned(typed: str, told: str) -> None:
    assert second_person(typed.replace("’", "'")) == told


@pytest.mark.parametrize("text", EVENING)
def test_two_to_five_sentences_in_the_second_person(text: str) -> None:
    for seed in range(30):
        told = narrate(text, seed=seed)
        assert 2 <= len(split_sentences(told)) <= 5, told
        assert re.search(r"\byou", told, re.IGNORECASE) or len(told) > 40
        assert not FIRST_PERSON.search(outside_quotes(told)), told


def test_it_uses_the_players_words() -> None:
    assert "ou take the iron key from the hook and put it in your satchel." in narrate(EVENING[1])
    assert "“Who are you?” you say" in narrate(EVENING[2])
    assert "let you find your sister's letter." in narrate(EVENING[4])


def test_the_same_messages_and_seed_give_the_same_text() -> None:
    assert narrate(EVENING[0]) == narrate(EVENING[0])
    assert len({narrate(EVENING[0], seed=seed) for seed in range(12)}) > 6


def test_an_evening_does_not_repeat_itself() -> None:
    story: list[Message] = [SYSTEM, OPENING]
    turns: list[str] = []
    for number in range(30):
        story.append(Message("user", EVENING[number % len(EVENING)]))
        turns.append(compose(story, 1))
        story.append(Message("assistant", turns[-1]))
    assert len(set(turns)) == 30
    closings = [split_sentences(turn)[-1] for turn in turns]
    assert len(set(closings)) >= 26


def test_what_was_mentioned_comes_back() -> None:
    story: list[Message] = [SYSTEM, OPENING]
    for text in ("I take the iron key.", *["[Continue the story.]"] * 11):
        story += [Message("user", text), Message("assistant", compose([*story, Message("user", text)], 3))]
    later = " ".join(message.content for message in story[5:] if message.role == "assistant")
    assert "iron key" in later or "bronze door" in later
    assert "Maren Vale" in later or "Saint Orsel" in later


HOSTILE = (
    "",
    " \n\t",
    "🐉" * 500,
    "我打开门。",
    "x" * 20_000,
    "I run. " * 3000,
    '"' * 999,
    "“" * 50 + "I",
    "{words} {thing} {0} %s",
    "<script>alert(1)</script>",
    "\u202e\u0000\ud800",
    "[Direction to the narrator: ]",
    'I say: ""',
    "[Direction to the narrator: " + "my " * 9000 + "]",
    "the " * 5000,
)


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_input_is_narrated_all_the_same(text: str) -> None:
    before = (OPENING, Message("user", text), Message("assistant", text[:20_000]))
    started = time.monotonic()
    told = narrate(text, before=before)
    assert time.monotonic() - started < 1
    assert 20 < len(told) < 1200
    assert told.isprintable()


@settings(deadline=None)
@given(st.text(max_size=300), st.integers() | st.none())
def test_any_text_is_narrated(text: str, seed: int | None) -> None:
    assert compose([Message("user", text)], seed).strip()


def test_no_messages_at_all() -> None:
    assert compose([], None)


async def test_it_streams_at_its_pace_and_stops_at_its_limit() -> None:
    options = GenerationOptions(context_window=2048, max_output_tokens=6)
    request = ChatRequest("rehearsal", (SYSTEM, OPENING, Message("user", EVENING[0])), options)
    started = time.monotonic()
    events = [event async for event in RehearsalBackend(rate=50).stream_chat(request)]
    assert 0.09 < time.monotonic() - started < 1
    assert sum(isinstance(event, TextDelta) for event in events) == 6
    last = events[-1]
    assert isinstance(last, Finished)
    assert last.reason == "length"
