"""What is being checked, and what has been learnt of it so far."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from narrative.engine import EngineSettings
from narrative.inference.base import Backend, ModelDescription, ModelInfo, Usage
from narrative.inference.http import HttpClient
from narrative.inference.ollama import is_same_model
from narrative.inference.policy import Endpoint, parse_endpoint
from narrative.inference.roles import Connection, Role, build_backend, serve_role


@dataclass(frozen=True, slots=True)
class Tried:
    """How a reply came. Seconds are from the request on, as the player waits."""

    text: str
    first_seconds: float
    total_seconds: float
    has_thought: bool
    was_busy: bool
    estimated_tokens: int
    usage: Usage


@dataclass(slots=True)
class Subject:
    """Each look leaves here what a later one needs, so that nothing is asked for twice."""

    engine: EngineSettings
    models: list[ModelInfo] = field(default_factory=list)
    description: ModelDescription | None = None
    tried: Tried | None = None

    @property
    def connection(self) -> Connection:
        return self.engine.connection

    @property
    def backend(self) -> Backend:
        return serve_role(self.connection).backend

    @property
    def model(self) -> str:
        return serve_role(self.connection).model

    @property
    def endpoint(self) -> Endpoint:
        return parse_endpoint(self.engine.inference_url)

    @property
    def other_models(self) -> dict[str, list[Role]]:
        """Models that roles have of their own, each with its roles."""
        found: dict[str, list[Role]] = {}
        for role in (Role.EXTRACTOR, Role.SUMMARIZER):
            model = self.connection.model_of(role)
            if model != self.model:
                found.setdefault(model, []).append(role)
        return found

    def backend_for(self, api: str) -> Backend:
        return build_backend(self.connection, api)

    def client(self, url: str) -> HttpClient:
        """The client that the back ends speak through, at ``url``."""
        connection = self.connection
        return HttpClient(
            url=url,
            key=connection.key,
            timeouts=connection.timeouts,
            policy=connection.policy,
            ca_file=connection.ca_file,
        )

    def listed(self, model: str) -> ModelInfo | None:
        return next((info for info in self.models if is_same_model(info.name, model)), None)


def name_some(names: Sequence[str], most: int = 8) -> str:
    """A list for a sentence, cut where it gets long."""
    shown = ", ".join(names[:most])
    return f"{shown} and {len(names) - most:,} more" if len(names) > most else shown
