"""What a test asks of a story: what is on screen, where it is read, and how much is stored."""

from django.apps import apps
from django.db import connection

from campaigns import selectors
from campaigns.models import Branch, Campaign, Turn
from campaigns.verification import CHECKS, Breach


def fresh(campaign: Campaign) -> Campaign:
    """The campaign as the database has it now."""
    return Campaign.objects.get(pk=campaign.pk)


def on_screen(campaign: Campaign) -> list[str]:
    """The narrations shown, oldest first."""
    window = selectors.read_story(fresh(campaign), limit=10_000)
    return [selectors.narration_of(turn) for turn in window.turns]


def head_of(campaign: Campaign) -> selectors.Head:
    return selectors.get_head(fresh(campaign))


def position_of(campaign: Campaign) -> tuple[int, int]:
    head = fresh(campaign).head
    return head.branch_id, head.depth


def main_of(campaign: Campaign) -> Branch:
    """The campaign's first branch."""
    return Branch.objects.get(campaign=campaign, parent=None)


def opening_of(campaign: Campaign) -> Turn:
    return Turn.objects.get(branch=main_of(campaign), depth=0)


def live_words(turn: Turn) -> str:
    """The narration that is live on a turn, as the database has it now."""
    return selectors.narration_of(Turn.objects.select_related("live_take").get(pk=turn.pk))


def takes_of(turn: Turn) -> list[str]:
    return [take.narration for take in selectors.list_takes(turn)]


def row_counts() -> dict[str, int]:
    """How many rows each table of the story holds."""
    models = list(apps.get_app_config("campaigns").get_models())
    counts = " UNION ALL ".join(
        f"SELECT '{model.__name__}', COUNT(*) FROM {model._meta.db_table}"  # noqa: S608 - our tables
        for model in models
    )
    with connection.cursor() as cursor:
        cursor.execute(counts)
        return dict(cursor.fetchall())


def branch_count(campaign: Campaign) -> int:
    return Branch.objects.filter(campaign=campaign).count()


def breaches(campaign: Campaign | None = None) -> list[Breach]:
    """Every breach of every check, in one campaign or in all of them."""
    campaign_id = None if campaign is None else campaign.pk
    return [breach for check in CHECKS for breach in check.find(campaign_id)]


def assert_coherent(campaign: Campaign) -> None:
    """The last turn on screen, the stored head and the turn at it are one place, and the tree is whole."""
    current = fresh(campaign)
    window = selectors.read_story(current, limit=10_000)
    head = selectors.get_head(current)
    assert window.head == head
    assert window.turns[-1].pk == head.turn_id
    assert [turn.depth for turn in window.turns] == list(range(head.depth + 1))
    assert breaches(campaign) == []
