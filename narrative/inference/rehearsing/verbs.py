"""The verbs that a player is likely to use, by what they do to the story, in every form. Pure."""

from types import MappingProxyType

KINDS = MappingProxyType(
    {
        "take": "take grab pick pocket lift steal gather collect get seize snatch fetch keep borrow",
        "drop": "drop discard abandon",
        "give": "give offer hand pay return trade sell lend pass",
        "put": "put place set lay pour tuck pack load hang plug insert fit slot",
        "throw": "throw toss cast fling hurl",
        "open": "open unlock force pry unbolt unseal uncover untie unwrap unscrew break",
        "close": "close shut lock bolt bar seal block cover",
        "push": "push pull press drag turn move shove lean tug twist",
        "move": "go walk step enter climb run head cross descend leave march creep sneak jump crawl ride sail swim "
        "travel wander dive hurry rush approach board escape flee ascend slip stroll proceed explore cycle row "
        "drive fly float dash advance visit backtrack tiptoe retreat squeeze edge limp trudge hobble stumble stagger jog sprint",
        "follow": "follow chase track tail shadow pursue",
        "look": "look examine inspect study watch peer check observe stare glance scan gaze survey see view spy",
        "search": "search find hunt rummage investigate seek dig scour probe",
        "read": "read decipher translate skim",
        "listen": "listen hear eavesdrop",
        "smell": "smell sniff taste",
        "touch": "touch feel tap stroke pat rub hold grip squeeze shake pet",
        "talk": "ask say tell call greet shout whisper speak answer talk beg thank promise yell reply explain warn "
        "plead demand question persuade convince apologise apologize introduce confess admit mutter murmur hail "
        "announce chat lie joke",
        "attack": "attack strike hit stab swing shoot fight slash kick punch kill smash charge tackle grapple wrestle",
        "light": "light ignite kindle raise",
        "use": "use operate activate try start connect aim point fire ring knock swing dial type",
        "write": "write draw sketch note mark sign record copy scratch carve",
        "wear": "wear don dress remove",
        "eat": "eat drink sip swallow chew cook",
        "rest": "wait rest sit sleep breathe stay lie pray kneel stop pause linger stand hide crouch camp",
        "think": "think consider remember wonder decide plan count ponder recall hope wish reflect guess imagine "
        "know believe doubt need want love hate like",
        "show": "show wave nod bow smile shrug point signal gesture wink frown laugh grin sigh cry weep dance sing hum "
        "whistle clap salute",
        "make": "make build fix mend repair clean wash tie cut burn sew bandage heal bind wrap fill empty feed bury",
        "help": "help save rescue free protect guard comfort support calm hug kiss",
    }
)
IRREGULAR = MappingProxyType(
    {
        "went": "go",
        "took": "take",
        "said": "say",
        "ran": "run",
        "saw": "see",
        "got": "get",
        "found": "find",
        "gave": "give",
        "told": "tell",
        "left": "leave",
        "came": "come",
        "broke": "break",
        "threw": "throw",
        "drew": "draw",
        "spoke": "speak",
        "held": "hold",
        "sat": "sit",
        "stood": "stand",
        "heard": "hear",
        "felt": "feel",
        "fought": "fight",
        "hid": "hide",
        "lay": "lay",
        "knelt": "kneel",
        "crept": "creep",
        "kept": "keep",
        "wrote": "write",
        "made": "make",
        "thought": "think",
        "drank": "drink",
        "ate": "eat",
        "slept": "sleep",
        "paid": "pay",
        "sold": "sell",
        "stole": "steal",
        "struck": "strike",
        "shot": "shoot",
        "rode": "ride",
        "swam": "swim",
        "drove": "drive",
        "flew": "fly",
        "sang": "sing",
        "shook": "shake",
        "woke": "wake",
        "knew": "know",
        "caught": "catch",
        "bought": "buy",
    }
)
_MORE = (
    "come wake catch buy begin continue finish bring carry wake learn play enjoy ignore refuse avoid spend"
)
_DOUBLING = frozenset("bdgmnpt")


def _past(verb: str) -> set[str]:
    if verb.endswith("e"):
        return {f"{verb}d", f"{verb[:-1]}ing"}
    forms = {f"{verb}ed", f"{verb}ing"}
    if verb.endswith("y") and verb[-2] not in "aeiou":
        forms |= {f"{verb[:-1]}ied"}
    if len(verb) > 2 and verb[-1] in _DOUBLING and verb[-2] in "aeiou" and verb[-3] not in "aeiou":
        forms |= {f"{verb}{verb[-1]}ed", f"{verb}{verb[-1]}ing"}
    return forms


def third_person(verb: str) -> str:
    """ "go" as she does it: "goes"."""
    if verb == "be":
        return "is"
    if verb == "have":
        return "has"
    if verb.endswith(("s", "x", "z", "ch", "sh", "o")):
        return f"{verb}es"
    if verb.endswith("y") and verb[-2:-1] not in tuple("aeiou"):
        return f"{verb[:-1]}ies"
    return f"{verb}s"


def _kinds() -> dict[str, str]:
    found = dict.fromkeys(_MORE.split(), "other") | {"come": "move", "bring": "take", "carry": "take"}
    for kind, verbs in KINDS.items():
        for verb in verbs.split():
            found.setdefault(verb, kind)
    return found


KIND_OF = MappingProxyType(_kinds())
BASE_OF = MappingProxyType(
    {form: verb for verb in KIND_OF for form in (*_past(verb), third_person(verb))}
    | dict(IRREGULAR)
    | {verb: verb for verb in KIND_OF}
)
