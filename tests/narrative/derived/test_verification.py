"""Checking what is remembered, and making it again."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from campaigns.models import Campaign, Take
from narrative.derived.verification import find_misplaced
from narrative.models import Memory, Summary
from narrative.remembering import add_memory, write_summary
from tests import factories

pytestmark = pytest.mark.django_db(transaction=True)


def test_what_was_made_by_the_rules_is_as_it_must_be(campaign: Campaign) -> None:
    factories.play_turns(campaign, 12)
    call_command("verify", "--repair-derived", stdout=StringIO())
    add_memory(campaign_id=campaign.pk, text="Mara keeps the brass key.")
    write_summary(campaign_id=campaign.pk, text="A courier came.")
    factories.fork_at(campaign, 4)
    assert list(find_misplaced(None)) == []
    assert Memory.objects.count() == 3
    assert Summary.objects.count() == 2


def test_what_was_made_of_another_line_is_named_and_made_again(campaign: Campaign) -> None:
    factories.play_turns(campaign, 10)
    call_command("verify", "--repair-derived", stdout=StringIO())
    factories.fork_at(campaign, 2)
    elsewhere = Take.objects.latest("pk").pk
    memory = Memory.objects.earliest("pk")
    Memory.objects.filter(pk=memory.pk).update(takes=[*memory.takes[:3], elsewhere])
    told = list(Take.objects.order_by("pk").values_list("narration", flat=True))
    said = StringIO()
    with pytest.raises(CommandError):
        call_command("verify", "--json", "--repair-derived", stdout=said)
    report = json.loads(said.getvalue())
    (breach,) = report["breaches"]
    assert (breach["invariant"], breach["campaign"]) == ("I6", campaign.pk)
    assert f"deleted memory {memory.pk}" in report["repaired"][0]
    assert list(find_misplaced(None)) == []
    assert told == list(Take.objects.order_by("pk").values_list("narration", flat=True))
