"""The embedded narrator's stock of phrases. One sentence each; ``{thing}``, ``{who}``, ``{name}`` and
``{words}`` are filled in.

A thing may be plural ("the marks"), so no verb here has one for its subject.
"""

import re
from types import MappingProxyType

INTENTS = tuple(
    (intent, re.compile(rf"\b(?:{verbs})\b", re.IGNORECASE))
    for intent, verbs in (
        ("take", "take|grab|pick|pocket|lift|steal|gather|collect|get"),
        ("attack", "attack|strike|hit|stab|swing|shoot|fight|slash|kick|punch|draw|kill"),
        ("talk", "ask|say|tell|call|greet|shout|whisper|speak|answer|talk|beg|thank|promise"),
        ("open", "open|push|unlock|force|pry|break|pull|close|knock"),
        (
            "move",
            "go|walk|step|enter|follow|climb|run|head|cross|descend|return|leave|march|creep|sneak|jump",
        ),
        ("look", "look|search|examine|inspect|read|listen|study|watch|peer|explore|check|find|count|smell"),
        ("rest", "wait|rest|sit|sleep|eat|drink|breathe|stay|lie|pray"),
        ("give", "give|offer|hand|throw|drop|put|leave|place|pour|show|toss"),
    )
)

LEADS = (
    "For a breath nothing moves; then {words}",
    "There is no better moment, so {words}",
    "Before doubt can catch up, {words}",
    "With a glance over your shoulder, {words}",
    "You weigh it once, and {words}",
    "Quietly, as if the place were listening, {words}",
    "Your mind is made up: {words}",
    "One thing at a time: {words}",
)
FRAMES = (
    "You set your mind on it: {words}",
    "There is only one thing for it now: {words}",
    "You give it everything you have: {words}",
    "The thought takes hold of you and becomes a deed: {words}",
)
QUESTIONS = (
    "You turn the question over: {words}",
    "The question will not leave you: {words}",
    "You put it to the quiet around you: {words}",
    "It is a fair thing to wonder: {words}",
)
SPEECH = (
    "{words} you say.",
    "{words} you say, and hear how it sounds.",
    "You clear your throat. {words} you say.",
    "{words} you say, louder than you meant to.",
    "{words} you say, choosing each word.",
    "{words} you say into the stillness.",
)
DIRECTIONS = (
    "The story leans the way you wanted: {words}",
    "And so the tale bends: {words}",
    "Something shifts, as you would have it: {words}",
    "The next page is written to your wish: {words}",
    "From here the story takes this turn: {words}",
)
CONTINUATIONS = (
    "A moment passes, and then a longer one.",
    "Time moves on without asking you.",
    "You let things take their course.",
    "For a while you only stand and take it in.",
    "The moment stretches, and you stretch with it.",
    "Nothing hurries you, and so you do not hurry.",
    "Little by little the scene rearranges itself around you.",
    "You stay where you are, and the world does the moving.",
    "One breath follows another, and the hour turns.",
    "What comes next comes slowly, and you let it.",
    "The light has shifted by the time you notice yourself again.",
    "You wait, and waiting turns out to be a way of going on.",
)

WITH_THING = MappingProxyType(
    {
        "take": (
            "The weight of the {thing} surprises you, and then it belongs to your hands.",
            "Nobody claims the {thing}, at least not yet.",
            "You turn the {thing} over once before you trust your grip.",
            "There is dust on the {thing}, and your fingers leave clean tracks in it.",
        ),
        "attack": (
            "You cannot tell yet whether the {thing} or your nerve gave way first.",
            "For an instant there is nothing in the world but the {thing}.",
            "It comes down to you and the {thing}, and you are the one still standing.",
        ),
        "open": (
            "You feel the {thing} give by a finger's breadth, and colder air comes through.",
            "Something behind the {thing} shifts when you do it.",
            "It takes more strength than you expected to move the {thing}.",
            "A little grit falls from the {thing} and ticks across the floor.",
        ),
        "move": (
            "From here the {thing} can be seen from another side, and it changes what you thought of it.",
            "Your steps sound different as you come nearer to the {thing}.",
            "You reach the {thing} sooner than you expected.",
            "The way to the {thing} is clear, which is not the same as safe.",
        ),
        "look": (
            "The longer you look at the {thing}, the more there is to see.",
            "Close to, there are the marks of somebody's hands on the {thing}.",
            "You find one small thing wrong about the {thing}, and cannot put it down again.",
            "Your eyes go over the {thing} twice, and the second time they stop.",
        ),
        "give": (
            "Your hand feels oddly light without the {thing}.",
            "You watch what becomes of the {thing}, and wait for somebody to notice.",
            "It is done, and the {thing} will have to speak for itself.",
        ),
        "other": (
            "Whatever you meant for the {thing}, it has begun.",
            "You keep your attention on the {thing}, and the rest falls away.",
            "It works as far as it goes, and the {thing} will show the rest in time.",
            "Some part of you had expected more trouble from the {thing}.",
            "You have changed something about the {thing}, though it is too early to say what.",
        ),
    }
)
WITHOUT_THING = MappingProxyType(
    {
        "take": (
            "Your hand closes, and what it closes on stays with you.",
            "It comes away more easily than it should.",
        ),
        "attack": (
            "You hit less than you hoped and more than you feared.",
            "Your pulse is loud in your ears when it is over.",
            "Whatever was there has the sense to draw back.",
        ),
        "talk": (
            "The words are out now, and cannot be called back.",
            "You listen for an answer, and hear at least that you were heard.",
            "It is some time before the silence after it feels ordinary again.",
        ),
        "open": (
            "It gives a little, complains, and gives the rest.",
            "A seam of darkness widens in front of you.",
        ),
        "move": (
            "The ground is uneven, and you go by feel as much as by sight.",
            "Distance here is hard to judge, but some of it is behind you now.",
            "Nobody bars your way.",
            "Each step makes the next one easier.",
        ),
        "look": (
            "There is more here than the first glance gave you.",
            "At first you see nothing, and then a pattern in the nothing.",
            "One detail stands out, and you put it away for later.",
        ),
        "rest": (
            "The stillness does you more good than you would admit.",
            "You feel a little steadier for it.",
            "No one disturbs you, which is a kind of luck.",
        ),
        "other": (
            "Nothing stops you, and nothing answers yet.",
            "It goes as well as such things go.",
            "If it changed anything, the change is a quiet one.",
            "You are not sure it worked, but you are sure that you did it.",
            "The world takes note of it in its own slow way.",
            "That much is done, and it will have its consequences.",
            "It costs you a little breath and nothing else.",
            "You feel the moment tip, very slightly, in your favour.",
        ),
    }
)
ANSWERS_BY_SOMEBODY = (
    "You watch the {who} weigh it before anything is said in return.",
    "Something in the manner of the {who} softens by a hair.",
    "There is no quick reply from the {who}, only a look that lasts too long.",
    "You cannot read the face of the {who}, but you have its attention.",
    "A short nod from the {who} is all the answer you get, and perhaps all you need.",
    "You sense that the {who} had expected you to say something else.",
)
ANSWERS_BY_NOBODY = (
    "The words hang there a while before the quiet closes over them.",
    "No answer comes, but something nearby stops to listen.",
    "Your voice comes back to you a little changed.",
    "It needed saying, and now it has been said.",
    "If anyone heard, they keep it to themselves for now.",
    "You wait for a reply until waiting becomes one.",
    "Somewhere close, a small sound breaks off in the middle.",
)

SENSES = (
    "The air smells of cold iron and old smoke.",
    "Somewhere water drips at the pace of a slow clock.",
    "A draught finds the back of your neck.",
    "The light is thin and comes from low down, making long shadows of small things.",
    "You can taste rain, though none is falling yet.",
    "Far off, a bell counts something, and stops before you can follow it.",
    "The floor holds the cold, and passes it on through your soles.",
    "There is a smell of damp wool and candle fat.",
    "A loose board or a loose stone settles with a click.",
    "Dust turns in the light as if it were being read.",
    "The wind leans on the walls and lets go again.",
    "Your own breathing seems louder than it was.",
    "Something small runs along the edge of things and is gone.",
    "The quiet has a grain to it, like wood.",
    "A warm smell of bread or of bodies comes and goes.",
    "Shadows gather in the corners and pretend to be furniture.",
    "You notice that your hands are cold.",
    "The colour has gone out of the sky, or what you can see of it.",
    "A bird calls twice, the second time from nearer by.",
    "There is salt in the air, and under it something sweeter.",
    "The dark beyond the light keeps its distance, but only just.",
    "A faint hum reaches you, felt rather than heard.",
    "Ash or snow, some pale thing, drifts past and does not settle.",
    "Everything close by looks sharper than it did a moment ago.",
)
THREADS_OF_THINGS = (
    "You have not forgotten the {thing}.",
    "Your thoughts go back to the {thing}, and to what you left undone there.",
    "More and more it seems to you that the {thing} matters.",
    "Sooner or later you will have to come back to the {thing}.",
    "There was something about the {thing} that you should have asked.",
    "You wonder who else knows of the {thing}.",
    "If there is an answer here, the {thing} may be part of it.",
    "For no good reason you think of the {thing} again.",
)
THREADS_OF_NAMES = (
    "The name {name} comes to your mind, and stays there.",
    "You wonder what {name} has to do with all this.",
    "Nothing you have seen so far rules {name} out.",
    "Whatever this is, {name} belongs in it somewhere.",
    "You would give something to know more of {name}.",
)
THREADS_OF_SELF = (
    "You are {name}, and you have come too far to leave it at that.",
    "This is not how you had pictured it, {name}.",
    "If anyone tells of this later, it will be as something that {name} did.",
)
THREADS = (
    "What will you do with it?",
    "You have the feeling that the next choice will be a heavier one.",
    "There is a way forward, and there is still a way back.",
    "Something waits to be found here, and it is patient.",
    "You could stop now, and you know that you will not.",
    "Whoever was here before you did not leave long ago.",
    "One of the sounds you have been hearing has stopped.",
    "It would be a mistake to think you are alone.",
    "The hour is later than you thought.",
    "Somewhere ahead a door closes softly.",
    "You make a note of the way you came, in case.",
    "For the first time you notice how many ways lead out of here.",
)
