"""Changing the settings: what may be saved, and that everybody looks anew afterwards."""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from narrative.database import in_database
from narrative.engine import (
    EngineSettings,
    check_endpoint,
    endpoint_policy,
    environment_settings,
    read_saved,
    save_engine,
)
from narrative.errors import EndpointRefusedError
from narrative.inference.base import InferenceError, RefusedByPolicyError
from narrative.inference.ollama import is_same_model
from narrative.inference.policy import is_remote_model_name
from narrative.narrator_status import forget_status, list_offers
from narrative.warming import forget_warming

_MODELS = ("model", "extractor_model", "summarizer_model", "embedding_model")
# A server that takes longer to name its models is not waited for: each turn asks it again.
_PATIENCE_SECONDS = 3.0


async def change_settings(changes: Mapping[str, Any]) -> EngineSettings:
    """Save validated ``changes`` (None gives a value back to the environment) and return what holds then.

    Raises EndpointRefusedError where an address may not be used, or a model by its name or by what its server
    says of it; nothing is saved.
    """
    if changes.get("inference_url") is not None:
        await check_endpoint(changes["inference_url"])
    await _check_models(changes)
    engine = await in_database(save_engine)(changes)
    forget_status()
    forget_warming()
    return engine


async def _check_models(changes: Mapping[str, Any]) -> None:
    """Refuse models that run elsewhere, where the operator does not allow them."""
    names = {field: changes[field] for field in _MODELS if changes.get(field)}
    policy = endpoint_policy()
    if not names or policy.allows_remote_models:
        return
    remote = await _remote_models(changes)
    for field, name in names.items():
        is_listed = any(is_same_model(name, listed) for listed in remote)
        try:
            policy.check_model(name, is_remote=is_listed or is_remote_model_name(name))
        except RefusedByPolicyError as error:
            raise EndpointRefusedError(error.message, field=field) from error


async def _remote_models(changes: Mapping[str, Any]) -> list[str]:
    """Those that the server passes on to another machine, as far as it can be asked now."""
    engine = environment_settings().overridden({**await in_database(read_saved)(), **changes})
    with suppress(InferenceError, TimeoutError):
        async with asyncio.timeout(_PATIENCE_SECONDS):
            _, models = await list_offers(engine)
            return [info.name for info in models if info.is_remote]
    return []
