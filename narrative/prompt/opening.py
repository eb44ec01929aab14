"""The prompt that asks for the opening of a story that does not exist yet. Pure."""

from dataclasses import dataclass
from pathlib import Path

from narrative.inference.base import Message
from narrative.prompt.sections import Section, StoryRules, system_sections
from narrative.prompt.window import MARGIN, MESSAGE_OVERHEAD, PROMPT_OVERHEAD

_ASKED = (Path(__file__).parent / "texts" / "opening.txt").read_text().strip()


@dataclass(frozen=True, slots=True)
class OpeningPrompt:
    """Its messages, and its size in tokens. ``reserve`` is what the reply may take."""

    messages: tuple[Message, ...]
    total: int
    reserve: int


def build_opening_prompt(rules: StoryRules, *, reply: int) -> OpeningPrompt:
    """What a turn's system message says, and one message that asks for the opening."""
    system = system_sections(rules)
    asked = Section.counted("player_input", _ASKED, "what is asked for")
    total = sum(section.tokens for section in (*system, asked)) + 2 * MESSAGE_OVERHEAD + PROMPT_OVERHEAD
    messages = (
        Message("system", "\n\n".join(section.text for section in system)),
        Message("user", asked.text),
    )
    return OpeningPrompt(messages, total, reply + MARGIN)
