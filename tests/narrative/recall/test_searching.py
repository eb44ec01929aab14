"""Recalling from the database: what is eligible where, and how much is read for it."""

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from campaigns.models import Campaign, Turn
from campaigns.services import head
from knowledge.tokens import count_tokens
from knowledge.words import stems_of
from narrative.models import Memory
from narrative.prompt.remembered import Recalled
from narrative.recall import SceneWords, recall
from narrative.remembering import MemoryChange, add_memory, change_memory
from tests import big_stories, factories

CLUE = "Under the loose flagstone lies an iron ring."


def ask(campaign: Campaign, text: str = "I lift the loose flagstone.", *, top_k: int = 5) -> Recalled:
    fresh = Campaign.objects.get(pk=campaign.pk)
    return recall(
        fresh,
        end=fresh.head,
        scene=SceneWords(text="", input=text),
        top_k=top_k,
        budget=1_000,
        count=count_tokens,
        is_said=lambda told: False,
    )


def texts(campaign: Campaign, text: str = "I lift the loose flagstone.") -> set[str]:
    return {memory.text for memory in ask(campaign, text).used}


def remember(campaign: Campaign, text: str) -> Memory:
    return add_memory(campaign_id=campaign.pk, text=text)


def test_a_line_sees_its_own_past_and_no_other_line(campaign: Campaign) -> None:  # MEM-02
    factories.play_turns(campaign, 3)
    remember(campaign, "Trunk: the flagstone is loose.")
    factories.play_turns(campaign, 2)
    remember(campaign, "Continuation: the flagstone broke.")
    trunk = Campaign.objects.get(pk=campaign.pk).active_branch_id
    line_b = factories.fork_at(campaign, 3)
    factories.play(campaign)
    remember(campaign, "Line B: the flagstone is gone.")
    factories.play(campaign)
    line_c = factories.fork_at(campaign, 5)
    factories.play(campaign)
    remember(campaign, "Line C: the flagstone was sold.")

    def starts() -> set[str]:
        return {text.split(":")[0] for text in texts(campaign)}

    assert starts() == {"Trunk", "Line B", "Line C"}
    head.activate_branch(campaign_id=campaign.pk, branch_id=line_b.pk)
    assert starts() == {"Trunk", "Line B"}
    assert trunk is not None
    head.activate_branch(campaign_id=campaign.pk, branch_id=trunk)
    assert starts() == {"Trunk", "Continuation"}
    assert line_c.pk != line_b.pk


def test_a_memory_leaves_with_an_undo_and_returns_with_a_redo(campaign: Campaign) -> None:  # MEM-03, MEM-05
    factories.play_turns(campaign, 2)
    remember(campaign, CLUE)
    assert texts(campaign) == {CLUE}
    head.undo(campaign_id=campaign.pk)
    assert texts(campaign) == set()
    head.redo(campaign_id=campaign.pk)
    assert texts(campaign) == {CLUE}
    head.undo(campaign_id=campaign.pk)
    factories.play(campaign, "I take the other road.")
    assert texts(campaign) == set()
    assert Memory.objects.count() == 1


def test_a_forgotten_memory_is_never_used_not_even_pinned(campaign: Campaign) -> None:
    memory = remember(campaign, CLUE)
    change = MemoryChange(pinned=True, forgotten=True)
    change_memory(campaign_id=campaign.pk, memory_id=memory.pk, change=change)
    assert texts(campaign) == set()
    change_memory(campaign_id=campaign.pk, memory_id=memory.pk, change=MemoryChange(forgotten=False))
    assert texts(campaign) == {CLUE}


def test_an_inference_is_marked_as_one(campaign: Campaign) -> None:  # MEM-10
    remember(campaign, "Mara perhaps knows where the flagstone leads.")
    (memory,) = ask(campaign).used
    assert memory.authority == "heuristic"
    assert (memory.branch, memory.depth) == (
        Campaign.objects.get(pk=campaign.pk).active_branch_id,
        0,
    )  # MEM-12


def test_a_changed_text_is_found_by_its_new_words(campaign: Campaign) -> None:
    factories.play_turns(campaign, 12)
    for number in range(12):
        remember(campaign, f"The courier counted milestone {number} on the causeway.")
    memory = remember(campaign, "The abbot keeps bees.")
    change_memory(campaign_id=campaign.pk, memory_id=memory.pk, change=MemoryChange(text=CLUE))
    assert CLUE in texts(campaign)
    assert Memory.objects.get(pk=memory.pk).earlier == ["The abbot keeps bees."]


def test_no_word_of_the_player_is_syntax(campaign: Campaign) -> None:
    remember(campaign, CLUE)
    for words in ('flagstone" OR "x', "NEAR(flagstone)", "flagstone*", "-flagstone", "terms:flagstone", '"'):
        ask(campaign, words)


def test_another_campaigns_memory_is_never_seen(campaign: Campaign) -> None:  # I7
    other = factories.make_campaign(owner=campaign.owner)
    remember(other, CLUE)
    assert texts(campaign) == set()


@pytest.mark.parametrize("pinned", [False, True])
def test_queries_do_not_grow_with_memories(campaign: Campaign, pinned: bool) -> None:  # PERF-01, MEM-16
    counts = []
    for number in (5, 30):
        for index in range(number):
            add_memory(campaign_id=campaign.pk, text=f"Flagstone {number} {index} is loose.", pinned=pinned)
        with CaptureQueriesContext(connection) as queries:
            ask(campaign)
        counts.append(len(queries))
        catalogue = [each["sql"] for each in queries if "narrative_memory_terms" in each["sql"]]
        assert catalogue
        assert not any("memory.text" in sql or '"text"' in sql for sql in catalogue)
    assert counts[0] == counts[1] <= 6


def test_reads_do_not_grow_with_forks(owner: User) -> None:  # PERF-15
    counts = []
    for forks in (1, 40):
        campaign = factories.make_campaign(owner=owner)
        for depth in range(forks):
            factories.play(campaign)
            factories.play(campaign)
            factories.fork_at(campaign, depth + 1)
        remember(campaign, CLUE)
        with CaptureQueriesContext(connection) as queries:
            assert len(ask(campaign).used) == 1
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_a_long_story_is_asked_as_a_short_one(owner: User) -> None:
    counts = []
    for turns in (100, 4_000):
        campaign = big_stories.make_straight_story(owner=owner, turns=turns)
        stored = Turn.objects.filter(branch__campaign=campaign).order_by("depth")
        Memory.objects.bulk_create(
            Memory(
                campaign=campaign,
                branch_id=turn.branch_id,
                depth=turn.depth,
                first_depth=turn.depth,
                text=f"Milestone {turn.depth} stands in the marsh.",
                terms=" ".join(stems_of(f"Milestone {turn.depth} stands in the marsh.")),
                takes=[turn.live_take_id],
                model="m",
                type="event",
                authority="accepted_story",
            )
            for turn in stored[::4]
        )
        with CaptureQueriesContext(connection) as queries:
            found = ask(campaign, "I look for milestone 48 in the marsh.")
        assert found.used[0].text.startswith("Milestone 48 ")
        assert found.considered <= 80
        counts.append(len(queries))
    assert counts[0] == counts[1]
