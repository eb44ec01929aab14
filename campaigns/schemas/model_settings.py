"""What a campaign may set differently from the operator's settings."""

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, PlainSerializer, PlainValidator

from campaigns.schemas.base import CleanText, Input

Tokens = Annotated[int, Field(ge=0, le=200_000)]
Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Part = Literal[
    "always_include", "state", "knowledge", "canon", "reference", "inspiration", "memories", "summary"
]
_KEEP_ALIVE = re.compile(r"-?([0-9]{1,6}(\.[0-9]{1,3})?[smh]){1,3}")
_LONGEST_KEEP_ALIVE = 10_000_000
_LEVELS = ("low", "medium", "high")


def _require_name(text: str) -> str:
    """One line without anything that cannot be seen: what is hidden in a name hides what it names."""
    name = text.strip()
    if not name or not name.isprintable():
        raise ValueError("It must be one line with something to see in it, and nothing invisible.")
    return name


def _require_keep_alive(value: object) -> object:
    if isinstance(value, str) and _KEEP_ALIVE.fullmatch(value):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool) and -1 <= value <= _LONGEST_KEEP_ALIVE:
        return value
    raise ValueError("It must be a number of seconds (-1 for ever), or a time with its unit, such as 30m.")


def _require_reasoning(value: object) -> object:
    if isinstance(value, bool) or value in _LEVELS:
        return value
    raise ValueError("It must be true, false, “low”, “medium” or “high”.")


ModelName = Annotated[CleanText, Field(min_length=1, max_length=200), AfterValidator(_require_name)]
# How long a server keeps a model loaded.
KeepAlive = Annotated[
    int | float | str, PlainValidator(_require_keep_alive, json_schema_input_type=int | float | str)
]
# By hand: to a Literal, 1 is True.
Reasoning = Annotated[
    bool | Literal["low", "medium", "high"],
    PlainValidator(_require_reasoning, json_schema_input_type=bool | Literal["low", "medium", "high"]),
]


class ModelSettings(Input):
    """Overrides for one campaign. Null gives a value back to the operator's settings."""

    model: ModelName | None = None
    extractor_model: ModelName | None = None
    summarizer_model: ModelName | None = None
    context_window: int | None = Field(None, ge=512, le=2_000_000)
    max_output_tokens: int | None = Field(None, ge=16, le=200_000)
    reasoning: Reasoning | None = None
    reasoning_tokens: Tokens | None = None
    events: Literal["call", "block"] | None = None
    evidence: Literal["mark", "refuse", "off"] | None = None
    temperature: float | None = Field(None, ge=0, le=5, allow_inf_nan=False)
    top_p: float | None = Field(None, gt=0, le=1, allow_inf_nan=False)
    min_p: float | None = Field(None, ge=0, le=1, allow_inf_nan=False)
    repeat_penalty: float | None = Field(None, gt=0, le=5, allow_inf_nan=False)
    seed: int | None = Field(None, ge=-(2**31), lt=2**31)
    keep_alive: KeepAlive | None = None
    memory_interval: int | None = Field(None, ge=1, le=1_000)
    summary_interval: int | None = Field(None, ge=1, le=1_000)
    memory_top_k: int | None = Field(None, ge=0, le=100)
    shares: dict[Part, Share] | None = None


# What was set and nothing else. No return type is named, so that the documentation shows the model's fields.
ModelSettingsOut = Annotated[
    ModelSettings, PlainSerializer(lambda chosen: chosen.model_dump(exclude_unset=True, warnings=False))
]
