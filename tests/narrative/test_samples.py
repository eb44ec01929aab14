"""The campaigns to begin with."""

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from campaigns.models import Turn
from campaigns.schemas.canon import CanonIn
from narrative.inference.base import ChatRequest, GenerationOptions, Message
from narrative.inference.completing import complete
from narrative.inference.rehearsal import MODEL_NAME, RehearsalBackend
from narrative.samples import FIRST, Sample, list_samples, start_sample

pytestmark = pytest.mark.django_db

SAMPLES = [pytest.param(sample, id=sample.slug) for sample in list_samples()]


def test_they_differ() -> None:
    assert len(list_samples()) == 3
    assert FIRST in {sample.slug for sample in list_samples()}
    for values in (
        {sample.new.title for sample in list_samples()},
        {sample.new.profile["genre"] for sample in list_samples()},
        {sample.hook for sample in list_samples()},
    ):
        assert len(values) == 3


@pytest.mark.parametrize("sample", SAMPLES)
def test_each_becomes_a_campaign_with_all_that_it_says(sample: Sample, owner: User) -> None:
    campaign = start_sample(owner.pk, sample.slug)
    assert all(campaign.profile.values())
    assert campaign.protagonist_name
    assert campaign.narrator_rules
    canon = CanonIn.model_validate(campaign.canon)
    assert canon.as_stored() == campaign.canon
    assert 3 <= len(canon.rules) <= 6
    opening = Turn.objects.get(branch__campaign=campaign).live_take
    assert opening
    assert 150 <= len(opening.narration.split()) <= 250


@pytest.mark.parametrize("sample", SAMPLES)
def test_a_hook_is_one_sentence(sample: Sample) -> None:
    assert re.fullmatch(r"[A-Z][^.!?]{20,140}[.!?]", sample.hook)


def test_new_campaign_offers_each_with_its_hook(client: Client, owner: User) -> None:
    client.force_login(owner)
    text = client.get(reverse("new-campaign")).content.decode()
    for sample in list_samples():
        assert f'value="{sample.slug}"' in text
        assert sample.hook in text


@pytest.mark.parametrize("sample", SAMPLES)
async def test_the_rehearsal_narrator_can_tell_each(sample: Sample, owner: User) -> None:
    history = [Message("system", f"The protagonist is {sample.new.protagonist_name}, played by the player.")]
    history += [Message("user", "[Begin the story.]"), Message("assistant", sample.new.opening)]
    told: list[str] = []
    for text in ("I look around.", "I go to the door and listen.", "I say: “Who is there?”", "I wait."):
        history.append(Message("user", text))
        options = GenerationOptions(context_window=8192, max_output_tokens=300)
        request = ChatRequest(MODEL_NAME, tuple(history), options)
        told.append((await complete(RehearsalBackend(rate=0), request)).text)
        history.append(Message("assistant", told[-1]))
    assert len(set(told)) == len(told)
    assert all("you" in text.lower() for text in told)
