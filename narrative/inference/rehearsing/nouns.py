"""Things, people and places as a story names them. English; pure."""

import re
from dataclasses import dataclass, field

DETERMINERS = frozenset(
    "the a an my your his her its their this that these those some any our another every each one".split()  # noqa: SIM905
)
OWNERS = {
    "my": "your",
    "our": "your",
    "your": "your",
    "his": "his",
    "her": "her",
    "their": "their",
    "its": "its",
}
# A thing's name ends before one of these.
BREAKS = frozenset(
    """
    a about above across after again against all along alone am an and are around as at away back be because
    before behind below beneath beside between beyond but by can carefully could did do does down during each
    every for forward from gently go has have hard he her here him his home how i if in inside into is it its
    just like look me more must my near next no not now of off on once one onto open or other our out outside
    over past quickly quietly say she should slowly so softly some still take than that the their them then
    there they this through to together too toward towards twice under until unless up upon us very was we
    were what when where whether which while who why will with within without would you your yet using
    straight aloud fast ahead closely him herself himself myself itself today tonight tomorrow
    """.split()  # noqa: SIM905 - quoted one by one they would fill a screen
)
NOT_THINGS = frozenset(
    """
    bit direction end moment moments lot lots name names narrator one ones other others place protagonist
    question rest same side story thing things time times turn way ways while word words world first last next
    second reply player rules scene sentence nothing something anything everything everyone someone anyone
    nobody somebody anybody kind sort minute minutes hour hours day days night morning evening dawn dusk year
    years month months week weeks pace half dozen pair front back top bottom middle edge sound noise smell
    breath sleep feeling sense air sky light dark darkness silence quiet weather mind thought thoughts idea
    plan attention care voice hand hands eyes eye face head feet foot arm arms mouth ears ear heart fingers
    shoulder shoulders knees body sight help fact truth lie chance luck course case life death answer
    """.split()  # noqa: SIM905 - quoted one by one they would fill a screen
)
PEOPLE = frozenset(
    """
    woman man girl boy guard guards keeper innkeeper stranger traveller captain priest monk nun king queen child
    children sailor soldier soldiers merchant smith witch wizard knight thief driver doctor nurse clerk servant
    sister brother mother father friend lady lord crew officer pilot robot hermit hunter farmer bartender
    barkeep abbot abbess apprentice archivist attendant baker barber beggar bishop boatman bodyguard boss carpenter
    constable cook courier customer daughter deputy detective drone duchess duke emperor engineer ferryman fisherman
    foreman gardener gunslinger husband wife inspector jailer judge landlord landlady lawyer librarian lieutenant
    maid major mayor mechanic medic messenger midwife miller miner navigator neighbour novice android figure
    passenger people pirate pedlar poet policeman porter postman potter prince princess prisoner prior prioress
    professor quartermaster ranger rider sergeant sheriff shepherd shopkeeper singer son spy steward student
    surgeon tailor teacher technician waiter waitress warden watchman weaver widow widower witness worker uncle aunt
    grandmother grandfather cousin harbourmaster boatswain gatekeeper lamplighter scientist controller dispatcher
    operator ghost goblin elf dwarf troll ogre giant visitor voice commander colonel admiral marshal
    """.split()  # noqa: SIM905 - quoted one by one they would fill a screen
)
SHE = frozenset(
    """woman girl witch queen nun lady sister mother daughter wife princess duchess abbess prioress maid aunt
    grandmother widow waitress landlady midwife""".split()  # noqa: SIM905
)
HE = frozenset(
    """man boy king priest monk lord brother father son husband prince duke abbot uncle grandfather widower
    landlord policeman watchman boatman ferryman fisherman postman""".split()  # noqa: SIM905
)
IN = frozenset(
    """crypt ossuary chapel church room hall chamber corridor alley inn tavern office library archive archives
    kitchen cellar forest wood woods cave tunnel mine house garden courtyard square valley village town city camp
    bay lab laboratory ward hospital school theatre shop bar saloon desert canyon field barn attic palace castle
    dungeon prison cell hangar module compartment cabin hold galley cathedral cloister vault basement bathroom
    bedroom study parlour market workshop warehouse passage passageway hut cottage mill temple tomb ruins maze
    cavern grotto jungle swamp marsh building bunker airlock cockpit lift elevator car train carriage stable
    stables pantry scriptorium refectory infirmary core lock shaft boathouse street lane lodge lobby""".split()  # noqa: SIM905
)
ON = frozenset(
    """deck bridge road stair stairs staircase quay pier shore beach island hill roof rooftop platform gantry
    ledge balcony path trail moor plain wall terrace landing causeway jetty wharf ship boat barge tower-top ridge
    ladder catwalk mountain raft ice""".split()  # noqa: SIM905
)
AT = frozenset(
    """harbour station port docks dock gate gatehouse well tower farm ranch crossroads observatory lighthouse mouth
    reactor airfield border ford entrance exit summit spring fountain shrine site foot lake river pool sea post
    checkpoint yard shipyard graveyard cemetery abbey monastery""".split()  # noqa: SIM905
)
PLACES = IN | ON | AT
# Going to one of these is a step or two inside the place where one is.
FITTINGS = frozenset(
    """door doors window table desk chest altar body corpse fire fireplace hearth bed chair counter console panel
    shelf shelves cabinet cupboard wall hatch terminal screen bookcase mirror curtain box crate barrel statue
    lamp lantern bench piano map sign light rail railing ladder cart wagon horse rope lever machine engine bulkhead
    """.split()  # noqa: SIM905
)
_SINGULAR_ENDS = ("ss", "us", "is", "ps", "as")
_PLURALS = frozenset("people children men women feet teeth mice geese oxen crew".split())  # noqa: SIM905
_ENDS = re.compile(r"[,.;:!?()—–“”\"]")
# "keeper of the lamps", "boy in a torn suit"
_ADDITION = re.compile(r" (?:of|in|with) ")
_WORD = re.compile(r"[\w'-]+")


@dataclass(frozen=True, slots=True)
class Noun:
    """``text`` is without its article, as in "iron key". ``key`` and ``kind`` ("person", "place", "item",
    "idea") are those that the state gives to what it holds, and then decide what a word only suggests."""

    text: str
    owner: str = ""
    is_proper: bool = False
    key: str = field(default="", compare=False)
    kind: str = field(default="", compare=False)

    @property
    def the(self) -> str:
        if self.is_proper:
            return self.text
        return f"{self.owner or 'the'} {self.text}"

    @property
    def head(self) -> str:
        return _ADDITION.split(self.text, maxsplit=1)[0].split(" ")[-1]

    @property
    def is_plural(self) -> bool:
        head = self.head.lower()
        if self.is_proper:
            return False
        return head in _PLURALS or (head.endswith("s") and not head.endswith(_SINGULAR_ENDS))

    @property
    def is_person(self) -> bool:
        if self.kind:
            return self.kind == "person"
        return self.head.lower() in PEOPLE or (
            self.is_proper and self.head[:1].isupper() and not self.is_place
        )

    @property
    def is_place(self) -> bool:
        if self.kind:
            return self.kind == "place"
        if self.is_proper:  # "Deck Nine", "Port Ellen"
            return not PLACES.isdisjoint(self.text.lower().split())
        return self.head.lower() in PLACES

    @property
    def at(self) -> str:
        """Where one is, being there: "in the crypt"."""
        head = self.head.lower()
        return f"{'in' if head in IN else 'on' if head in ON else 'at'} {self.the}"

    @property
    def pronoun(self) -> str:
        head = self.head.lower()
        if self.is_person:
            return "she" if head in SHE else "he" if head in HE else "they"
        return "they" if self.is_plural else "it"

    def is_same(self, other: "Noun") -> bool:
        """Whether both name one thing: "key" and "iron key", "Perrin" and "Perrin Vask"."""
        if self.key and other.key:
            return self.key == other.key
        mine, theirs = self.text.lower().split(), other.text.lower().split()
        if self.is_proper or other.is_proper:
            return bool(set(mine) & set(theirs))
        short, long = sorted((mine, theirs), key=len)
        return self.head.lower() == other.head.lower() and set(short) <= set(long)


def with_article(text: str) -> str:
    """ "key" as "a key", "iron key" as "an iron key"."""
    first = text.split(" ")[0].lower()
    vowel = first[:1] in tuple("aeiou") and not first.startswith(("uni", "use", "eu", "one", "uk"))
    return f"an {text}" if vowel or first.startswith(("hour", "honest", "heir")) else f"a {text}"


def read_noun(text: str, *, bare: bool = True) -> Noun | None:
    """The noun that ``text`` begins with; ``bare`` ones have no article: "take key"."""
    words = _WORD.findall(_ENDS.split(text, maxsplit=1)[0][:120])
    owner, has_determiner = "", False
    while words and words[0].lower() in DETERMINERS:
        owner = OWNERS.get(words.pop(0).lower(), "")
        has_determiner = True
    proper = _leading_names(words)
    if proper and not has_determiner:
        return Noun(" ".join(proper), is_proper=True)
    if not has_determiner and not bare:
        return None
    taken = _leading_things(words)
    if not taken or taken[-1].lower() in NOT_THINGS or len(taken[-1]) < 2:
        return None
    text = " ".join(taken)
    tail = words[len(taken) : len(taken) + 3]
    if len(tail) > 1 and tail[0] == "of" and tail[1] not in ("me", "it", "him", "them"):
        is_longer = tail[1] in DETERMINERS or all(word[0].isupper() for word in tail[1:])
        text = f"{text} {' '.join(tail if is_longer else tail[:2])}"
    return Noun(text, owner=owner, is_proper=has_determiner is False and taken[0][0].isupper())


def _leading_names(words: list[str]) -> list[str]:
    names: list[str] = []
    for word in words[:3]:
        if not word[0].isupper() or word in ("I", "I'm", "I'll", "I've", "I'd"):
            break
        names.append(word.removesuffix("'s"))
        if word.endswith("'s"):
            return []
    return names


def _leading_things(words: list[str]) -> list[str]:
    taken: list[str] = []
    for word in words:
        if word.lower() in BREAKS or (word.endswith("ly") and taken) or len(taken) == 4 or word[0].isdigit():
            break
        taken.append(word)
        if taken and word.lower() in PEOPLE | PLACES | FITTINGS and len(taken) > 1:
            break
    return taken
