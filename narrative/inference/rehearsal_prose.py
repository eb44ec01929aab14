"""Composes one turn of the embedded narrator: the player's deed, what comes of it, and a reason to go on.
Pure.

Nothing here is clever about the story. The deed is the player's own, outcomes claim little, and what is
remembered was said before. Same messages and seed, same text.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from narrative.inference import rehearsal_phrases as phrases
from narrative.inference.base import Message
from narrative.inference.rehearsal_scene import Mode, Scene, read_scene
from narrative.inference.rehearsal_words import (
    is_question,
    second_person,
    shorten,
    split_sentences,
    turn_person,
)


def compose(messages: Sequence[Message], seed: int | None) -> str:
    """Two to five sentences for the last message, in the second person."""
    scene = read_scene(messages)
    chooser = Chooser(scene, f"{scene.turn}\0{scene.words}\0{scene.told[-400:]}", seed or 0)
    opening = _open(scene, chooser)
    sentences = [opening, _outcome(scene, chooser)]
    room = 5 - len(split_sentences(" ".join(sentences)))
    closing = [chooser.pick(phrases.SENSES), _thread(scene, chooser)]
    # All of it every time would sound like a form being filled in.
    kept = closing if chooser.number("length") % 3 else [closing[chooser.number("which") % 2]]
    return " ".join([*filter(None, sentences), *kept[: max(room, 1)]])


@dataclass(frozen=True, slots=True)
class Chooser:
    """Picks phrases by the turn's own fingerprint, and none that was used lately while others are left.

    The next seed picks the next phrase of each kind, so that a turn told again is told in other words.
    """

    scene: Scene
    fingerprint: str
    seed: int

    def number(self, what: str) -> int:
        digest = hashlib.sha256(f"{what}\0{self.fingerprint}".encode(errors="replace")).digest()
        return int.from_bytes(digest[:8]) + self.seed

    def pick(self, options: Sequence[str], **values: str) -> str:
        fresh = [option for option in options if _mark(option) not in self.scene.told]
        choices = fresh or options
        return choices[self.number(options[0]) % len(choices)].format(**values)

    def has_fresh(self, options: Sequence[str]) -> bool:
        return any(_mark(option) not in self.scene.told for option in options)


def _mark(phrase: str) -> str:
    """The longest stretch of a phrase that is the same whatever is filled in."""
    for placeholder in ("{thing}", "{who}", "{name}", "{words}"):
        phrase = phrase.replace(placeholder, "\0")
    return max(phrase.split("\0"), key=len)


def _open(scene: Scene, chooser: Chooser) -> str:
    if scene.mode is Mode.CONTINUE:
        return chooser.pick(phrases.CONTINUATIONS)
    words = shorten(scene.words)
    if scene.mode is Mode.DIALOGUE:
        return chooser.pick(phrases.SPEECH, words=_speech(words))
    if scene.mode is Mode.DIRECTION:
        return chooser.pick(phrases.DIRECTIONS, words=_ended(turn_person(words) or "it goes on"))
    return _deed(words, chooser)


def _deed(words: str, chooser: Chooser) -> str:
    told = second_person(words)
    if is_question(told):
        return chooser.pick(phrases.QUESTIONS, words=told)
    if "you" not in told.lower():
        return chooser.pick(phrases.FRAMES, words=told)
    if told.startswith("You ") and chooser.number("lead") % 3 == 0 and chooser.has_fresh(phrases.LEADS):
        return chooser.pick(phrases.LEADS, words=f"you {told[4:]}")
    return told


def _outcome(scene: Scene, chooser: Chooser) -> str:
    if scene.mode in (Mode.CONTINUE, Mode.DIRECTION):
        return ""
    if scene.mode is Mode.DIALOGUE:
        return _answer(scene, chooser)
    if is_question(scene.words):
        return chooser.pick(phrases.ANSWERS_BY_NOBODY)
    intents = [
        (match.start(), name) for name, verbs in phrases.INTENTS if (match := verbs.search(scene.words))
    ]
    intent = min(intents)[1] if intents else "other"
    if intent == "talk" and scene.person:
        return _answer(scene, chooser)
    plain = (phrases.WITHOUT_THING.get(intent, ()), phrases.WITHOUT_THING["other"])
    about = (phrases.WITH_THING.get(intent, ()), phrases.WITH_THING["other"]) if scene.named else ()
    banks = [bank for bank in (*about, *plain) if bank]
    bank = next((bank for bank in banks if chooser.has_fresh(bank)), banks[0])
    thing = scene.named[chooser.number("thing") % len(scene.named)] if scene.named else ""
    return chooser.pick(bank, thing=thing)


def _answer(scene: Scene, chooser: Chooser) -> str:
    if scene.person and chooser.has_fresh(phrases.ANSWERS_BY_SOMEBODY):
        return chooser.pick(phrases.ANSWERS_BY_SOMEBODY, who=scene.person)
    return chooser.pick(phrases.ANSWERS_BY_NOBODY)


def _thread(scene: Scene, chooser: Chooser) -> str:
    """Something left open, from before where there is a before."""
    banks: list[tuple[Sequence[str], dict[str, str]]] = [(phrases.THREADS, {})]
    if scene.recent:
        thing = scene.recent[chooser.number("recent") % min(len(scene.recent), 6)]
        banks += [(phrases.THREADS_OF_THINGS, {"thing": thing})] * 2
    if scene.names:
        name = scene.names[chooser.number("name") % min(len(scene.names), 4)]
        banks.append((phrases.THREADS_OF_NAMES, {"name": name}))
    if scene.protagonist:
        banks.append((phrases.THREADS_OF_SELF, {"name": scene.protagonist}))
    fresh = [bank for bank in banks if chooser.has_fresh(bank[0])] or banks
    options, values = fresh[chooser.number("thread") % len(fresh)]
    return chooser.pick(options, **values)


def _speech(words: str) -> str:
    """``words`` in quotation marks, ready for "you say" to follow."""
    words = words.replace('"', "'").strip() or "…"
    if words.endswith("."):
        words = words[:-1] + ","
    elif not words.endswith(("!", "?", "…", ",")):
        words += ","
    return f"“{words}”"


def _ended(text: str) -> str:
    return text if text.endswith((".", "!", "?", "…")) else f"{text}."
