"""Tames what a player may type: marks, shouting, endless words, lists. Pure."""

import re
import unicodedata

from narrative.inference.rehearsing.person import QUOTED

WORD_LENGTH = 40

# Not after "i.e." or "Mr.".
SENTENCE_END = re.compile(
    r"(?<=[.!?…])(?<![a-z]\.[a-z]\.)(?<!Mr\.)(?<!Mrs\.)(?<!Dr\.)(?<!St\.)[\"”’)]*\s+|(?<=[.!?…][\"”])\s+"
)
LIST_MARK = re.compile(r"^\s*(?:[-*•+]|\d{1,2}[.)])\s+", re.MULTILINE)
LINK = re.compile(r"!?\[([^\]\n]*)\]\([^)\n]*\)")
MARKS = re.compile(r"(?<!\w)[*_~`#>|]+|[*_~`|]+(?!\w)|</?[a-zA-Z][^<>]{0,40}>")
ENGLISH = frozenset(
    """
    i i'm i'll i've me my we you your the a an and or to of in on at into is it that this with from for
    who what where why when how do does can go up down him her them he she they not no yes
    """.split()  # noqa: SIM905 - quoted one by one they would fill a screen
)


def tidy(text: str) -> str:
    """``text`` on one line, with straight apostrophes, without control characters and endless words."""
    text = text.replace("’", "'").replace("‘", "'")
    visible = "".join(
        " " if unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp") else char
        for char in text
        if unicodedata.category(char) != "Cf"
    )
    return " ".join(
        word if len(word) <= WORD_LENGTH else word[:WORD_LENGTH] + "…" for word in visible.split()
    )


def read_plainly(text: str) -> str:
    """A player's words without Markdown, the items of a list as sentences, and without shouting."""
    items = LIST_MARK.split(text)
    if len(items) > 1:
        text = " ".join(closed(item.strip()) for item in items if item.strip())
    plain = tidy(MARKS.sub("", LINK.sub(r"\1", text)))
    plain = re.sub(r"([!?])[!?]+", lambda match: "?" if "?" in match[0] else match[1], plain)
    return _calm(plain) if is_shouted(plain) else plain


def is_shouted(text: str) -> bool:
    letters = [char for char in text if char.isalpha()]
    return len(letters) > 4 and sum(char.isupper() for char in letters) > 0.7 * len(letters)


def is_english(text: str) -> bool:
    """Whether ``text`` can be read here. A few words without a telling one are given the benefit."""
    words = re.findall(r"[^\W\d_]+(?:'[^\W\d_]+)?", text.lower())
    if not words:
        return True
    if sum(word.isascii() for word in words) * 2 < len(words):
        return False
    known = sum(word in ENGLISH for word in words)
    return known * 6 >= len(words) or (len(words) < 4 and all(word.isascii() for word in words))


def split_sentences(text: str) -> list[str]:
    ends = [match.end() for match in SENTENCE_END.finditer(text)]
    starts = [0, *ends]
    return [
        part
        for start, end in zip(starts, [*ends, len(text)], strict=True)
        if (part := text[start:end].strip())
    ]


def closed(sentence: str) -> str:
    """``sentence`` with a stop at its end."""
    sentence = sentence.rstrip(" ,;:-–")
    return sentence if sentence.endswith((".", "!", "?", "…", '"', "”")) else f"{sentence}."


def capitalised(text: str) -> str:
    """``text`` with a capital at its first letter, behind a quotation mark too."""
    return re.sub(r"^(\W*)(\w)", lambda match: match[1] + match[2].upper(), text, count=1)


_LOWERED = frozenset(
    [
        "the",
        "a",
        "an",
        "no",
        "nobody",
        "nothing",
        "every",
        "each",
        "all",
        "some",
        "your",
        "it",
        "there",
        "they",
        "this",
        "that",
        "these",
        "those",
        "what",
        "when",
        "where",
        "on",
        "in",
        "at",
        "of",
        "once",
        "for",
        "from",
        "somebody",
        "someone",
        "something",
        "one",
        "two",
        "three",
        "with",
        "and",
        "but",
        "not",
        "only",
        "most",
        "many",
    ]
)


def lowered(text: str) -> str:
    """``text`` as it stands inside a sentence: without its capital, unless the first word may be a name."""
    first = re.match(r"[A-Za-z']+", text)
    return text[0].lower() + text[1:] if first and first[0].lower() in _LOWERED else text


def shortened(text: str, limit: int) -> str:
    """``text`` cut between words; an open quotation is closed."""
    if len(text) <= limit:
        return text
    cut = text[:limit].rpartition(" ")[0].rstrip(" ,;:-–") or text[:limit]
    return f"{cut}…" + ("”" if cut.count("“") > cut.count("”") else '"' if cut.count('"') % 2 else "")


def is_question(text: str) -> bool:
    return text.rstrip(" \"'”").endswith("?")


def outside_quotes(text: str) -> str:
    return QUOTED.sub(" ", text)


def _calm(text: str) -> str:
    lower = re.sub(r"\bi\b", "I", text.lower())
    return " ".join(capitalised(sentence) for sentence in split_sentences(lower))
