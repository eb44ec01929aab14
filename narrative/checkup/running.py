"""The order of a check, and what each look stands on."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass

from narrative.checkup.lines import CheckLine, Finding, Status, failure
from narrative.checkup.looking import (
    look_at_address,
    look_at_model,
    look_at_other_models,
    look_at_thinking,
    look_at_window,
    look_for_server,
)
from narrative.checkup.rehearsing import introduce_rehearsal, look_for_another_narrator
from narrative.checkup.subject import Subject
from narrative.checkup.trying import compare_counts, try_sentence, try_structure
from narrative.engine import EngineSettings
from narrative.inference.base import InferenceError

_Look = Callable[[Subject], Awaitable[Finding]]


@dataclass(frozen=True, slots=True)
class PlannedLine:
    id: str
    name: str


@dataclass(frozen=True, slots=True)
class _Step:
    id: str
    name: str
    look: _Look
    # The step that has to succeed first.
    needs: str = ""
    # Why what needs this one is skipped where it failed.
    without: str = ""


_ADDRESS = _Step("address", "Address", look_at_address, "", "the address cannot be used")
_SERVER = _Step("server", "Model server", look_for_server, "address", "the server does not answer")
_MODEL = _Step("model", "Model", look_at_model, "server", "there is no model to ask")
_OTHERS = _Step("other_models", "Other models", look_at_other_models, "server")
_WINDOW = _Step("window", "Context window", look_at_window, "model")
_SENTENCE = _Step("sentence", "A sentence", try_sentence, "model", "the model wrote nothing")
_COUNTS = _Step("tokens", "Reading", compare_counts, "sentence")
_STRUCTURE = _Step("structure", "Answers as data", try_structure, "sentence")
_THINKING = _Step("thinking", "Thinking", look_at_thinking, "model")

_REHEARSAL = (
    _Step("server", "Model server", look_for_another_narrator),
    _Step("model", "Narrator", introduce_rehearsal),
    _Step("sentence", "A sentence", try_sentence),
)


def plan_checkup(engine: EngineSettings) -> list[PlannedLine]:
    """The lines that a check will have, in order."""
    return [PlannedLine(step.id, step.name) for step in _steps(Subject(engine))]


async def run_checkup(engine: EngineSettings) -> AsyncGenerator[CheckLine, None]:
    """Check the narrator of these settings, one line after the other, each yielded as soon as it is known.

    Closing the generator ends whatever is being asked of the server. What goes wrong at the server is a line;
    anything else rises.
    """
    subject = Subject(engine)
    missing: dict[str, str] = {}
    for step in _steps(subject):
        reason = missing.get(step.needs)
        finding = await _look(step, subject) if reason is None else _skipped(reason)
        if reason is not None:
            missing[step.id] = reason
        elif finding.status == Status.FAILED:
            missing[step.id] = step.without
        yield CheckLine(step.id, step.name, finding.status, finding.detail, finding.advice)


def _steps(subject: Subject) -> tuple[_Step, ...]:
    if subject.connection.chosen_api == "rehearsal":
        return _REHEARSAL
    others = (_OTHERS,) if subject.other_models else ()
    return (_ADDRESS, _SERVER, _MODEL, *others, _WINDOW, _SENTENCE, _COUNTS, _STRUCTURE, _THINKING)


async def _look(step: _Step, subject: Subject) -> Finding:
    try:
        return await step.look(subject)
    except InferenceError as error:
        return failure(error)


def _skipped(reason: str) -> Finding:
    return Finding(Status.SKIPPED, f"Not checked, because {reason}.")
