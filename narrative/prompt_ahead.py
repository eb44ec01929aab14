"""The prompt that a turn would be told with now: everything it is made of, gathered from the story.

A turn that is told, a dry run and a question about a turn's changes all come through here, so that what is
shown beforehand is what is sent.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from campaigns.models import Branch, Turn, TurnRequest
from campaigns.path import Position
from campaigns.selectors import told_takes
from narrative.derived.due import deepest_eligible
from narrative.engine import EngineSettings
from narrative.inference.base import GenerationOptions, Message
from narrative.inference.rehearsal import RehearsalBackend
from narrative.inference.roles import Served, rehearsal, serve_role
from narrative.models import DerivedStatus, PromptRecord, Summary
from narrative.prompt.builder import MemoryAhead, StateAhead, TokenLimits, build_prompt, history_end
from narrative.prompt.counting import counter
from narrative.prompt.record import Prompt, record_document
from narrative.prompt.remembered import Recall, Recalled, SummaryInForce
from narrative.prompt_records import read_record
from narrative.proposing import EXTRACTION_TOKENS
from narrative.recall import SceneWords, recall
from narrative.state_ahead import read_ahead
from narrative.token_ratios import read_ratio


@dataclass(frozen=True, slots=True)
class PromptAhead:
    """A prompt, who would be asked with it, and the state that it was made from. ``health`` is how the making
    of memories and summaries goes."""

    prompt: Prompt
    narrator: Served
    state: StateAhead
    health: tuple[Mapping[str, Any], ...]

    def document(self, options: GenerationOptions) -> dict[str, Any]:
        """The record of the prompt as it is sent with ``options``."""
        return record_document(self.prompt, model=self.narrator.model, options=options, derived=self.health)


def build_ahead(
    request: TurnRequest, engine: EngineSettings, *, asks_events: bool | None = None
) -> PromptAhead:
    """The prompt of a submission, which need not be stored. Writes nothing.

    ``asks_events`` says that the narrator is asked for the events afterwards, whatever the settings say of
    it. Raises ContextOverflowError.
    """
    # Rehearsal on a request that was not told yet is the player's choice for this turn alone.
    is_rehearsed = request.backend == RehearsalBackend.api
    narrator = rehearsal(engine.connection) if is_rehearsed else serve_role(engine.connection)
    is_block = engine.events == "block" if asks_events is None else not asks_events
    ratio = read_ratio(narrator.backend.api, narrator.model)
    limits = TokenLimits(
        window=engine.context_window,
        reply=engine.options.reply_tokens,
        extraction=0 if is_block else EXTRACTION_TOKENS,
        words=engine.max_output_tokens,
        state_share=engine.shares["state"],
        summary_share=engine.shares["summary"],
        memories_share=engine.shares["memories"],
        ratio=ratio,
    )
    state = read_ahead(request, is_block=is_block)
    remembered = read_memory(request, engine, state, ratio=ratio)
    prompt = build_prompt(request, limits=limits, ahead=state, remembered=remembered)
    health = DerivedStatus.objects.filter(campaign=request.campaign).order_by("pk")
    told = health.values("kind", "status", "detail", "failures")
    return PromptAhead(prompt, narrator, state, tuple(told))


def read_memory(
    request: TurnRequest, engine: EngineSettings, state: StateAhead, *, ratio: float
) -> MemoryAhead:
    """What is remembered on the path to where a submission will stand, and how the prompt before it began."""
    end = history_end(request)
    before = _record_before(request, end)
    messages = [] if before is None else before["messages"]
    return MemoryAhead(
        summary=summary_in_force(end),
        recall=_recall(request, engine, state, end, ratio),
        previous=tuple(Message(each["role"], each["content"]) for each in messages),
        history_start=None if before is None else before["history"].get("from"),
    )


def summary_in_force(end: Position) -> SummaryInForce | None:
    """The deepest summary that is eligible on the path to a position and, of those, the newest."""
    told = Summary.objects.filter(is_cleared=False).exclude(type=Summary.Type.TURN_RANGE)
    found = deepest_eligible(told, end)
    return None if found is None else _in_force(found)


def _in_force(summary: Summary) -> SummaryInForce:
    return SummaryInForce(
        id=summary.pk,
        type=summary.type,
        trigger=summary.trigger,
        branch=summary.branch_id,
        first_depth=summary.first_depth,
        depth=summary.depth,
        model=summary.model,
        text=summary.text,
    )


def _recall(
    request: TurnRequest, engine: EngineSettings, state: StateAhead, end: Position, ratio: float
) -> Recall:
    """The search for memories that this scene calls for, to be made when it is known what they may cost."""
    document, scene = state.document, state.document.scene
    present = [document.entities[key] for key in scene.present if key in document.entities]
    words = SceneWords(
        text=state.told,
        input=request.text,
        names=tuple(name for entity in present for name in (entity.name, *entity.aliases)),
        threads=tuple(thread.title for thread in document.threads.values() if thread.status == "open"),
    )

    def search(budget: int, is_said: Callable[[str], bool]) -> Recalled:
        return recall(
            request.campaign,
            end=end,
            scene=words,
            top_k=engine.memory_top_k,
            budget=budget,
            count=counter(ratio),
            is_said=is_said,
        )

    return search


def _record_before(request: TurnRequest, end: Position) -> dict[str, Any] | None:
    """The record of the prompt that this one should begin like: of the take that is told anew, or of the
    turn before."""
    turn = request.replaces if request.kind == TurnRequest.Kind.RETRY else None
    if turn is None and end.depth >= 0:
        path = Branch.objects.path_to(end, floor=end.depth)
        turn = Turn.objects.on_path(path.between(end.depth, end.depth)).select_related("live_take").first()
    if turn is None or turn.live_take is None:
        return None
    record = PromptRecord.objects.filter(take__in=told_takes(turn.live_take)).order_by("-pk").first()
    return None if record is None else read_record(record)
