"""A prompt: its sections, their order, its window, and what it reads."""

from dataclasses import replace

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from campaigns.models import Campaign, TurnRequest
from campaigns.services import campaigns as campaign_services
from campaigns.services import head, requests
from campaigns.services.requests import Submission
from knowledge.tokens import count_tokens
from narrative.errors import ContextOverflowError
from narrative.inference.base import GenerationOptions
from narrative.prompt.builder import NOTHING_REMEMBERED, MemoryAhead, TokenLimits, build_prompt
from narrative.prompt.record import Prompt, record_document
from narrative.prompt.remembered import Recalled, RecalledMemory, SummaryInForce
from narrative.prompt.sections import render_input
from narrative.prompt.window import MARGIN, MESSAGE_OVERHEAD, PROMPT_OVERHEAD
from narrative.state_ahead import read_ahead
from tests import big_stories, factories

LIMITS = TokenLimits(window=8192, reply=600)
OVERHEAD = 2 * MESSAGE_OVERHEAD + PROMPT_OVERHEAD


def prompt_for(
    campaign: Campaign,
    text: str = "I wait.",
    *,
    limits: TokenLimits = LIMITS,
    remembered: MemoryAhead = NOTHING_REMEMBERED,
    is_block: bool = False,
) -> Prompt:
    request = factories.open_turn(campaign, text)
    stored = TurnRequest.objects.select_related("campaign").get(pk=request.pk)
    ahead = read_ahead(stored, is_block=is_block)
    try:
        return build_prompt(stored, limits=limits, ahead=ahead, remembered=remembered)
    finally:
        requests.stop_request(request_id=request.pk)


def summary(text: str) -> SummaryInForce:
    return SummaryInForce(
        id=1, type="rolling", trigger="interval", branch=1, first_depth=0, depth=3, model="m", text=text
    )


def memory(number: int, text: str, *, authority: str = "accepted_story") -> RecalledMemory:
    return RecalledMemory(
        id=number,
        text=text,
        similarity=0.5,
        score=0.6,
        authority=authority,
        is_pinned=False,
        branch=1,
        first_depth=number,
        depth=number + 3,
        tokens=12,
    )


def remembering(*memories: RecalledMemory, text: str = "") -> MemoryAhead:
    return MemoryAhead(
        summary=summary(text) if text else None,
        recall=lambda budget, is_said: Recalled(
            used=tuple(m for m in memories if not is_said(m.text)), considered=len(memories)
        ),
    )


def section(prompt: Prompt, label: str) -> str:
    return "\n".join(each.text for each in prompt.sections if each.label == label)


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
    limits = TokenLimits(window=2048, reply=300, words=300)
    prompt = prompt_for(
        campaign, limits=limits, remembered=remembering(memory(2, "Mara kept the key."), text="A walk.")
    )
    assert prompt.reserve == 364  # CTX-01
    assert prompt.total + prompt.reserve <= 2048
    others = [each for each in prompt.sections if each.label != "history"]
    assert prompt.history_budget == 2048 - 364 - OVERHEAD - sum(each.tokens for each in others)  # CTX-02
    assert prompt.total == OVERHEAD + sum(each.tokens for each in prompt.sections)
    assert prompt.total - 4 <= prompt.estimated <= prompt.total
    assert 0 < prompt.history_included < prompt.history_total == 31


def test_the_boundary_of_what_fits(campaign: Campaign) -> None:  # CTX-03
    bare = prompt_for(campaign).total - prompt_for(campaign).history_spent
    with pytest.raises(ContextOverflowError):
        prompt_for(campaign, limits=TokenLimits(window=bare + 600 + MARGIN, reply=600))
    least = prompt_for(campaign, limits=TokenLimits(window=bare + 601 + MARGIN, reply=600))
    assert (least.history_budget, least.history_included) == (1, 0)


def test_what_is_remembered_stands_below_the_history_in_its_order(ruled: Campaign) -> None:  # CTX-15, 16
    limits = TokenLimits(window=8192, reply=600, words=600)
    inferred = memory(2, "Mara may have known.", authority="heuristic")
    told = remembering(memory(9, "Mara kept the brass key."), inferred, text="The courier came to the inn.")
    prompt = prompt_for(ruled, limits=limits, remembered=told, is_block=True)
    assert [each.label for each in prompt.sections] == [
        "narrator",
        "state_rule",
        "campaign_canon",
        "history",
        "story_summary",
        "memories",
        "authors_note",
        "length_hint",
        "state_reminder",
        "player_input",
    ]
    lines = section(prompt, "memories").splitlines()
    assert lines[2:] == ["- Mara may have known. [inferred]", "- Mara kept the brass key."]
    assert "not established" in lines[1]  # MEM-10
    assert [part.part for part in prompt.parts] == ["state", "summary", "memories"]
    assert all(part.spent <= part.cap for part in prompt.parts)


def test_nothing_to_say_is_no_heading(campaign: Campaign) -> None:  # CTX-19
    assert [each.label for each in prompt_for(campaign).sections] == ["narrator", "history", "player_input"]


def test_the_front_stays_as_it_was_whatever_changes_below(ruled: Campaign) -> None:  # CTX-13
    first = prompt_for(ruled, remembered=remembering(memory(1, "Mara left at dawn."), text="It rained."))
    factories.play(ruled, "I go.", "The road is wet.")
    again = prompt_for(
        ruled, remembered=replace(remembering(text="It rained for long."), previous=first.messages)
    )
    assert again.messages[: len(first.messages) - 1] == first.messages[:-1]
    front = [each.content for each in first.messages[:-1]]
    assert again.prefix_reused == sum(count_tokens(text) + MESSAGE_OVERHEAD for text in front)
    assert not any("It rained" in text or "Mara left" in text for text in front)  # CTX-14


def test_a_long_summary_keeps_its_share_and_its_end(campaign: Campaign) -> None:  # CTX-08
    long = " ".join(f"On day {day} they walked on through the rain." for day in range(400))
    limits = TokenLimits(window=4096, reply=600)
    prompt = prompt_for(campaign, limits=limits, remembered=remembering(text=long))
    used = prompt.summary
    assert used is not None
    assert (used.is_partly, used.tokens <= prompt.left * 0.10) == (True, True)
    assert section(prompt, "story_summary").endswith("On day 399 they walked on through the rain.")
    assert prompt.total + prompt.reserve <= 4096


def test_what_the_canon_says_is_not_said_again(ruled: Campaign) -> None:
    told = remembering(
        memory(1, "The dead never return."),
        memory(2, "The dead do not return."),
        memory(3, "Mara kept the brass key."),
        text="Mara kept the brass key. The courier slept.",
    )
    prompt = prompt_for(ruled, remembered=told)
    assert section(prompt, "memories").count("\n- ") == 0
    assert "brass key" in section(prompt, "story_summary")


def test_a_model_that_counts_more_gets_less(campaign: Campaign) -> None:
    for _ in range(30):
        factories.play(campaign, "I walk on along the road.", "The road goes on. " * 40)
    plain = prompt_for(campaign, limits=TokenLimits(window=2048, reply=300))
    raised = prompt_for(campaign, limits=TokenLimits(window=2048, reply=300, ratio=1.5))
    assert raised.history_included < plain.history_included
    assert raised.total <= 2048 - raised.reserve
    assert raised.estimated * 1.4 < raised.total


def test_prompts_do_not_grow_with_the_story(campaign: Campaign) -> None:  # CTX-05, CTX-06
    sizes, included, start = [], [], None
    for rounds in (20, 40):
        for _ in range(rounds):
            factories.play(campaign, "I walk on along the road.", "The road goes on. " * 40)
        prompt = prompt_for(
            campaign,
            limits=TokenLimits(window=4096, reply=300),
            remembered=replace(NOTHING_REMEMBERED, history_start=start),
        )
        start = prompt.history_start
        sizes.append(prompt.total)
        included.append(prompt.history_included)
    assert max(sizes) <= 4096 - prompt.reserve
    assert all(size > 2048 for size in sizes)
    assert max(included) < 20


def test_what_cannot_fit_names_both_figures(campaign: Campaign) -> None:
    with pytest.raises(ContextOverflowError, match=r"need [\d,]+ tokens .*512"):
        prompt_for(campaign, "word " * 2000, limits=TokenLimits(window=512, reply=100))


def test_a_record_gives_back_what_was_sent(ruled: Campaign) -> None:
    prompt = prompt_for(ruled)
    options = GenerationOptions(context_window=8192, max_output_tokens=600)
    document = record_document(prompt, model="m", options=options)
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
