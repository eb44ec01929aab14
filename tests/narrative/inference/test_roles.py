"""Who narrates, by the settings."""

import pytest
from pytest_django import Settings

from narrative.inference.base import ChatRequest, GenerationOptions, ModelMissingError
from narrative.inference.roles import narrator_backend


@pytest.mark.parametrize(
    ("setting", "model", "override", "api", "named"),
    [
        ("auto", "", None, "rehearsal", "rehearsal"),
        ("auto", "mistral", None, "ollama", "mistral"),
        ("ollama", "", None, "ollama", ""),
        ("openai", "mistral", None, "openai", "mistral"),
        ("rehearsal", "mistral", None, "rehearsal", "rehearsal"),
        ("ollama", "mistral", "rehearsal", "rehearsal", "rehearsal"),
    ],
)
def test_the_narrator(
    settings: Settings, setting: str, model: str, override: str | None, api: str, named: str
) -> None:
    settings.INFERENCE_API, settings.INFERENCE_MODEL = setting, model
    backend, name = narrator_backend(api=override)
    assert (backend.api, name) == (api, named)


async def test_a_server_without_a_model_says_so_when_it_is_used(settings: Settings) -> None:
    settings.INFERENCE_API, settings.INFERENCE_MODEL = "ollama", ""
    settings.INFERENCE_URL = "http://127.0.0.1:1"
    backend, model = narrator_backend()
    request = ChatRequest(model, (), GenerationOptions(context_window=2048, max_output_tokens=100))
    with pytest.raises(ModelMissingError, match="STORYTELLER_MODEL"):
        await anext(backend.stream_chat(request))


def test_a_campaigns_own_model_is_a_chosen_one(settings: Settings) -> None:
    settings.INFERENCE_API, settings.INFERENCE_MODEL = "auto", ""
    backend, model = narrator_backend(model="mine")
    assert (backend.api, model) == ("ollama", "mine")
    settings.INFERENCE_MODEL = "theirs"
    assert narrator_backend(model="mine")[1] == "mine"
