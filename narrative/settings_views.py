"""The settings page, and choosing a model on the page where a story is read. Staff only."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_http_methods, require_POST
from pydantic import ValidationError

from narrative.configuring import change_settings
from narrative.database import in_database
from narrative.engine import (
    EngineSettings,
    endpoint_policy,
    environment_settings,
    read_engine,
    read_saved,
)
from narrative.errors import EndpointRefusedError
from narrative.inference.openai import OpenAIBackend
from narrative.narrator_status import NarratorStatus, last_status, look_at_narrator
from narrative.schemas.engine import SettingsPatch
from narrative.settings_forms import SettingsForm

_PAGE = "narrative/settings.html"
# The page on which another server can be chosen does not wait long for the one that does not answer.
PATIENCE_SECONDS = 3.0
# As static/js/appearance.js knows them.
_APPEARANCES = (("", "As the system"), ("light", "Light"), ("sepia", "Sepia"), ("dark", "Dark"))


@require_http_methods(["GET", "HEAD", "POST"])
async def settings_page(request: HttpRequest) -> HttpResponse:
    """Every setting with what holds where it is empty, and how the narrator is."""
    await _require_staff(request)
    if request.method != "POST":
        return await _page(request, SettingsForm.of_saved(await in_database(read_saved)()))
    form = SettingsForm.of_posted(request.POST)
    changes, errors = form.read()
    if not errors:
        try:
            await change_settings(changes)
        except EndpointRefusedError as error:
            errors = {error.field: error.message}
        else:
            await in_database(messages.success)(request, "Saved. It holds from the next turn on.")
            return redirect("settings")
    return await _page(request, SettingsForm(form.texts, errors), status=422)


@require_POST
async def choose_model(request: HttpRequest) -> HttpResponse:
    """One button: this model narrates from now on."""
    await _require_staff(request)
    chosen: dict[str, Any] = {"model": request.POST.get("model", "")}
    if request.POST.get("api") == OpenAIBackend.api:  # automatic means Ollama once a model is chosen
        chosen["inference_api"] = OpenAIBackend.api
    try:
        await change_settings(SettingsPatch.model_validate(chosen).changes)
    except ValidationError:
        await in_database(messages.error)(request, "That is no name of a model.")
    except EndpointRefusedError as error:
        await in_database(messages.error)(request, error.message)
    else:
        await in_database(messages.success)(request, f"“{chosen['model']}” narrates from the next turn on.")
    return redirect(_way_back(request))


async def _page(request: HttpRequest, form: SettingsForm, *, status: int = 200) -> HttpResponse:
    engine = await in_database(read_engine)()
    narrator = await _glance(engine)
    context: Mapping[str, object] = {
        "sections": form.sections(environment_settings()),
        "errors": form.errors,
        "status": narrator,
        "engine": engine,
        "allows_remote": endpoint_policy().allows_remote_models,
        "appearances": _APPEARANCES,
    }
    return await in_database(render)(request, _PAGE, context, status=status)


async def _glance(engine: EngineSettings) -> NarratorStatus:
    """How the narrator is, or what was seen last where the server takes long to answer."""
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            return await look_at_narrator(engine)
    except TimeoutError:
        waiting = "The model server has not answered yet. Load this page again to look once more."
        return replace(last_status(engine), detail=waiting)


async def _require_staff(request: HttpRequest) -> None:
    user = await request.auser()
    if not user.is_staff:
        raise PermissionDenied


def _way_back(request: HttpRequest) -> str:
    target = request.POST.get("next", "")
    is_ours = url_has_allowed_host_and_scheme(target, allowed_hosts=None)
    return target if is_ours and target.startswith("/") else reverse("settings")
