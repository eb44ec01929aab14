"""What a campaign's settings make of a turn's generation."""

from typing import Any

import pytest

from campaigns.models import Campaign
from campaigns.services.campaigns import CampaignChanges, update_campaign
from narrative.engine import read_engine
from narrative.models import PromptRecord
from narrative.prompt.window import MARGIN
from narrative.prompt_records import read_record
from narrative.proposing import EXTRACTION_TOKENS
from narrative.turns import prepare_turn
from tests import factories


def _set(campaign: Campaign, **chosen: Any) -> Campaign:
    return update_campaign(campaign_id=campaign.pk, changes=CampaignChanges(settings=chosen))


def test_nothing_is_thought_unless_it_is_asked_for(campaign: Campaign) -> None:
    options = read_engine(campaign).options
    assert (options.reasoning, options.reasoning_tokens, options.reply_tokens) == (False, 1000, 600)


@pytest.mark.parametrize(
    ("chosen", "reply"),
    [
        ({"reasoning": False, "reasoning_tokens": 400}, 600),
        ({"reasoning": True}, 1600),
        ({"reasoning": "low", "reasoning_tokens": 400}, 1000),
        ({"reasoning": "high", "reasoning_tokens": 0, "max_output_tokens": 50}, 50),
    ],
)
def test_thinking_has_an_allowance_of_its_own(campaign: Campaign, chosen: dict[str, Any], reply: int) -> None:
    options = read_engine(_set(campaign, **chosen)).options
    assert options.reasoning == chosen["reasoning"]
    assert options.reply_tokens == reply


@pytest.mark.parametrize(("reasoning", "reserve"), [(False, 600), (True, 1100), ("medium", 1100)])
def test_the_prompt_leaves_room_for_thinking(campaign: Campaign, reasoning: bool | str, reserve: int) -> None:
    _set(campaign, reasoning=reasoning, reasoning_tokens=500)
    prepared = prepare_turn(factories.open_turn(campaign).pk)
    record = read_record(PromptRecord.objects.get())
    assert record["tokens"]["output_reserve"] == reserve + MARGIN + EXTRACTION_TOKENS
    assert (prepared.chat.options.reasoning, record["options"]["reasoning"]) == (reasoning, reasoning)


def test_a_number_of_seconds_stays_a_number(campaign: Campaign) -> None:
    assert read_engine(_set(campaign, keep_alive=1.5)).options.keep_alive == "1.5"
