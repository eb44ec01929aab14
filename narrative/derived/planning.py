"""What a pass asks the summarizer next: the stretch that is due, and the request for its text. Reads only."""

from dataclasses import dataclass, replace

from campaigns.errors import InvalidError
from campaigns.models import Campaign
from narrative.derived.due import Stretch, deepest_eligible, due_memory, due_summary, stretch_of
from narrative.derived.status import Kind
from narrative.derived.writing import (
    MEMORY_TOKENS,
    MEMORY_WORDS,
    SUMMARY_RULE,
    SUMMARY_TOKENS,
    SUMMARY_WORDS,
    memory_messages,
    room_for_turns,
    summary_messages,
    told_as_text,
)
from narrative.engine import EngineSettings, read_engine
from narrative.inference.base import ChatRequest, Message, Priority
from narrative.inference.roles import Role, Served, serve_role
from narrative.models import Summary
from narrative.prompt.counting import Count, counter
from narrative.prompt.window import PastTurn
from narrative.token_ratios import read_ratio

# A note is to keep to the text.
_TEMPERATURE = 0.2
_TOO_MANY = (
    "So many turns do not fit the context window of the model that writes summaries. Choose fewer, or wait "
    "until the rolling summary has caught up."
)


@dataclass(frozen=True, slots=True)
class Work:
    """A stretch that is due, how its text is asked for, and how long it may be."""

    stretch: Stretch
    served: Served
    chat: ChatRequest
    words: int


def is_wanted(campaign_id: int, kind: Kind) -> bool:
    """Whether the settings leave any room in the prompt for what would be written."""
    engine = read_engine(Campaign.objects.get(pk=campaign_id))
    if kind == Kind.MEMORY:
        return bool(engine.shares["memories"] and engine.memory_top_k)
    return bool(engine.shares["summary"])


def plan_memory(campaign_id: int) -> Work | None:
    """The next memory that is due."""
    campaign = Campaign.objects.get(pk=campaign_id)
    engine = read_engine(campaign)
    stretch = due_memory(campaign, interval=engine.memory_interval)
    if stretch is None:
        return None
    served = serve_role(engine.connection, Role.SUMMARIZER)
    messages = memory_messages(
        [each.turn for each in stretch.told],
        protagonist=campaign.protagonist_name,
        budget=engine.context_window - MEMORY_TOKENS,
        count=counter(read_ratio(served.backend.api, served.model)),
    )
    return _work(engine, served, stretch, messages, tokens=MEMORY_TOKENS, words=MEMORY_WORDS)


def plan_summary(campaign_id: int) -> Work | None:
    """The next rolling summary that is due."""
    campaign = Campaign.objects.get(pk=campaign_id)
    summarizer = _Summarizer.of(campaign)
    stretch = due_summary(campaign, interval=summarizer.engine.summary_interval, fits=summarizer.fits)
    return None if stretch is None else summarizer.work(campaign, stretch)


def plan_asked(campaign_id: int, kind: Summary.Type, first: int, last: int) -> Work:
    """A summary that the player asked for. Raises InvalidError where it cannot be had."""
    campaign = Campaign.objects.get(pk=campaign_id)
    if not 0 <= first <= last <= campaign.head_depth:
        raise InvalidError(
            f"Choose turns from 0 to {campaign.head_depth}, the first one first.", field="from"
        )
    summarizer = _Summarizer.of(campaign)
    before = None
    if kind == Summary.Type.CAMPAIGN:
        rolling = Summary.objects.filter(is_cleared=False).exclude(type=Summary.Type.TURN_RANGE)
        before = deepest_eligible(rolling, campaign.head)
    if before is not None and before.depth >= last:
        before = None
    stretch = stretch_of(campaign, first if before is None else before.depth + 1, last, before)
    if not summarizer.fits([each.turn for each in stretch.told]):
        raise InvalidError(_TOO_MANY, field="from")
    return summarizer.work(campaign, stretch)


@dataclass(frozen=True, slots=True)
class _Summarizer:
    """Who writes summaries, and how much may be shown at once."""

    engine: EngineSettings
    served: Served
    count: Count

    @classmethod
    def of(cls, campaign: Campaign) -> "_Summarizer":
        engine = read_engine(campaign)
        served = serve_role(engine.connection, Role.SUMMARIZER)
        return cls(engine, served, counter(read_ratio(served.backend.api, served.model)))

    @property
    def budget(self) -> int:
        return self.engine.context_window - SUMMARY_TOKENS

    def fits(self, turns: list[PastTurn]) -> bool:
        # The summary before them is taken to be as long as one may be.
        room = room_for_turns(SUMMARY_RULE, "", budget=self.budget - SUMMARY_TOKENS, count=self.count)
        return sum(self.count(text) for text in told_as_text(turns)) <= room

    def work(self, campaign: Campaign, stretch: Stretch) -> Work:
        messages = summary_messages(
            "" if stretch.before is None else stretch.before.text,
            [each.turn for each in stretch.told],
            protagonist=campaign.protagonist_name,
            budget=self.budget,
            count=self.count,
        )
        return _work(self.engine, self.served, stretch, messages, tokens=SUMMARY_TOKENS, words=SUMMARY_WORDS)


def _work(
    engine: EngineSettings,
    served: Served,
    stretch: Stretch,
    messages: tuple[Message, ...],
    *,
    tokens: int,
    words: int,
) -> Work:
    options = replace(
        engine.options, max_output_tokens=tokens, reasoning=False, temperature=_TEMPERATURE, seed=None
    )
    chat = ChatRequest(served.model, messages, options, priority=Priority.BACKGROUND)
    return Work(stretch, served, chat, words)
