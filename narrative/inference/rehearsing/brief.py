"""What the system message lays down: the story's manner, the protagonist, and what is true. Pure."""

import re
from dataclasses import dataclass

from narrative.inference.rehearsing.nouns import BREAKS, NOT_THINGS, Noun
from narrative.inference.rehearsing.text import split_sentences, tidy

READ_LENGTH = 60_000

_FIELD = re.compile(r"^(Genre|Subgenre|Tone|Style): (.+)$", re.MULTILINE)
# How narrative/prompt/sections.py words it, and other ways of saying the same.
_PROTAGONIST = re.compile(
    r"\b[Pp]rotagonist(?:'s name)?(?: is(?: called| named)?|, called|:)\s+"
    r"(?P<name>[^\W\d_][\w'-]*(?: (?:(?:de|van|von|of|the|al|ibn|bin|la|le|di|da) )?[A-Z][\w'-]*){0,3})"
    r"(?:, played by the player\.[ ]?(?P<description>[^\n]*))?"
)
_CANON = re.compile(r"^Canon\b[^\n]*:\n((?:- .+(?:\n|$))+)", re.MULTILINE)
# Told to the narrator, and for nobody else to hear.
_PRIVATE = re.compile(
    r"narrator|player|never reveal|hidden|secret|do not|don't|must not|should not|nobody knows|no one knows|unknown to|"
    r"only you know|spoiler|in truth|actually|the story|must never|truth is|"
    r"\bstatus “|is settled and stays",
    re.IGNORECASE,
)
_LEANS_ON_OTHERS = re.compile(
    r"(?:It|They|He|She|This|That|These|Those|Which|But|And|So|Then|Such|What|Its|Their)\b"
)
# What canon says there is none of: "no magic", "without clocks, gulls or pigeons".
_RULED_OUT = re.compile(
    r"\b(?:no|without|neither|nor)\s+((?:[a-z-]+(?:, | or | and | nor )?){1,6})", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Brief:
    """``manner`` is genre and tone in the player's words; ``facts`` are those lines of the canon that can be
    told as they are; ``ruled_out`` are words of what canon says there is not."""

    manner: str
    protagonist: str
    description: str
    facts: tuple[str, ...]
    ruled_out: frozenset[str]

    def is_protagonist(self, noun: Noun) -> bool:
        """Whether somebody who is named is the one whom the player plays."""
        return bool(set(noun.text.split()) & set(self.protagonist.split()))

    @property
    def first_name(self) -> str:
        return self.protagonist.split(" ")[0]


def read_brief(system: str) -> Brief:
    text = system[:READ_LENGTH].replace("’", "'")
    fields = dict(reversed(_FIELD.findall(text)))
    found = _PROTAGONIST.search(text)
    canon = [line for block in _CANON.findall(text) for line in block.removesuffix("\n").split("\n")]
    sentences = [sentence for line in canon for sentence in split_sentences(tidy(line.removeprefix("- ")))]
    return Brief(
        manner=" ".join(fields.get(name, "") for name in ("Genre", "Subgenre", "Tone", "Style")),
        protagonist=found["name"] if found else "",
        description=(found["description"] or "").strip() if found else "",
        facts=tuple(sentence for sentence in sentences if is_tellable(sentence)),
        ruled_out=frozenset(
            word for line in canon for listed in _RULED_OUT.findall(line) for word in _things(listed)
        ),
    )


def _things(listed: str) -> list[str]:
    """The words of a list that say what it lists: up to the first that does not."""
    found = []
    for word in re.findall(r"[a-z-]+", listed.lower()):
        if word in ("or", "and", "nor"):
            continue
        if word in BREAKS or word in NOT_THINGS or len(word) < 4:
            break
        found.append(word)
    return found


def is_tellable(sentence: str) -> bool:
    """Whether a line of the canon can be told by itself and to anybody."""
    return (
        15 < len(sentence) < 170
        and sentence.endswith(".")
        and not _PRIVATE.search(sentence)
        and not _LEANS_ON_OTHERS.match(sentence)
        and not {"it", "them", "that"} & set(sentence.lower().split()[:4])
    )
