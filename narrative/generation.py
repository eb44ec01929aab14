"""How a campaign's turns are generated: the operator's settings, and what the campaign overrides."""

from typing import Any

from django.conf import settings

from campaigns.models import Campaign
from narrative.inference.base import GenerationOptions

_CHOSEN = (
    "reasoning",
    "reasoning_tokens",
    "temperature",
    "top_p",
    "min_p",
    "repeat_penalty",
    "seed",
    "keep_alive",
)


def generation_options(campaign: Campaign) -> GenerationOptions:
    chosen: dict[str, Any] = campaign.settings
    overrides = {name: chosen[name] for name in _CHOSEN if chosen.get(name) is not None}
    if "keep_alive" in overrides:
        overrides["keep_alive"] = str(overrides["keep_alive"])
    return GenerationOptions(
        context_window=chosen.get("context_window") or settings.CONTEXT_WINDOW,
        max_output_tokens=chosen.get("max_output_tokens") or settings.MAX_OUTPUT_TOKENS,
        **overrides,
    )
