"""The operator's settings over HTTP. Staff only."""

from django.http import HttpRequest
from ninja import Router

from campaigns.schemas.problems import ProblemOut
from narrative.api.staff import require_staff
from narrative.configuring import change_settings
from narrative.database import in_database
from narrative.engine import read_engine
from narrative.inference.ollama import is_same_model
from narrative.narrator_status import list_offers, look_at_narrator
from narrative.schemas.engine import ModelOut, ModelsOut, SettingsOut, SettingsPatch, settings_out

router = Router()


@router.get("/settings", response={200: SettingsOut, 403: ProblemOut}, tags=["settings"])
async def settings_read(request: HttpRequest) -> SettingsOut:
    """The settings in force, and how the narrator is. No secret is among them."""
    require_staff(request)
    engine = await in_database(read_engine)()
    return settings_out(engine, await look_at_narrator(engine))


@router.patch("/settings", response=SettingsOut, tags=["settings"])
async def settings_change(request: HttpRequest, payload: SettingsPatch) -> SettingsOut:
    """Save some settings over those of the environment; null gives a value back. The address of a model
    server is judged before anything is saved."""
    require_staff(request)
    engine = await change_settings(payload.changes)
    return settings_out(engine, await look_at_narrator(engine))


@router.get(
    "/settings/models", response={200: ModelsOut, 403: ProblemOut, 502: ProblemOut}, tags=["settings"]
)
async def settings_models(request: HttpRequest) -> ModelsOut:
    """The models of the server that is configured. Those that it passes on to another machine are marked."""
    require_staff(request)
    engine = await in_database(read_engine)()
    api, models = await list_offers(engine)
    items = [
        ModelOut(name=info.name, remote=info.is_remote, chosen=is_same_model(info.name, engine.model))
        for info in models
    ]
    return ModelsOut(items=items, next=None, api=api)
