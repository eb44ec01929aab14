"""Keys: how the state names what it holds, and how a name that somebody wrote becomes one. Pure."""

import re
import unicodedata
from functools import lru_cache

KEY_LENGTH = 80

_NOT_OF_A_KEY = re.compile(r"[^\w]+")
_ARTICLE = re.compile(r"\A(?:the|a|an)\s+")


@lru_cache(maxsize=16_384)
def key_of(text: str) -> str:
    """The slug of what was written: lower case, words joined by hyphens. Empty where nothing is left, and
    longer than ``KEY_LENGTH`` where the text is: that is the caller's to refuse."""
    folded = unicodedata.normalize("NFKC", text).casefold().replace("'", "").replace("’", "")
    return _NOT_OF_A_KEY.sub("-", folded).strip("-_")


@lru_cache(maxsize=16_384)
def folded_key(key: str) -> str:
    """What two keys have in common that differ in capitals, hyphens and underscores alone."""
    return key_of(key).replace("_", "-")


@lru_cache(maxsize=16_384)
def folded_name(name: str) -> str:
    """A name for comparing: without capitals, needless space and a leading article."""
    return _ARTICLE.sub("", folded_text(name))


def folded_text(text: str) -> str:
    """A text for finding names in it: on one line, without capitals."""
    return " ".join(unicodedata.normalize("NFKC", text).replace("’", "'").casefold().split())


def folded_label(text: str) -> str:
    """A status or predicate for comparing: however it is written, "Is at" is "is_at"."""
    return " ".join(
        unicodedata.normalize("NFKC", text).casefold().replace("_", " ").replace("-", " ").split()
    )


# Words for the statuses that an entity has from the start and at the end, as rules are written with them.
_SAME_STATUS = {"alive": "active", "living": "active", "deceased": "dead", "killed": "dead"}


def folded_status(text: str) -> str:
    """A status for comparing it with a rule: a rule on “alive” holds for “active”."""
    label = folded_label(text)
    return _SAME_STATUS.get(label, label)


def fresh_key(wanted: str, taken: set[str]) -> str:
    """``wanted``, with a number where it is taken already."""
    base = wanted[: KEY_LENGTH - 6].rstrip("-") or "unnamed"
    key, number = wanted[:KEY_LENGTH] or base, 2
    while key in taken:
        key, number = f"{base}-{number}", number + 1
    return key
