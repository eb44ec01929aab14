"""What the game itself hands over beside the story: the sections at the head of the last message. Pure.

Sections stand in a fixed order, each begins with a heading in brackets, and the player's input stands last.
What the input has that looks like a section is the player's words. ``docs/state.md`` shows the form of the
state's section.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

# Only the first words: the rest of the heading tells the narrator what it is.
STATE_HEADING = "[State of the story:"
_NOTE = "[Author's note, for your eyes: "
# Inputs that begin with a bracket as well.
_INPUT = re.compile(r"\[(?:Continue the story|Begin the story|Open the story\.\]|Direction to the narrator:)")
_LIST_HEADINGS = ("Who and what there is:", "Established:", "No longer true:", "Ties:", "Open threads:")
_ITEM = re.compile(r"- (?P<key>[^\s:]+): (?P<text>.+)")
_ENTITY = re.compile(
    r"(?P<name>.+?), (?P<type>[^,;()]+?)(?=; | \(|$)(?:; (?P<where>at|held by) (?P<whose>[^\s;]+))?(?P<rest>.*)"
)
_PLACE = re.compile(r"(?:^Scene: |; )place [^;]*?\((?P<key>[^\s()]+)\)(?=;|$)")
_PRESENT = re.compile(
    r"(?:^Scene: |; )present (?P<listed>.+?)(?=; (?:of note|going on|to be seen|bear in mind) |$)"
)
_THERE_IS_NO = re.compile(r"there is no (?P<name>.+?)(?: \[[^\]]*\])?$")
_MARK = re.compile(r" \[[^\[\]]*\]$")
_LOST = frozenset({"dead", "destroyed"})
_LONGEST_LINE = 2_400
_KINDS = {
    "character": "person",
    "creature": "person",
    "location": "place",
    "structure": "place",
    "vehicle": "place",
    "item": "item",
    "organization": "idea",
    "concept": "idea",
}


@dataclass(frozen=True, slots=True)
class Known:
    """Something that the state holds. ``at`` and ``holder`` are keys; ``kind`` is "person", "place", "item",
    "idea" or nothing that this narrator has a use for."""

    key: str
    name: str
    kind: str
    at: str = ""
    holder: str = ""
    is_lost: bool = False
    is_played: bool = False


@dataclass(frozen=True, slots=True)
class Aim:
    """A thread of the story that is open."""

    key: str
    title: str


@dataclass(frozen=True, slots=True)
class Supplied:
    """What the game knows and hands over beside the story. Nothing here may be hidden from the player.

    Where ``is_given`` is false there was no such section, and all of it is taken from the story itself.
    ``present`` is None where the scene does not say who is there. ``withdrawn`` are keys and names of what
    the player said there is not.
    """

    is_given: bool = False
    entities: tuple[Known, ...] = ()
    protagonist: Known | None = None
    place: Known | None = None
    present: tuple[Known, ...] | None = None
    threads: tuple[Aim, ...] = ()
    facts: tuple[str, ...] = ()
    withdrawn: frozenset[str] = frozenset()

    @property
    def people(self) -> tuple[Known, ...]:
        """Who is there, beside the protagonist."""
        return tuple(each for each in self.present or () if each != self.protagonist)

    @property
    def carried(self) -> tuple[Known, ...]:
        """What the protagonist holds."""
        mine = self.protagonist.key if self.protagonist else ""
        return tuple(each for each in self.entities if mine and each.holder == mine)

    def find(self, key: str) -> Known | None:
        return next((each for each in self.entities if each.key == key), None)


NOTHING_GIVEN = Supplied()


def split_sections(content: str) -> tuple[list[str], str]:
    """The sections at the head of a message, and the player's input behind them."""
    sections: list[str] = []
    rest = content
    while end := _section_end(rest):
        sections.append(rest[:end])
        rest = rest[end:].removeprefix("\n\n")
    # A passage may hold blank lines; the state comes behind it, so that all up to there is not the input.
    if sections and not any(section.startswith((STATE_HEADING, _NOTE)) for section in sections):
        start = rest.find(f"\n\n{STATE_HEADING}")
        if start >= 0:
            more, rest = split_sections(rest[start + 2 :])
            sections += more
    return sections, rest


def read_supplied(sections: Iterable[str], protagonist: str) -> Supplied:
    """What the section of the state says: the first one, in its place before the author's note."""
    for section in sections:
        if section.startswith(_NOTE):
            break
        if section.startswith(STATE_HEADING):
            return _read_state(section, protagonist)
    return NOTHING_GIVEN


def _section_end(text: str) -> int:
    """Where the section ends that a text begins with; 0 where it begins with none."""
    end = text.find("\n\n")
    if end <= 0 or not text.startswith("[") or _INPUT.match(text):
        return 0
    if text.startswith(_NOTE):
        return _note_end(text)
    heading = text[:end].split("\n", 1)[0]
    return end if heading.endswith("]") or text[:end].endswith("]") else 0


def _note_end(text: str) -> int:
    """A note may hold blank lines and brackets: it ends where as many are closed as were opened."""
    first = start = text.find("]\n\n")
    while start >= 0:
        if text.count("[", 0, start) == text.count("]", 0, start + 1):
            return start + 1
        start = text.find("]\n\n", start + 1)
    return first + 1


def _read_state(section: str, protagonist: str) -> Supplied:
    lines = [line[:_LONGEST_LINE] for line in section.split("\n")[1:]]
    scene = next((line for line in lines if line.startswith("Scene: ")), "")
    listed = {heading: list(_items(lines, heading)) for heading in _LIST_HEADINGS}
    entities = tuple(known for key, text in listed["Who and what there is:"] if (known := _known(key, text)))
    place = _PLACE.search(scene)
    present = _PRESENT.search(scene)
    played = find_protagonist(entities, protagonist)
    named_place = place["key"] if place else played.at if played else ""
    return Supplied(
        is_given=True,
        entities=entities,
        protagonist=played,
        place=next((each for each in entities if each.key == named_place), None),
        present=tuple(_listed(present["listed"], entities)) if present else None,
        threads=tuple(
            Aim(key, text.removesuffix(" [dormant]").split(" (")[0]) for key, text in listed["Open threads:"]
        ),
        facts=tuple(
            _MARK.sub("", text)
            for _, text in listed["Established:"]
            if not text.endswith("[disputed]") and ":" not in text
        ),
        withdrawn=frozenset(_withdrawn(listed["No longer true:"])),
    )


def _items(lines: list[str], heading: str) -> Iterator[tuple[str, str]]:
    if heading not in lines:
        return
    for line in lines[lines.index(heading) + 1 :]:
        if line in _LIST_HEADINGS:
            return
        if match := _ITEM.fullmatch(line):
            yield match["key"], match["text"]


def _known(key: str, text: str) -> Known | None:
    match = _ENTITY.fullmatch(text)
    if match is None:
        return None
    rest = match["rest"].split(" (", 1)[0].split("; ")
    where, whose = match["where"], match["whose"] or ""
    return Known(
        key=key,
        name=match["name"],
        kind=_KINDS.get(match["type"].strip().lower(), ""),
        at=whose if where == "at" else "",
        holder=whose if where == "held by" else "",
        is_lost=any(part.strip().lower() in _LOST for part in rest),
        is_played=any(part.strip().lower() == "role protagonist" for part in rest),
    )


def find_protagonist(entities: tuple[Known, ...], name: str) -> Known | None:
    """Who the player plays: by name, by a part of it, or by being called so."""
    people = [each for each in entities if each.kind == "person"]
    wanted = set(name.lower().split())
    for known in people:
        if known.is_played or known.key == "protagonist" or known.name.lower() in ("you", name.lower()):
            return known
    parts = (set(known.name.lower().split()) for known in people)
    return next(
        (
            known
            for known, words in zip(people, parts, strict=True)
            if wanted and (words <= wanted or wanted <= words)
        ),
        None,
    )


def _listed(text: str, entities: tuple[Known, ...]) -> Iterator[Known]:
    by_key = {each.key: each for each in entities}
    for key in re.findall(r"\(([^\s()]+)\)(?=,|$)", text):
        if key in by_key:
            yield by_key[key]


def _withdrawn(items: list[tuple[str, str]]) -> Iterator[str]:
    for key, text in items:
        if match := _THERE_IS_NO.fullmatch(text):
            yield key
            yield match["name"].lower()
