"""Turns a player's words to the second person, and tames whatever else a player may type. English; pure.

What stands in double quotation marks was said aloud by somebody and keeps its person.
"""

import re
import unicodedata

ECHO_LENGTH = 220
WORD_LENGTH = 40
ECHO_SENTENCES = 2

QUOTED = re.compile(r"(\"[^\"]*\"|“[^”]*”)")
# Not after "i.e." or "Mr.".
SENTENCE_END = re.compile(r"(?<=[.!?…])(?<![a-z]\.[a-z]\.)(?<!Mr\.)(?<!Mrs\.)(?<!Dr\.)(?<!St\.)[\"”’)]*\s+")

# In order: whole phrases before the pronouns in them. The apostrophe is already straight.
PERSONS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(rf"(?<!['\w]){pattern}(?!['\w])", re.IGNORECASE), replacement)
    for pattern, replacement in (
        (r"am (?:i|we)", "are you"),
        (r"was i", "were you"),
        (r"(?:i am|i'm|im|we are|we're)", "you are"),
        (r"(?:i was|we were)", "you were"),
        (r"(?:i've|we've)", "you've"),
        (r"(?:i'll|we'll)", "you'll"),
        (r"(?:i'd|we'd)", "you'd"),
        (r"let's", "you"),
        (r"(?:myself|ourselves)", "yourself"),
        (r"ours", "yours"),
        (r"(?:my|our)", "your"),
        (r"me", "you"),
        (r"i(?!\.\w)", "you"),
        (r"we", "you"),
    )
)
US = re.compile(r"\bus\b|\bUs\b")  # not US, which is a country
MINE = re.compile(r"(\b[a-z]+\s+)?\bmine\b(?!\s+(?:shaft|cart|entrance|worker|tunnel))", re.IGNORECASE)
MINE_IS_OWNED = (
    "of",
    "is",
    "was",
    "are",
    "were",
    "be",
    "than",
    "like",
    "as",
    "and",
    "not",
    "in",
    "to",
    "on",
    "for",
)
LONE_AM = re.compile(r"(?<![\d.])(?<!\d )\bam\b")

IMPERATIVES = frozenset(
    """
    aim answer approach ask attack avoid back bandage beg bind blow board bow break breathe build burn
    bury buy call carry cast catch chase check choose circle clean climb close come consider continue cook
    count crawl creep cross cry cut dance dig dive drag draw dress drink drive drop eat empty enter escape
    examine explore fall feed feel fight fill find fire fish fix flee fly fold follow force gather get
    give go grab greet guard hand hang head heal hear help hide hit hold hum hunt ignore inspect
    investigate jump keep kick kill kiss kneel knock lay lead lean leap learn leave lie lift light listen
    load lock look make march meet mend mount move nod offer open order pace pack pay peek peer pet pick
    place play plead pocket point pour pray press pretend promise pry pull punch push put raise reach read
    refuse remember rest return ride ring rise roll row run sail save say scan scream search see sell send
    set shake sharpen shoot shout show shut sigh sing sit skip slash sleep slide slip smash smell smile
    sneak speak spin spit stab stand stare start stay steal step stop strike study swear swim swing take
    talk tap taste tear tell thank think throw tie tiptoe toss touch track trade travel trust try tuck
    turn unlock untie use visit wait wake walk wander wash watch wave wear whisper whistle wipe work wrap
    write yell
    """.split()  # noqa: SIM905 - quoted one by one they would fill a screen
)


def tidy(text: str) -> str:
    """``text`` on one line, with straight apostrophes, without control characters and endless words."""
    text = text.replace("’", "'").replace("‘", "'")
    visible = "".join(
        " " if unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp") else char for char in text
    )
    return " ".join(
        word if len(word) <= WORD_LENGTH else word[:WORD_LENGTH] + "…" for word in visible.split()
    )


def shorten(text: str) -> str:
    """The first sentences of ``text``, and of a long one no more than a glance takes in."""
    sentences = split_sentences(text)[:ECHO_SENTENCES]
    short = " ".join(sentences)
    if len(short) <= ECHO_LENGTH:
        return short
    if len(sentences[0]) <= ECHO_LENGTH:
        return sentences[0]
    return _closed(short[:ECHO_LENGTH].rpartition(" ")[0].rstrip(" ,;:-–") + "…")


def split_sentences(text: str) -> list[str]:
    ends = [match.end() for match in SENTENCE_END.finditer(text)]
    starts = [0, *ends]
    return [
        part
        for start, end in zip(starts, [*ends, len(text)], strict=True)
        if (part := text[start:end].strip())
    ]


def second_person(text: str) -> str:
    """``text`` as told to the player: "i take my lantern" becomes "You take your lantern."."""
    return " ".join(_told(sentence) for sentence in split_sentences(turn_person(text)))


def turn_person(text: str) -> str:
    """``text`` with its first person turned, and else as it was."""
    parts = QUOTED.split(text)
    return "".join(part if index % 2 else _turn(part) for index, part in enumerate(parts))


def is_question(text: str) -> bool:
    return text.rstrip(" \"'”").endswith("?")


def _turn(text: str) -> str:
    for pattern, replacement in PERSONS:
        text = pattern.sub(replacement, text)
    text = US.sub("you", text)
    text = LONE_AM.sub("are", text)
    return MINE.sub(_turn_mine, text)


def _turn_mine(match: re.Match[str]) -> str:
    """A mine that is dug stays one: "I enter the old mine"."""
    before = match.group(1) or ""
    is_owned = not before or before.strip().lower() in MINE_IS_OWNED
    return f"{before}yours" if is_owned else match.group(0)


def _told(sentence: str) -> str:
    """One sentence with a subject, a capital and an end."""
    first = re.match(r"[A-Za-z]+", sentence)
    if first and first.group().lower() in IMPERATIVES:
        sentence = f"You {sentence[0].lower()}{sentence[1:]}"
    sentence = _closed(sentence[:1].upper() + sentence[1:])
    return sentence if sentence.endswith((".", "!", "?", "…", '"', "”")) else f"{sentence.rstrip(' ,;:-–')}."


def _closed(text: str) -> str:
    """``text`` with the quotation mark that cutting took away."""
    if text.count('"') % 2:
        return text + '"'
    return text + "”" if text.count("“") > text.count("”") else text
