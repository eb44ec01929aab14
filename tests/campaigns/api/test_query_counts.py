"""What a page costs does not depend on how much there is (PERF-09, PERF-10, PERF-13)."""

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from campaigns.models import Branch, Campaign, SavePoint, Take, TurnRequest
from campaigns.services import head
from tests import factories
from tests.api_client import Api, json_of


def queries_of(api: Api, path: str) -> list[str]:
    """The statements of a call that went well, without those about the token."""
    with CaptureQueriesContext(connection) as caught:
        json_of(api.get(path))
    return [entry["sql"] for entry in caught.captured_queries if "apitoken" not in entry["sql"]]


def grow(campaign: Campaign, count: int) -> None:
    """Turns, failed submissions, and lines that each hold a Save Point."""
    for number in range(count):
        branch = Branch.objects.create(
            campaign=campaign, name=f"Line {number}", parent_id=campaign.head.branch_id, fork_depth=0
        )
        SavePoint.objects.create(campaign=campaign, branch=branch, depth=1, name=f"Place {number}")
        factories.play(campaign)
        failed = factories.open_turn(campaign)
        TurnRequest.objects.filter(pk=failed.pk).update(status="failed", code="interrupted")


@pytest.mark.parametrize("page", ["/story", "/tree", "/branches", "/save-points", "/requests", ""])
def test_a_page_of_a_campaign(api: Api, base: str, campaign: Campaign, page: str) -> None:
    grow(campaign, 2)
    small = queries_of(api, f"{base}{page}")
    grow(campaign, 12)
    assert 0 < len(queries_of(api, f"{base}{page}")) <= len(small)


def test_the_list_of_campaigns(api: Api, owner: User) -> None:
    def more(count: int) -> None:
        for _ in range(count):
            factories.play(factories.make_campaign(owner=owner))

    more(2)
    small = queries_of(api, "/campaigns")
    more(8)
    assert 0 < len(queries_of(api, "/campaigns")) <= len(small)


def test_a_turn_with_many_takes(api: Api, base: str, campaign: Campaign) -> None:
    turn = factories.play(campaign)
    small = queries_of(api, f"{base}/turns/{turn.pk}")
    for _ in range(5):
        factories.retry(campaign, turn)
    assert len(queries_of(api, f"{base}/turns/{turn.pk}")) == len(small)


def test_a_long_transcript_loads_all_it_shows_at_once(api: Api, base: str, campaign: Campaign) -> None:
    for _ in range(51):
        factories.play(campaign)
    Take.objects.update(changes=["Rain: heavy"])
    statements = queries_of(api, f"{base}/story?limit=60")
    turns = json_of(api.get(f"{base}/story", limit=60))["turns"]
    assert [turn["changes"] for turn in turns] == [["Rain: heavy"]] * 52
    assert len(statements) < 8


@pytest.mark.parametrize("page", ["/story", "/tree", "/branches", "/save-points"])
def test_no_page_reads_a_snapshot_or_a_prompt(api: Api, base: str, campaign: Campaign, page: str) -> None:
    grow(campaign, 2)
    statements = queries_of(api, f"{base}{page}")
    assert statements
    for statement in statements:
        assert "campaigns_stateversion" not in statement
        assert "promptrecord" not in statement


def test_a_window_below_the_head_is_as_cheap(api: Api, base: str, campaign: Campaign) -> None:
    for _ in range(6):
        factories.play(campaign)
    small = queries_of(api, f"{base}/story?before=2")
    head.undo(campaign_id=campaign.pk)
    assert len(queries_of(api, f"{base}/story?before=5")) == len(small)
