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
from narrative.inference.rehearsing.deeds import read_deeds
from narrative.inference.rehearsing.direction_telling import BEYOND
from narrative.inference.rehearsing.person import turn_person
from narrative.inference.rehearsing.prose import compose
from narrative.inference.rehearsing.speech_telling import kind_of_speech
from narrative.inference.rehearsing.text import outside_quotes, split_sentences
from narrative.samples import list_samples

OPENING = Message(
    "assistant",
    "Rain follows you down to the crypt of Saint Orsel. A hooded woman waits by the bronze door. "
    "Abbot Corin's lamp still burns on the altar.",
)
FIRST_PERSON = re.compile(r"\b(?:I|i|[Mm]e|[Mm]y|[Mm]yself|I'm|I've)\b(?!\.\w)")
EVENING = (
    "I push open the bronze door and raise my lantern.",
    "I take the iron key from the hook and put it in my satchel.",
    "I say: “Who are you?”",
    "[Continue the story.]",
    "[Direction to the narrator: Let the bell ring twice.]",
    "look around",
    "I ask the woman about the abbot.",
    "I go down to the ossuary and listen.",
)


def system(genre: str = "Mystery", canon: tuple[str, ...] = ()) -> Message:
    told = f"You narrate.\n\nThe story:\nGenre: {genre}\n\n"
    told += "The protagonist is Maren Vale, played by the player. A clerk."
    rules = "".join(f"\n- {line}" for line in canon)
    heading = "\n\nCanon. This is true in the story and nothing can change it:" if canon else ""
    return Message("system", told + heading + rules)


def narrate(text: str, *, seed: int | None = 1, first: Message = OPENING) -> str:
    return compose((system(), first, Message("user", text)), seed)


def evening(
    inputs: tuple[str, ...], *, turns: int, genre: str = "Mystery", canon: tuple[str, ...] = ()
) -> list[str]:
    """So many narrations, one after the other."""
    story = [system(genre, canon), Message("user", "[Begin the story.]"), OPENING]
    told = []
    for number in range(turns):
        story.append(Message("user", inputs[number % len(inputs)]))
        told.append(compose(story, None))
        story.append(Message("assistant", told[-1]))
    return told


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("take my lantern", "take your lantern"),
        ("i'm tired and i've had enough", "you're tired and you've had enough"),
        ("my friend sees me", "your friend sees you"),
        ("am I alone?", "are you alone?"),
        ("I was late, was I not?", "you were late, were you not?"),
        ("enter the old mine shaft; the gold is mine", "enter the old mine shaft; the gold is yours"),
        ('whisper "I am afraid" to him', 'whisper "I am afraid" to him'),
        ("light our torch; it hates us", "light your torch; it hates you"),
        ("wait until 3 am", "wait until 3 am"),
        ("mime, i.e. wave", "mime, i.e. wave"),
    ],
)
def test_the_players_words_are_turned(typed: str, told: str) -> None:
    assert turn_person(typed) == told


@pytest.mark.parametrize(
    ("typed", "kinds"),
    [
        ("I push open the crypt door and raise the lantern.", ["open", "light"]),
        ("I take the iron key from the hook and put it in my satchel.", ["take", "put"]),
        ("I walk down to the harbour office, then I knock.", ["move", "use"]),
        ("I'm going to hide behind the crates and listen.", ["rest", "listen"]),
        ("- open the hatch\n- go inside", ["open", "move"]),
        ("north", ["move"]),
        ("Is there a door?", ["question"]),
        ("The rain is cold.", ["claim"]),
    ],
)
def test_what_words_do(typed: str, kinds: list[str]) -> None:
    from narrative.inference.rehearsing.text import read_plainly

    assert [deed.kind for deed in read_deeds(read_plainly(typed))] == kinds


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("Hello there.", "greeting"),
        ("Who are you?", "who"),
        ("Thank you. Where is the abbot?", "where"),
        ("Thank you.", "thanks"),
        ("Why did you come?", "why"),
        ("Did you see him?", "whether"),
        ("Open the door!", "order"),
        ("Tell me or I'll break your arm.", "threat"),
        ("The lamp is dry.", "statement"),
        ("Yes.", "yes"),
    ],
)
def test_what_is_said(said: str, kind: str) -> None:
    assert kind_of_speech(said) == kind


@pytest.mark.parametrize("text", EVENING)
def test_two_to_seven_sentences_in_the_second_person(text: str) -> None:
    for seed in range(30):
        told = narrate(text, seed=seed)
        assert 2 <= len(split_sentences(told)) <= 7, told
        assert not FIRST_PERSON.search(outside_quotes(told)), told
        assert "{" not in told
        assert "[" not in told
        assert "~" not in told
        assert not re.search(r"[.!?] [a-z]|[.,;:]{2}|  | [.,;]|\ba [aeiou]", told), told
        assert told[0].isupper() or told[0] in "“("


def test_it_uses_the_players_words_and_answers_them() -> None:
    assert "ou push open the bronze door" in narrate(EVENING[0])
    assert "ou take the iron key from the hook" in narrate(EVENING[1])
    assert "your satchel" not in narrate(EVENING[0])
    reply = narrate(EVENING[2])
    assert "oman" in reply
    assert "“" in reply


def test_nobody_answers_where_nobody_is() -> None:
    told = narrate(EVENING[2], first=Message("assistant", "Rain falls on the empty quay."))
    assert not re.search(r"\b(?:woman|man|stranger)\b", told)


def test_one_who_is_known_and_away_is_not_spoken_for() -> None:
    told = narrate(
        "I say: “Where is Abbot Corin?”",
        first=Message("assistant", "You wait. Abbot Corin's lamp burns on the altar."),
    )
    assert "“I" not in told


def test_what_is_done_holds_in_later_turns() -> None:
    inputs = ("I take the iron key.", "I go to the ossuary.", *["I wait."] * 10)
    later = " ".join(evening(inputs, turns=12)[3:])
    assert "iron key" in later
    assert "in the ossuary" in later
    assert "in the crypt" not in later


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("I'm tired, so I sit down.", ["You're tired.", "sit down"]),
        ("I'm climbing the stairs", ["climb the stairs"]),
        ("I limp along the wall to the harbour office", ["limp along the wall", "in the harbour office"]),
        ("I take the iron key.", ["take the iron key", " it "]),
    ],
)
def test_what_is_told_of_a_deed(typed: str, told: list[str]) -> None:
    text = " ".join(narrate(typed, seed=seed) for seed in range(12))
    assert all(words in text for words in told)
    assert "You tired" not in text


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("What am I carrying?", "an iron key"),
        ("inventory", "an iron key"),
        ("Where am I?", "in the ossuary"),
        ("Who is here?", "No|Nobody"),
    ],
)
def test_what_the_story_knows_is_answered(typed: str, told: str) -> None:
    inputs = ("I take the iron key.", "I go to the ossuary.", typed)
    assert re.search(told, evening(inputs, turns=3)[2])


def test_somebody_brought_in_by_direction_stays_and_answers() -> None:
    inputs = (
        "[Direction to the narrator: introduce a boy in a torn suit]",
        "I say: “What's your name, boy?”",
    )
    first, second = evening(inputs, turns=2)
    assert "boy in a torn suit" in first
    assert "he boy in a torn suit" in second


def test_a_gift_to_somebody_who_is_elsewhere_is_not_made() -> None:
    inputs = (
        "I take the iron key.",
        "I go to the ossuary.",
        "I give the iron key to the hooded woman.",
        "inventory",
    )
    told = evening(inputs, turns=4)
    assert re.search(r"nobody is there to take|no hand held out", told[2])
    assert "an iron key" in told[3]


def test_a_place_with_a_number_is_nobody() -> None:
    first = Message("assistant", "Deck Nine was sealed long ago. You stand in the corridor.")
    for seed in range(12):
        assert "Deck Nine looks" not in narrate("I go to Deck Nine.", first=first, seed=seed)
        assert "Deck Nine" not in narrate("I say: “Who is there?”", first=first, seed=seed)


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("let the oldest rider dismount", "The oldest rider dismounts."),
        ("the abbot should confess", "The abbot confesses."),
        ("skip to the next morning", "the next morning"),
        ("let me find my sister's letter", "your sister's letter"),
        ("bring in a ferryman", "ferryman"),
    ],
)
def test_simple_directions_are_followed(asked: str, told: str) -> None:
    assert told.lower() in narrate(f"[Direction to the narrator: {asked}]").lower()


def test_what_is_beyond_it_is_not_said_twice_in_the_same_words() -> None:
    told = evening(("[Direction to the narrator: Be funnier, please]",), turns=6)
    assert all(text.startswith("(") for text in told)
    assert len({split_sentences(text)[0] for text in told}) >= 5


def test_a_direction_is_followed_or_said_to_be_beyond_it() -> None:
    assert "The bell rings twice." in narrate("[Direction to the narrator: Let the bell ring twice.]")
    assert "A stranger comes in." in narrate("[Direction to the narrator: a stranger comes in]")
    assert "Rain" in narrate("[Direction to the narrator: Make it rain]")
    assert narrate("[Direction to the narrator: Be funnier, please]").startswith(BEYOND)


@pytest.mark.parametrize(
    ("genre", "foreign"),
    [
        ("Hard science fiction", r"candle|tavern|horse|woodsmoke|raven"),
        ("Fantasy", r"airlock|reactor|status light|newspaper|telephone"),
        ("Mystery", r"airlock|reactor|dragon|spaceship"),
        ("Western", r"airlock|reactor|dragon|android"),
    ],
)
def test_a_genre_keeps_to_its_own_things(genre: str, foreign: str) -> None:
    told = " ".join(evening(EVENING, turns=40, genre=genre))
    assert not re.search(rf"\b(?:{foreign})", told, re.IGNORECASE)


def test_what_canon_rules_out_is_not_told_and_what_it_says_is() -> None:
    canon = (
        "The abbey of Saint Orsel keeps nine bells.",
        "There are no clocks, gulls or pigeons.",
        "Secret, for the narrator: the abbot is a ghost.",
    )
    told = " ".join(evening(EVENING, turns=60, canon=canon))
    assert "he abbey of Saint Orsel keeps nine bells." in told
    without = told.lower().replace(canon[1][1:].lower(), "")
    assert not re.search(r"\b(?:clocks?|gulls?|pigeons?|ghosts?)\b", without)


def test_the_same_messages_and_seed_give_the_same_text() -> None:
    assert narrate(EVENING[0]) == narrate(EVENING[0])
    assert len({narrate(EVENING[0], seed=seed) for seed in range(12)}) > 6


@pytest.mark.parametrize("genre", ["Mystery", "Science fiction", "Fantasy", "Something else"])
def test_sixty_turns_without_a_sentence_told_twice(genre: str) -> None:
    turns = evening(EVENING, turns=60, genre=genre)
    sentences = [sentence for turn in turns for sentence in split_sentences(turn)]
    # The player's own words, said again, are told again.
    own = {"You look around.", "The bell rings twice.", "You ask the woman about the abbot."}
    assert {sentence for sentence in sentences if sentences.count(sentence) > 1} <= own
    openers = [" ".join(turn.split()[:2]) for turn in turns]
    assert max(openers.count(opener) for opener in openers) <= 12


def test_an_opening_is_made_of_what_the_brief_says() -> None:
    asked = Message("user", "[Open the story.]\nWrite the opening of this story.")
    canon = ("The abbey of Saint Orsel keeps nine bells.",)
    openings = [compose((system("Fantasy", canon), asked), seed) for seed in range(8)]
    assert len(set(openings)) > 4
    for text in openings:
        assert len(text.split("\n\n")) == 3
        assert len(text.split("\n\n")[0]) > 60
        assert "Maren Vale" in text
        assert "nine bells" in text
        assert not FIRST_PERSON.search(outside_quotes(text))
        assert not re.search(r"[{}\[\]~]", text)


@pytest.mark.parametrize("slug", [sample.slug for sample in list_samples()])
def test_every_sample_is_told_for_forty_turns(slug: str) -> None:
    sample = next(sample for sample in list_samples() if sample.slug == slug)
    story = [
        system(str(sample.new.profile["genre"]), tuple(sample.new.canon["rules"])),
        Message("user", "[Begin the story.]"),
        Message("assistant", sample.new.opening),
    ]
    told = []
    for number in range(40):
        story.append(Message("user", EVENING[number % len(EVENING)]))
        told.append(compose(story, None))
        story.append(Message("assistant", told[-1]))
    assert len(set(told)) == 40
    assert sum(len(text) for text in told) / 40 < 420


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
    "[Open the story.",
    'I say: ""',
    "[Direction to the narrator: " + "my " * 9000 + "]",
    "the " * 5000,
)


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_input_is_narrated_all_the_same(text: str) -> None:
    before = (system(), OPENING, Message("user", text), Message("assistant", text[:20_000]))
    started = time.monotonic()
    told = compose((*before, Message("user", text)), 1)
    assert time.monotonic() - started < 2
    assert 20 < len(told) < 1600
    assert told.replace("\n", "").isprintable()


@settings(deadline=None)
@given(st.text(max_size=300), st.integers(0, 2**31) | st.none())
def test_any_text_is_narrated(text: str, seed: int | None) -> None:
    assert compose([Message("user", text)], seed).strip()


def test_no_messages_at_all() -> None:
    assert compose([], None)


async def test_it_streams_at_its_pace_and_stops_at_its_limit() -> None:
    options = GenerationOptions(context_window=2048, max_output_tokens=6)
    request = ChatRequest("rehearsal", (system(), OPENING, Message("user", EVENING[0])), options)
    started = time.monotonic()
    events = [event async for event in RehearsalBackend(rate=50).stream_chat(request)]
    assert time.monotonic() - started > 0.09
    assert sum(isinstance(event, TextDelta) for event in events) == 6
    last = events[-1]
    assert isinstance(last, Finished)
    assert last.reason == "length"
