"""What the player means to do beyond the moment: a goal that is set, a promise, a question to be answered.
English; pure."""

import re
from collections.abc import Iterable

from narrative.inference.rehearsing.text import capitalised, outside_quotes, split_sentences

_LONGEST = 120
# What is not done in one move; with these alone a need or a wish is a goal.
_WISHED = (
    r"(?:find out|find|reach|get back to|save|rescue|discover|learn|avenge|solve|prove|escape|recover|uncover|hunt down|"
    r"track down|know (?:who|what|why|where|how)|figure out|work out)"
)
_NEEDED_TO = rf"(?:{_WISHED}|get (?:to|him|her|them|it|out|away|home|back)|bring back|warn|deliver|return|protect|stop|destroy|repay)"
_MUST = r"(?:(?:'ve |have )?(?:have to|got to)|need to|must|am determined to|'m determined to|am here to|'m here to|came here to)"
_VOWS = r"(?:swear|vow|promise|resolve|pledge|give (?:you )?my word)"
_SWORN = re.compile(
    rf"(?:i|we)(?:'ll)? (?:\w+ly |will )?{_VOWS}(?: (?:to )?(?!to\b)(?:you|him|her|them|myself|the [\w-]+|[A-Z][\w-]+))?,?"
    r"(?: that)? (?:to |(?:i|we)(?:'ll| will| shall) )(?P<goal>.+)",
    re.IGNORECASE,
)
_NEEDED = re.compile(
    rf"(?:i|we) ?(?:really |still |now )?(?:{_MUST} (?P<goal>{_NEEDED_TO}\b.+)"
    rf"|(?:want to|intend to|mean to) (?P<wish>{_WISHED}\b.+))",
    re.IGNORECASE,
)
_ASKED = re.compile(
    r"(?:let's |let us |we should |i should |i will |i'll |i am going to |i'm going to )?"
    r"(?P<goal>(?:find|figure|work) out (?:who|what|why|where|when|how|whether|if)\b.+)",
    re.IGNORECASE,
)
_SET = re.compile(
    r"(?:my|our|the|your) (?:new )?(?:goal|quest|task|mission|aim|plan|duty) (?:now )?(?:is|must be|becomes) to (?P<goal>.+)",
    re.IGNORECASE,
)
_FORMS = (_SWORN, _NEEDED, _ASKED, _SET)
# Where another thought begins.
_REST = re.compile(
    r"[.!?;:—–]|, (?:and|but|so|or|then|because|though|however|if) |,? (?:and then|so that|before i) "
)
_UNFINISHED = frozenset("it that this them him her out you me so".split())  # noqa: SIM905
_WORD = re.compile(r"[^\W_]{4,}")
_TELLING_NOTHING = frozenset(
    "find reach discover learn know make sure that what have with from back your their this".split()  # noqa: SIM905
)


def read_aim(clause: str) -> str:
    """The goal that a clause sets, from its verb on: "find the ferryman". Empty where it sets none."""
    for form in _FORMS:
        if match := form.match(clause.strip()):
            said = next(filter(None, match.groups()), "")
            goal = _REST.split(said, maxsplit=1)[0].strip(" ,'\"“”")
            return goal if _is_telling(goal) else ""
    return ""


def find_aim(text: str, *, is_said: bool) -> str:
    """The first goal that somebody's words set; of words that are said, outside quotation marks or not."""
    for sentence in split_sentences(text if is_said else outside_quotes(text)):
        for part in (sentence, *re.split(r",? (?:and|but|so) |[;,:] ", sentence)[1:]):
            if goal := read_aim(part.strip()):
                return goal
    return ""


def title_of(goal: str) -> str:
    """A goal as the heading of a thread."""
    return capitalised(goal)[:_LONGEST].rstrip(" ,.;:-")


def is_open(goal: str, titles: Iterable[str]) -> bool:
    """Whether one of the open threads is about the same."""
    wanted = _telling(goal)
    return any(
        (shared := wanted & (other := _telling(title))) and 2 * len(shared) >= min(len(wanted), len(other))
        for title in titles
    )


def _telling(text: str) -> set[str]:
    words = set(_WORD.findall(text.lower()))
    return {word[:6].rstrip("s") for word in (words - _TELLING_NOTHING) or words}


def _is_telling(goal: str) -> bool:
    words = goal.lower().split()
    return 2 <= len(words) <= 24 and (len(words) > 2 or words[-1] not in _UNFINISHED)
