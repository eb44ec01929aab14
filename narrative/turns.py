"""One turn: prepared from a stored submission, committed or failed. What happens between is the stream's
(narrative/streaming.py). All here is plain and synchronous; each function is one short transaction at most.
"""

from contextlib import suppress
from dataclasses import asdict, dataclass, replace

from django.db import transaction

from campaigns.errors import StoryError
from campaigns.models import Campaign, Take, Turn, TurnRequest
from campaigns.services import requests
from campaigns.services.writing import Narration
from narrative.engine import read_engine
from narrative.inference.base import Backend, ChatRequest, Finished
from narrative.inference.rehearsal import RehearsalBackend
from narrative.inference.roles import Role, serve_role
from narrative.models import PromptRecord, Proposal
from narrative.prompt_ahead import build_ahead
from narrative.prompt_records import store_record
from narrative.proposing import Extraction, plan_extraction
from narrative.state.extraction import Separated
from narrative.state.review import Demand
from narrative.state_records import Proposed, settle_take
from narrative.token_ratios import learn_ratio

_STORY = Proposal.Source.ACCEPTED_STORY
_KEPT = "The narration was kept before it had come to its end, so nobody was asked what it changed."


@dataclass(frozen=True, slots=True)
class PreparedTurn:
    """A stored prompt, who is to be asked, and how its events are asked for where the reply brings none."""

    backend: Backend
    chat: ChatRequest
    extraction: Extraction
    demand: Demand
    # The prompt's tokens as they are estimated here, for comparing with what the server counts.
    estimated: int


@dataclass(frozen=True, slots=True)
class Reply:
    """What a narrator sent."""

    text: str
    reasoning: str
    finished: Finished
    # What stood in it beside the prose.
    separated: Separated


def prepare_turn(request_id: int) -> PreparedTurn:
    """Build the prompt of a submission and store it, before anything is sent.

    Raises ContextOverflowError, or an InferenceError where no narrator can be asked.
    """
    request = TurnRequest.objects.select_related("campaign", "replaces__live_take").get(pk=request_id)
    engine = read_engine(request.campaign)
    ahead = build_ahead(request, engine)
    prompt, narrator, options = ahead.prompt, ahead.narrator, engine.options
    is_rehearsal = narrator.backend.api == RehearsalBackend.api
    if is_rehearsal and options.seed is None and request.replaces is not None:
        # The rehearsal narrator says the same to the same words; told again, it should say something else.
        options = replace(options, seed=request.replaces.takes.count())
    with transaction.atomic():
        requests.name_narrator(request_id=request_id, backend=narrator.backend.api, model=narrator.model)
        store_record(ahead.document(options), request=request)
    chat = ChatRequest(narrator.model, prompt.messages, options, estimated_prompt_tokens=prompt.total)
    extractor = serve_role(engine.connection, Role.EXTRACTOR) if not _is_stand_in(request) else narrator
    extraction = plan_extraction(extractor, chat, ahead.state)
    return PreparedTurn(narrator.backend, chat, extraction, demand_of(engine.evidence), prompt.estimated)


def _is_stand_in(request: TurnRequest) -> bool:
    """Whether the rehearsal narrator tells this one turn in the chosen one's place."""
    return request.backend == RehearsalBackend.api


def commit_turn(request_id: int, prepared: PreparedTurn, reply: Reply, proposed: Proposed) -> TurnRequest:
    """The turn's one transaction: turn or take, head, state with its proposal and events, prompt record and
    request, or nothing of it.

    Raises HeadMovedError and RequestFailedError.
    """
    finish = Take.Finish.LENGTH if reply.finished.reason == "length" else Take.Finish.COMPLETE
    narration = Narration(
        text=reply.text.strip(),
        origin=Take.Origin.GENERATED,
        finish=finish,
        reasoning=reply.reasoning.strip(),
        backend=prepared.backend.api,
        model=prepared.chat.model,
        generation_settings=asdict(prepared.chat.options),
        usage=asdict(reply.finished.usage),
    )
    with transaction.atomic():
        request = requests.accept_request(request_id=request_id, narration=narration)
        _hand_over_record(request)
        learn_ratio(
            prepared.backend.api,
            prepared.chat.model,
            estimated=prepared.estimated,
            reported=reply.finished.usage.prompt_tokens,
        )
        _settle(request, proposed, prepared.demand)
    return request


def stop_turn(request_id: int, *, text: str, reasoning: str, keep: bool) -> None:
    """End a running submission at the player's word. What had arrived becomes its narration if it is to be
    kept and can be; else it stays with the request."""
    with transaction.atomic():
        requests.stop_request(request_id=request_id, partial=text, reasoning=reasoning)
        if keep and text.strip():
            campaign_id = TurnRequest.objects.values_list("campaign_id", flat=True).get(pk=request_id)
            with suppress(StoryError):
                keep_turn(campaign_id=campaign_id, request_id=request_id)


def keep_turn(*, campaign_id: int, request_id: int) -> TurnRequest:
    """Make what had arrived of a stopped or failed submission its narration, with the prompt it answered."""
    with transaction.atomic():
        request = requests.keep_partial(campaign_id=campaign_id, request_id=request_id)
        _hand_over_record(request)
        _settle(request, Proposed(way=None, source=_STORY, note=_KEPT), "mark")
    return request


def speed_of_last_turn(campaign: Campaign) -> float | None:
    """Tokens a second of the turn at the head, as its server reported it; None where it did not."""
    head = campaign.head
    turns = Turn.objects.filter(branch_id=head.branch_id, depth=head.depth)
    usage = turns.values_list("live_take__usage", flat=True).first() or {}
    tokens, seconds = usage.get("output_tokens"), usage.get("output_seconds")
    return tokens / seconds if tokens and seconds else None


def _settle(request: TurnRequest, proposed: Proposed, demand: Demand) -> None:
    if request.take is None:
        raise ValueError(f"Request {request.pk} was accepted without a take.")
    settle_take(campaign=request.campaign, take=request.take, proposed=proposed, demand=demand)


def plan_for_words(campaign: Campaign, turn: Turn) -> Extraction:
    """The call that asks what words changed that the player wrote for a turn, or that were told without an
    answer: on the prompt that the turn would have now. Raises ContextOverflowError."""
    engine = read_engine(campaign)
    unsent = TurnRequest(
        campaign=campaign,
        kind=TurnRequest.Kind.RETRY,
        mode=turn.mode or Turn.Mode.CONTINUE,
        text=turn.input,
        branch_id=campaign.head.branch_id,
        depth=campaign.head_depth,
        replaces=turn,
    )
    ahead = build_ahead(unsent, engine, asks_events=True)
    served = serve_role(engine.connection, Role.EXTRACTOR)
    chat = ChatRequest(
        served.model, ahead.prompt.messages, engine.options, estimated_prompt_tokens=ahead.prompt.total
    )
    return plan_extraction(served, chat, ahead.state)


def demand_of(evidence: str) -> Demand:
    return "refuse" if evidence == "refuse" else "off" if evidence == "off" else "mark"


def _hand_over_record(request: TurnRequest) -> None:
    PromptRecord.objects.filter(request=request).update(take_id=request.take_id)
