"""A prompt: its sections, their order, its window, and what it reads."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from campaigns.models import Campaign, TurnRequest
from campaigns.services import campaigns as campaign_services
from campaigns.services import head, requests
from campaigns.services.requests import Submission
from narrative.errors import ContextOverflowError
from narrative.prompt.builder import TokenLimits, build_prompt
from narrative.prompt.record import pack_record, unpack_record
from narrative.prompt.sections import render_input
from narrative.state_ahead import read_ahead
from tests import big_stories, factories

LIMITS = TokenLimits(window=8192, reply=600)


def prompt_for(campaign: Campaign, text: str = "I wait.", *, limits: TokenLimits = LIMITS) -> Any:
    request = factories.open_turn(campaign, text)
    stored = TurnRequest.objects.select_related("campaign").get(pk=request.pk)
    prompt = build_prompt(stored, limits=limits, ahead=read_ahead(stored, is_block=False))
    requests.stop_request(request_id=request.pk)
    return prompt


@pytest.fixture
def ruled(owner: User) -> Campaign:
    return campaign_services.create_campaign(
        owner_id=owner.pk,
        new=campaign_services.NewCampaign(
            title="Ruled",
            opening="Rain.",
            profile={"genre": "fantasy", "tone": "quiet"},
            protagonist_name="Aldric",
            protagonist_description="A worn-out courier who limps.",
            narrator_rules=("Keep it short.",),
            canon={"rules": ["The dead do not return."]},
            authors_note="Winter is near.",
        ),
    )


def test_sections_stand_in_order_and_say_what_the_player_laid_down(ruled: Campaign) -> None:
    prompt = prompt_for(ruled)
    labels = [section.label for section in prompt.sections]
    assert labels == ["narrator", "campaign_canon", "history", "authors_note", "player_input"]
    system, opening, told, last = prompt.messages
    for words in (
        "Genre: fantasy",
        "The protagonist is Aldric",
        "limps",
        "Keep it short.",
        "The dead do not return.",
    ):
        assert words in system.content
    assert (system.role, opening.role, told.role, last.role) == ("system", "user", "assistant", "user")
    assert told.content == "Rain."
    assert last.content.index("Winter is near.") < last.content.index("I wait.")


def test_roles_alternate_whatever_was_played(campaign: Campaign) -> None:
    for text in ("I go.", "I stay.", "I sleep."):
        factories.play(campaign, text)
    roles = [message.role for message in prompt_for(campaign).messages]
    assert roles == ["system", *["user", "assistant"] * 4, "user"]


def test_what_an_undo_left_is_in_no_prompt(campaign: Campaign) -> None:
    factories.play(campaign, "I search.", "A sentinel word is found.")
    head.undo(campaign_id=campaign.pk)
    assert "sentinel" not in str(prompt_for(campaign, "I go home."))


def test_a_turn_told_in_other_words_starts_before_it(campaign: Campaign) -> None:
    turn = factories.play(campaign, "I accuse her.", "A sentinel quarrel breaks out.")
    factories.play(campaign, "I leave.")
    submission = Submission(kind=TurnRequest.Kind.NEW, mode="action", text="I ask her.", replaces_id=turn.pk)
    request = requests.open_request(campaign_id=campaign.pk, submission=submission).request
    prompt = build_prompt(request, limits=LIMITS, ahead=read_ahead(request, is_block=False))
    assert [m.content for m in prompt.messages[1:]] == [
        "[Begin the story.]",
        "Rain drives you off the road.",
        "I ask her.",
    ]


def test_counts_add_up_and_fit_the_window(campaign: Campaign) -> None:
    for _ in range(30):
        factories.play(campaign, "I walk on along the road.", "The road goes on. " * 40)
    prompt = prompt_for(campaign, limits=TokenLimits(window=2048, reply=300))
    assert prompt.total + prompt.reserve <= 2048
    assert prompt.total == prompt.protected + prompt.history_spent
    assert 0 < prompt.history_included < prompt.history_total == 31


def test_what_cannot_fit_names_both_figures(campaign: Campaign) -> None:
    with pytest.raises(ContextOverflowError, match=r"need [\d,]+ tokens .*512"):
        prompt_for(campaign, "word " * 2000, limits=TokenLimits(window=512, reply=100))


def test_a_record_gives_back_what_was_sent(ruled: Campaign) -> None:
    from narrative.inference.base import GenerationOptions

    prompt = prompt_for(ruled)
    options = GenerationOptions(context_window=8192, max_output_tokens=600)
    document = unpack_record(pack_record(prompt, model="m", options=options))
    assert [m["content"] for m in document["messages"]] == [m.content for m in prompt.messages]
    assert document["tokens"]["total"] == prompt.total


def test_reads_are_bounded_by_the_budget(owner: User) -> None:  # PERF-16
    counts = []
    for length in (1_000, 10_000):
        campaign = big_stories.make_straight_story(owner=owner, turns=length)
        request = TurnRequest.objects.select_related("campaign").get(pk=factories.open_turn(campaign).pk)
        with CaptureQueriesContext(connection) as queries:
            prompt = build_prompt(request, limits=LIMITS, ahead=read_ahead(request, is_block=False))
        assert 0 < prompt.history_included < length
        counts.append(len(queries))
    assert counts[1] <= counts[0] + 2


@pytest.mark.parametrize(
    ("mode", "text", "rendered"),
    [
        (None, "", "[Begin the story.]"),
        ("action", "I knock.", "I knock."),
        ("dialogue", "Who's there?", "I say: “Who's there?”"),
        ("dialogue", "“Hm,” and I smile.", "I say: “Hm,” and I smile."),
        ("direction", "Let it rain.", "[Direction to the narrator: Let it rain.]"),
        ("continue", "", "[Continue the story.]"),
    ],
)
def test_how_an_input_is_worded(mode: str | None, text: str, rendered: str) -> None:
    assert render_input(mode=mode, text=text) == rendered
