"""Having the narrator write the opening of a story that is not there yet. Nothing is stored."""

import re
import secrets
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from campaigns.texts import INPUT_LENGTH, clean_text, has_words, join_halves
from narrative.database import in_database
from narrative.engine import EngineSettings, read_engine
from narrative.errors import ContextOverflowError
from narrative.inference.base import BadResponseError, ChatRequest
from narrative.inference.completing import Completion, complete
from narrative.inference.rehearsal import RehearsalBackend
from narrative.inference.roles import Served, serve_role
from narrative.prompt.opening import build_opening_prompt
from narrative.prompt.sections import StoryRules

# As far as a sentence ends; the point in “3.5” ends none.
_SENTENCES = re.compile(r".*[.!?…][\"”’')*_]*(?=\s|\Z)", re.DOTALL)
_SEEDS = 2**31


async def narrate_opening(
    *,
    profile: Mapping[str, str],
    protagonist_name: str = "",
    protagonist_description: str = "",
    canon: Mapping[str, Any],
) -> str:
    """An opening for such a story, from whoever narrates. Raises InferenceError and ContextOverflowError."""
    rules = StoryRules(
        profile={name: _clean(text) for name, text in profile.items()},
        protagonist_name=_clean(protagonist_name),
        protagonist_description=_clean(protagonist_description),
        narrator_rules=(),
        canon={**canon, "rules": [line for rule in canon.get("rules", ()) if (line := _clean(rule))]},
        authors_note="",
    )
    served, request = await in_database(_prepare)(rules)
    return _as_opening(await complete(served.backend, request))


def _clean(text: str) -> str:
    """What is asked with, as a campaign made of the same words would keep it."""
    return clean_text(text).strip()


def _prepare(rules: StoryRules) -> tuple[Served, ChatRequest]:
    # All in the database's thread: to count a long brief takes a while, which streams must not wait for.
    engine = read_engine()
    served = serve_role(engine.connection)
    return served, _request(rules, engine, served)


def _request(rules: StoryRules, engine: EngineSettings, served: Served) -> ChatRequest:
    options = engine.options
    if served.backend.api == RehearsalBackend.api and options.seed is None:
        # The rehearsal narrator says the same to the same words, and "another one" should be another one.
        options = replace(options, seed=secrets.randbelow(_SEEDS))
    prompt = build_opening_prompt(rules, reply=options.reply_tokens)
    if prompt.total + prompt.reserve > options.context_window:
        raise ContextOverflowError(needed=prompt.total, window=options.context_window, reply=prompt.reserve)
    return ChatRequest(served.model, prompt.messages, options, estimated_prompt_tokens=prompt.total)


def _as_opening(completion: Completion) -> str:
    """The text as it can be an opening: within its length, and whole sentences where it was cut."""
    text = clean_text(join_halves(completion.text)).strip()
    is_cut = completion.is_cut or len(text) > INPUT_LENGTH
    text = text[:INPUT_LENGTH].rstrip()
    if is_cut and (whole := _SENTENCES.match(text)):
        text = whole[0]
    if not has_words(text):
        raise BadResponseError("The model sent no opening. Try again, or write one.")
    return text
