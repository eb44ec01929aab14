"""The settings page's form: what it shows, and reading it back.

A field holds what was saved here and is empty where nothing was; beside it stands what holds then. Emptying
it gives the value back to the environment.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from narrative.engine import EngineSettings
from narrative.schemas.engine import SettingsPatch

Choices = tuple[tuple[str, str], ...]

_APIS: Choices = (
    ("auto", "Automatic"),
    ("ollama", "Ollama"),
    ("openai", "Another server with OpenAI’s API"),
    ("rehearsal", "Rehearsal, without a server"),
)
_THINKING: Choices = (
    ("off", "Off"),
    ("on", "On"),
    ("low", "A little"),
    ("medium", "Some"),
    ("high", "A lot"),
)
_EVENTS: Choices = (
    ("call", "Ask after the narration"),
    ("block", "Let the narrator say it in the same reply"),
)
_EVIDENCE: Choices = (
    ("mark", "Apply it, and mark it"),
    ("refuse", "Refuse it"),
    ("off", "Apply it"),
)
_REASONING: dict[str, bool | str] = {"off": False, "on": True}


@dataclass(frozen=True, slots=True)
class Spec:
    """A setting on the page. ``kind`` says how its text is read."""

    name: str
    label: str
    hint: str = ""
    kind: str = "text"
    variable: str = ""
    choices: Choices = ()


@dataclass(frozen=True, slots=True)
class Group:
    title: str
    specs: tuple[Spec, ...]
    is_folded: bool = False


GROUPS = (
    Group(
        "Where the narrator is",
        (
            Spec(
                "inference_api",
                "Narrator",
                "Automatic is Ollama once a model is chosen, and rehearsal until then.",
                "choice",
                "STORYTELLER_INFERENCE_API",
                _APIS,
            ),
            Spec(
                "inference_url",
                "Address",
                "Of the model server. On this machine, or on one that the operator has allowed.",
                variable="STORYTELLER_INFERENCE_URL",
            ),
            Spec("model", "Model", "The name the server knows it by.", "model", "STORYTELLER_MODEL"),
        ),
    ),
    Group(
        "Window and length",
        (
            Spec(
                "context_window",
                "Context window",
                "Tokens that the model is given. More remember more of the story, and take more memory.",
                "whole",
                "STORYTELLER_CONTEXT_WINDOW",
            ),
            Spec(
                "max_output_tokens",
                "Longest reply",
                "In tokens; 600 are three or four paragraphs.",
                "whole",
                "STORYTELLER_MAX_OUTPUT_TOKENS",
            ),
        ),
    ),
    Group(
        "Thinking",
        (
            Spec("reasoning", "Think before writing", "For models that can.", "choice", "", _THINKING),
            Spec("reasoning_tokens", "Room for thinking", "Tokens, beside the reply’s own.", "whole"),
        ),
    ),
    Group(
        "What a turn changes",
        (
            Spec(
                "events",
                "How it is found out",
                "Asking takes a moment more, and works with small models too.",
                "choice",
                "STORYTELLER_EVENTS",
                _EVENTS,
            ),
            Spec(
                "evidence",
                "What the text does not say",
                "What a model proposes that neither the narration nor your words name.",
                "choice",
                "STORYTELLER_EVIDENCE",
                _EVIDENCE,
            ),
            Spec(
                "extractor_model",
                "Who is asked",
                "Another model than the narrator’s. Empty: the narrator’s own.",
                "model",
                "STORYTELLER_EXTRACTOR_MODEL",
            ),
        ),
    ),
    Group(
        "Sampling",
        (
            Spec("temperature", "Temperature", "Higher is wilder.", "decimal"),
            Spec("top_p", "Top p", "Only the likeliest words that make up this share.", "decimal"),
            Spec("min_p", "Min p", "No word less likely than this share of the likeliest.", "decimal"),
            Spec("repeat_penalty", "Repeat penalty", "Above 1, the same words come back less.", "decimal"),
            Spec("seed", "Seed", "The same seed and words give the same telling.", "whole"),
        ),
        is_folded=True,
    ),
    Group(
        "Loading, and models for other work",
        (
            Spec("keep_alive", "Keep the model loaded for", "Such as 30m, 2h, or -1 for always.", "duration"),
            Spec(
                "summarizer_model",
                "Model for summaries",
                "Empty: the narrator’s.",
                "model",
                "STORYTELLER_SUMMARIZER_MODEL",
            ),
        ),
        is_folded=True,
    ),
)
SPECS = {spec.name: spec for group in GROUPS for spec in group.specs}


@dataclass(frozen=True, slots=True)
class Shown:
    """A setting as the page shows it: what stands in its field, and what holds where that is empty."""

    spec: Spec
    text: str
    otherwise: str
    source: str
    error: str = ""

    @property
    def id(self) -> str:
        return f"setting-{self.spec.name}"


@dataclass(frozen=True, slots=True)
class Section:
    """A group as the page shows it."""

    group: Group
    settings: list[Shown]

    @property
    def wrong(self) -> list[Shown]:
        return [setting for setting in self.settings if setting.error]


@dataclass(frozen=True, slots=True)
class SettingsForm:
    """The fields as texts, and what is wrong with them."""

    texts: Mapping[str, str]
    errors: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of_saved(cls, saved: Mapping[str, Any]) -> "SettingsForm":
        return cls({name: _as_text(spec, saved.get(name)) for name, spec in SPECS.items()})

    @classmethod
    def of_posted(cls, posted: Mapping[str, Any]) -> "SettingsForm":
        """What was sent; a setting that is not among it stays as it is."""
        return cls({name: str(posted[name]).strip() for name in SPECS if name in posted})

    def read(self) -> tuple[dict[str, Any], dict[str, str]]:
        """The changes that it asks for, empty fields as None; and by field what cannot be one."""
        values = {name: _as_value(SPECS[name], text) for name, text in self.texts.items()}
        try:
            return SettingsPatch.model_validate(values).changes, {}
        except ValidationError as error:
            return {}, {str(fault["loc"][0]): _sentence(fault) for fault in error.errors()}

    def sections(self, below: EngineSettings) -> list[Section]:
        """What the page shows; ``below`` is what holds where nothing is saved here."""
        values = below.as_dict()
        return [
            Section(group, [self._shown(spec, values[spec.name]) for spec in group.specs]) for group in GROUPS
        ]

    def _shown(self, spec: Spec, below: Any) -> Shown:
        source = spec.variable if spec.variable and os.environ.get(spec.variable, "").strip() else ""
        otherwise = dict(spec.choices).get(_as_text(spec, below), _as_text(spec, below))
        return Shown(spec, self.texts.get(spec.name, ""), otherwise, source, self.errors.get(spec.name, ""))


def _as_text(spec: Spec, value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "on" if value else "off"
    return str(value)


def _as_value(spec: Spec, text: str) -> Any:
    """What a text says. What it cannot be is left as text, for the schema to refuse."""
    if not text:
        return None
    readers = {"whole": (int,), "decimal": (float,), "duration": (int, float)}
    for reader in readers.get(spec.kind, ()):
        try:
            return reader(text)
        except ValueError:
            continue
    return _REASONING.get(text, text) if spec.name == "reasoning" else text


def _sentence(fault: Any) -> str:
    if fault["type"] == "value_error":
        return str(fault["ctx"]["error"])
    bounds = {
        "greater_than_equal": "at least {ge}",
        "less_than_equal": "at most {le}",
        "greater_than": "above {gt}",
    }
    if fault["type"] in bounds:
        return f"It must be {bounds[fault['type']].format(**fault['ctx'])}."
    if fault["type"] in ("int_type", "float_type"):
        return "It must be a number."
    return f"{fault['msg']}."
