"""What is sent in to have something told, set or checked, and what is answered."""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, Field

from campaigns.schemas.base import Input, Page
from campaigns.schemas.campaigns import ProfileIn, ProtagonistIn
from campaigns.schemas.canon import CanonIn
from campaigns.schemas.model_settings import ModelName, ModelSettings
from narrative.checkup import CheckLine, Status
from narrative.engine import EngineSettings
from narrative.narrator_status import NarratorStatus, State


class RetryIn(Input):
    """``request_id`` is the caller's own name for this submission: sent again, it tells nothing twice."""

    request_id: str | None = None


class SubmissionIn(RetryIn):
    mode: str
    text: str = ""


class StopIn(Input):
    keep: bool = True


class OpeningIn(Input):
    profile: ProfileIn = ProfileIn()
    protagonist: ProtagonistIn = ProtagonistIn()
    canon: CanonIn = CanonIn()


class OpeningOut(BaseModel):
    text: str


class CheckLineOut(BaseModel):
    """One line of a check. `advice` is empty where there is nothing to do."""

    id: str
    name: str
    status: Status
    detail: str
    advice: str


class CheckupOut(BaseModel):
    """`status` is the worst of the lines; a skipped one makes it no worse."""

    items: list[CheckLineOut]
    status: Status


def check_line_out(line: CheckLine) -> CheckLineOut:
    return CheckLineOut(
        id=line.id, name=line.name, status=line.status, detail=line.detail, advice=line.advice
    )


class SettingsPatch(ModelSettings):
    """Any of the settings. Null gives a value back to the environment."""

    inference_api: Literal["auto", "ollama", "openai", "rehearsal"] | None = None
    inference_url: Annotated[str, Field(max_length=2_000), AfterValidator(str.strip)] | None = None
    embeddings: Literal["embedded", "ollama", "openai", "off"] | None = None
    embedding_model: ModelName | None = None

    @property
    def changes(self) -> dict[str, Any]:
        return self.model_dump(exclude_unset=True)


class ActiveOut(BaseModel):
    """Who narrates, and how they are. `detail` is empty where all is well."""

    api: str
    model: str
    state: State
    detail: str


class SettingsOut(BaseModel):
    """The settings in force: those of the environment, and over them what was saved."""

    inference_api: str
    inference_url: str
    model: str
    extractor_model: str
    summarizer_model: str
    embeddings: str
    embedding_model: str
    context_window: int
    max_output_tokens: int
    reasoning: bool | Literal["low", "medium", "high"]
    reasoning_tokens: int
    events: str
    evidence: str
    temperature: float
    top_p: float
    min_p: float
    repeat_penalty: float
    seed: int | None
    keep_alive: str | int | float
    memory_interval: int
    summary_interval: int
    memory_top_k: int
    shares: dict[str, float]
    active: ActiveOut


class ModelOut(BaseModel):
    """A model of the server. A remote one is passed on to somebody else's machine."""

    name: str
    remote: bool
    chosen: bool


class ModelsOut(Page[ModelOut]):
    """`api` is what the server speaks."""

    api: str


def settings_out(engine: EngineSettings, status: NarratorStatus) -> SettingsOut:
    active = ActiveOut(api=status.api, model=status.model, state=status.state, detail=status.detail)
    return SettingsOut(**engine.as_dict(), active=active)
