"""Which back end and which model serve a role. Building one opens no socket and checks nothing."""

from dataclasses import dataclass
from enum import StrEnum

from narrative.inference.base import Backend
from narrative.inference.http import HttpClient, Timeouts
from narrative.inference.ollama import OllamaBackend
from narrative.inference.one_at_a_time import OneAtATime
from narrative.inference.openai import OpenAIBackend
from narrative.inference.policy import EndpointPolicy
from narrative.inference.rehearsal import MODEL_NAME, RehearsalBackend


class Role(StrEnum):
    NARRATOR = "narrator"
    EXTRACTOR = "extractor"
    SUMMARIZER = "summarizer"


@dataclass(frozen=True, slots=True, kw_only=True)
class Connection:
    """How inference is reached, as it was chosen; ``models`` names one for each role that has its own."""

    api: str
    url: str
    key: str
    models: dict[Role, str]
    timeouts: Timeouts
    policy: EndpointPolicy
    ca_file: str
    rehearsal_rate: int

    @property
    def chosen_api(self) -> str:
        """The API that is meant: "auto" is rehearsal until a model is chosen, and Ollama from then on,
        whether it answers or not. A chosen model is never silently replaced."""
        if self.api != "auto":
            return self.api
        return "ollama" if self.models.get(Role.NARRATOR) else "rehearsal"

    def model_of(self, role: Role) -> str:
        """The role's model, or the narrator's; empty where none is chosen."""
        if self.chosen_api == "rehearsal":
            return MODEL_NAME
        return self.models.get(role) or self.models.get(Role.NARRATOR, "")


@dataclass(frozen=True, slots=True)
class Served:
    """A back end, and the model to ask it for. ``model`` is empty where none is chosen: asking then raises
    ModelMissingError."""

    backend: Backend
    model: str


def serve_role(connection: Connection, role: Role = Role.NARRATOR) -> Served:
    return Served(build_backend(connection, connection.chosen_api), connection.model_of(role))


def rehearsal(connection: Connection) -> Served:
    """The embedded narrator, whatever was chosen."""
    return Served(build_backend(connection, RehearsalBackend.api), MODEL_NAME)


def build_backend(connection: Connection, api: str) -> Backend:
    if api == RehearsalBackend.api:
        return RehearsalBackend(rate=connection.rehearsal_rate)
    client = HttpClient(
        url=connection.url,
        key=connection.key,
        timeouts=connection.timeouts,
        policy=connection.policy,
        ca_file=connection.ca_file,
    )
    if api == OpenAIBackend.api:
        return OneAtATime(OpenAIBackend(client), connection.url)
    if api == OllamaBackend.api:
        return OneAtATime(OllamaBackend(client), connection.url)
    raise ValueError(f"There is no inference API named {api!r}.")
