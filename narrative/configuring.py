"""Changing the settings: what may be saved, and that everybody looks anew afterwards."""

from collections.abc import Mapping
from typing import Any

from narrative.database import in_database
from narrative.engine import EngineSettings, check_endpoint, endpoint_policy, save_engine
from narrative.errors import EndpointRefusedError
from narrative.inference.base import RefusedByPolicyError
from narrative.inference.policy import is_remote_model_name
from narrative.narrator_status import forget_status
from narrative.warming import forget_warming

_MODELS = ("model", "extractor_model", "summarizer_model", "embedding_model")


async def change_settings(changes: Mapping[str, Any]) -> EngineSettings:
    """Save validated ``changes`` (None gives a value back to the environment) and return what holds then.

    Raises EndpointRefusedError where an address, or a model by its name, may not be used; nothing is saved.
    """
    if changes.get("inference_url") is not None:
        await check_endpoint(changes["inference_url"])
    _check_models(changes)
    engine = await in_database(save_engine)(changes)
    forget_status()
    forget_warming()
    return engine


def _check_models(changes: Mapping[str, Any]) -> None:
    policy = endpoint_policy()
    for field in _MODELS:
        name = changes.get(field) or ""
        try:
            policy.check_model(name, is_remote=is_remote_model_name(name))
        except RefusedByPolicyError as error:
            raise EndpointRefusedError(error.message, field=field) from error
