"""How stories are told: what the operator set in the environment, over it what was saved on the settings
page, over that what a campaign sets for itself.

Secrets, timeouts and the list of allowed endpoints come from the environment alone.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, Self

from django.conf import settings
from django.db import transaction

from campaigns.models import Campaign
from narrative.errors import EndpointRefusedError
from narrative.inference.base import GenerationOptions, InferenceError, Reasoning
from narrative.inference.http import HttpClient, Timeouts
from narrative.inference.policy import EndpointPolicy
from narrative.inference.roles import Connection, Role
from narrative.models import SavedSettings

# Shares of the budget; what each is a share of stands with the builder of prompts.
DEFAULT_SHARES = {
    "always_include": 0.20,
    "state": 0.30,
    "knowledge": 0.33,
    "canon": 1.0,
    "reference": 0.50,
    "inspiration": 0.25,
    "memories": 0.15,
    "summary": 0.10,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineSettings:
    """Every setting of the settings page, as it is in force."""

    inference_api: str
    inference_url: str
    model: str
    extractor_model: str
    summarizer_model: str
    embeddings: str
    embedding_model: str
    context_window: int
    max_output_tokens: int
    events: str
    evidence: str
    reasoning: Reasoning = False
    reasoning_tokens: int = 1000
    temperature: float = 0.8
    top_p: float = 0.95
    min_p: float = 0.05
    repeat_penalty: float = 1.05
    seed: int | None = None
    keep_alive: str | int | float = "30m"
    memory_interval: int = 4
    summary_interval: int = 8
    memory_top_k: int = 5
    shares: Mapping[str, float] = field(default_factory=lambda: DEFAULT_SHARES)

    def overridden(self, chosen: Mapping[str, Any]) -> Self:
        """These settings with what is ``chosen`` over them; a null, or a name not known here, changes
        nothing."""
        known = {name: value for name, value in chosen.items() if name in NAMES and value is not None}
        if "shares" in known:
            known["shares"] = {**self.shares, **known["shares"]}
        return replace(self, **known)

    @property
    def connection(self) -> Connection:
        return Connection(
            api=self.inference_api,
            url=self.inference_url,
            key=settings.INFERENCE_KEY,
            models={
                Role.NARRATOR: self.model,
                Role.EXTRACTOR: self.extractor_model,
                Role.SUMMARIZER: self.summarizer_model,
            },
            timeouts=Timeouts(
                first_token=float(settings.FIRST_TOKEN_TIMEOUT), between_tokens=float(settings.TOKEN_TIMEOUT)
            ),
            policy=endpoint_policy(),
            ca_file=settings.CA_FILE,
            rehearsal_rate=settings.REHEARSAL_RATE,
        )

    @property
    def options(self) -> GenerationOptions:
        return GenerationOptions(
            context_window=self.context_window,
            max_output_tokens=self.max_output_tokens,
            reasoning=self.reasoning,
            reasoning_tokens=self.reasoning_tokens,
            temperature=self.temperature,
            top_p=self.top_p,
            min_p=self.min_p,
            repeat_penalty=self.repeat_penalty,
            seed=self.seed,
            keep_alive=str(self.keep_alive),
        )

    def as_dict(self) -> dict[str, Any]:
        return asdict(self) | {"shares": dict(self.shares)}


NAMES = frozenset(each.name for each in fields(EngineSettings))


def endpoint_policy() -> EndpointPolicy:
    return EndpointPolicy.from_entries(settings.ALLOWED_ENDPOINTS)


def environment_settings() -> EngineSettings:
    """What holds where nothing was saved."""
    return EngineSettings(
        inference_api=settings.INFERENCE_API,
        inference_url=settings.INFERENCE_URL,
        model=settings.INFERENCE_MODEL,
        extractor_model=settings.EXTRACTOR_MODEL,
        summarizer_model=settings.SUMMARIZER_MODEL,
        embeddings=settings.EMBEDDINGS,
        embedding_model=settings.EMBEDDING_MODEL,
        context_window=settings.CONTEXT_WINDOW,
        max_output_tokens=settings.MAX_OUTPUT_TOKENS,
        events=settings.EVENTS,
        evidence=settings.EVIDENCE,
    )


def read_saved() -> dict[str, Any]:
    """What was saved on the settings page, and nothing else."""
    row = SavedSettings.objects.first()
    return {} if row is None else row.values


def read_engine(campaign: Campaign | None = None) -> EngineSettings:
    """The settings in force, for a campaign if one is given. One query."""
    engine = environment_settings().overridden(read_saved())
    return engine if campaign is None else engine.overridden(campaign.settings)


async def check_endpoint(url: str) -> None:
    """Whether a model server may be at ``url``, by where it leads now. Raises EndpointRefusedError."""
    connection = replace(environment_settings(), inference_url=url).connection
    client = HttpClient(url, connection.timeouts, policy=connection.policy)
    try:
        await client.check_endpoint()
    except InferenceError as error:
        raise EndpointRefusedError(error.message) from error


def save_engine(changes: Mapping[str, Any]) -> EngineSettings:
    """Save ``changes`` over the environment, and return what is in force then. A null gives a value back to
    the environment. They have been validated; whether an address may be used is asked before
    (``check_endpoint``)."""
    with transaction.atomic():
        row = SavedSettings.objects.first() or SavedSettings()
        merged = {**row.values, **changes}
        row.values = {name: value for name, value in merged.items() if value is not None and name in NAMES}
        row.save()
    return read_engine()
