"""Reads across the story's tables. Each makes a number of queries that does not grow with the story."""

from collections.abc import Collection
from dataclasses import dataclass

from django.db.models import Exists, OuterRef

from campaigns.errors import NotFoundError
from campaigns.models import Branch, Campaign, SavePoint, Take, Turn, TurnRequest
from campaigns.models.tree import TurnQuerySet, tip_depth_of
from campaigns.path import Path, Position
from campaigns.positions import owner_at, tip_depth

WINDOW = 50
# By name: Branch declares ``tip`` for mypy, which takes the annotation for a second field.
_TIP = {"tip": tip_depth_of("pk")}


@dataclass(frozen=True, slots=True)
class Head:
    """Where the story is read, and which ways lead on."""

    branch_id: int
    depth: int
    turn_id: int
    can_undo: bool
    can_redo: bool


@dataclass(frozen=True, slots=True)
class StoryWindow:
    """A part of the transcript, oldest turn first."""

    head: Head
    turns: list[Turn]
    has_more: bool


@dataclass(frozen=True, slots=True)
class BranchRow:
    """A branch with what the lists and the map tell of it. ``save_points`` counts its whole subtree: those
    are what holds a delete back."""

    branch: Branch
    tip_depth: int
    is_active: bool
    is_on_path: bool
    save_points: int


@dataclass(frozen=True, slots=True)
class SavePointRow:
    save_point: SavePoint
    turn_id: int | None
    is_on_path: bool


@dataclass(frozen=True, slots=True)
class NamedPlace:
    """A Save Point as the map shows it."""

    position: Position
    name: str


@dataclass(frozen=True, slots=True)
class CampaignRow:
    """A campaign as its list shows it."""

    campaign: Campaign
    opening: str
    last_words: str
    head_turn_id: int

    @property
    def turn_count(self) -> int:
        """Turns on the path being read, the opening included."""
        return self.campaign.head_depth + 1


def get_campaign(*, owner_id: int | None, campaign_id: int) -> Campaign:
    """The owner's campaign. Somebody else's is not found."""
    campaign = Campaign.objects.owned_by(owner_id).filter(pk=campaign_id).first()
    if campaign is None:
        raise NotFoundError("There is no such campaign.")
    return campaign


def list_campaigns(
    *, owner_id: int | None, status: str | None = None, after: int = 0, limit: int | None = None
) -> list[CampaignRow]:
    """The owner's campaigns by id, beginning behind the id ``after``."""
    campaigns = Campaign.objects.owned_by(owner_id).filter(pk__gt=after)
    if status is not None:
        campaigns = campaigns.filter(status=status)
    return describe_campaigns(list(campaigns[:limit]))


def describe_campaigns(campaigns: Collection[Campaign]) -> list[CampaignRow]:
    turns = Turn.objects.select_related("live_take", "branch").only(
        "depth", "branch__campaign", "live_take__narration"
    )
    first = {turn.branch.campaign_id: turn for turn in turns.at_openings(campaigns)}
    last = {turn.branch.campaign_id: turn for turn in turns.at_heads(campaigns)}
    return [_campaign_row(campaign, first.get(campaign.pk), last.get(campaign.pk)) for campaign in campaigns]


def narration_of(turn: Turn) -> str:
    return turn.live_take.narration if turn.live_take is not None else ""


def get_head(campaign: Campaign) -> Head:
    """The head. Two queries."""
    tip = tip_depth(campaign.head.branch_id)
    turn_id = Turn.objects.at_heads([campaign]).values_list("pk", flat=True).first()
    return _head(campaign, turn_id=turn_id or 0, tip=tip)


def read_story(campaign: Campaign, *, before: int | None = None, limit: int = WINDOW) -> StoryWindow:
    """The newest turns on the path to the head, or those before depth ``before``. Four queries at most."""
    last = campaign.head_depth if before is None else min(before - 1, campaign.head_depth)
    first = max(0, last - limit + 1)
    path = Branch.objects.path_to(campaign.head, floor=first)
    turns = list(story_turns().on_path(path.between(first, last)).order_by("depth"))
    head_turn = turns[-1].pk if turns and last == campaign.head_depth else None
    if head_turn is None:
        head = get_head(campaign)
    else:
        head = _head(campaign, turn_id=head_turn, tip=tip_depth(campaign.head.branch_id))
    return StoryWindow(head=head, turns=turns, has_more=first > 0 and last >= 0)


def story_turns() -> TurnQuerySet:
    """Turns with their live take and their number of takes, and without a snapshot or a prompt record."""
    return Turn.objects.select_related("live_take").with_take_count()


def get_turn(*, campaign_id: int, turn_id: int) -> Turn:
    turn = story_turns().filter(branch__campaign_id=campaign_id, pk=turn_id).first()
    if turn is None:
        raise NotFoundError("There is no such turn in this campaign.")
    return turn


def told_takes(take: Take) -> list[int]:
    """A take and those that its narration was carried from, the first one last: what was recorded when it was
    told, and what was added to it on the way, stands on these."""
    found, carried_from = [take.pk], take.carried_from_id
    while carried_from is not None and carried_from not in found:
        found.append(carried_from)
        carried_from = Take.objects.values_list("carried_from_id", flat=True).get(pk=carried_from)
    return found


def list_takes(turn: Turn) -> list[Take]:
    return list(turn.takes.order_by("ordinal"))


def list_branches(campaign: Campaign) -> list[BranchRow]:
    """Every branch of a campaign by id. Three queries."""
    branches = list(Branch.objects.filter(campaign=campaign).annotate(**_TIP).order_by("pk"))
    read = {segment.branch_id for segment in Branch.objects.path_to(campaign.head).segments}
    counts = _subtree_save_points(campaign, branches)
    return [
        BranchRow(
            branch=branch,
            tip_depth=branch.tip,
            is_active=branch.pk == campaign.active_branch_id,
            is_on_path=branch.pk in read,
            save_points=counts[branch.pk],
        )
        for branch in branches
    ]


def list_named_places(campaign: Campaign) -> list[NamedPlace]:
    """Every Save Point's place and name, newest first. One query."""
    rows = SavePoint.objects.filter(campaign=campaign).values_list("branch_id", "depth", "name")
    return [NamedPlace(Position(branch, depth), name) for branch, depth, name in rows.order_by("-pk")]


def read_line(campaign: Campaign) -> Path:
    """The path through the head to the tip of the branch being read: what Undo and Redo walk. Two queries."""
    branch_id = campaign.head.branch_id
    return Branch.objects.path_to(Position(branch_id, tip_depth(branch_id)))


def get_turn_at(campaign: Campaign, position: Position) -> Turn:
    """The turn that the path to a position ends with, with its branch. Two queries."""
    owner = owner_at(position) or position.branch_id
    turns = Turn.objects.select_related("live_take", "branch").filter(branch__campaign=campaign)
    turn = turns.filter(branch_id=owner, depth=position.depth).first()
    if turn is None:
        raise NotFoundError("There is no such place in this campaign.")
    return turn


def list_save_points(
    campaign: Campaign, *, before: int | None = None, limit: int | None = None
) -> list[SavePointRow]:
    """Save Points, newest first, beginning behind the id ``before``. Two queries."""
    turn_there = Turn.objects.filter(branch=OuterRef("branch"), depth=OuterRef("depth")).values("pk")[:1]
    rows = SavePoint.objects.filter(campaign=campaign).annotate(**{"turn_id": turn_there})  # noqa: PIE804 - as _TIP
    if before is not None:
        rows = rows.filter(pk__lt=before)
    path = Branch.objects.path_to(campaign.head)
    return [
        SavePointRow(row, row.turn_id, path.contains(row.position)) for row in rows.order_by("-pk")[:limit]
    ]


def list_requests(
    campaign: Campaign,
    *,
    statuses: Collection[str] = (),
    before: int | None = None,
    limit: int | None = None,
) -> list[TurnRequest]:
    """Submissions, newest first."""
    requests = TurnRequest.objects.filter(campaign=campaign)
    if statuses:
        requests = requests.filter(status__in=statuses)
    if before is not None:
        requests = requests.filter(pk__lt=before)
    return list(requests.order_by("-pk")[:limit])


def get_active_request(campaign: Campaign) -> TurnRequest | None:
    """The submission that is running, in whichever process."""
    return TurnRequest.objects.filter(campaign=campaign, status__in=TurnRequest.RUNNING).first()


def get_request(*, owner_id: int | None, request_id: int) -> TurnRequest:
    campaigns = Campaign.objects.owned_by(owner_id).filter(pk=OuterRef("campaign"))
    request = TurnRequest.objects.filter(Exists(campaigns), pk=request_id).first()
    if request is None:
        raise NotFoundError("There is no such request.")
    return request


def _campaign_row(campaign: Campaign, opening: Turn | None, head: Turn | None) -> CampaignRow:
    return CampaignRow(
        campaign=campaign,
        opening="" if opening is None else narration_of(opening),
        last_words="" if head is None else narration_of(head),
        head_turn_id=0 if head is None else head.pk,
    )


def _head(campaign: Campaign, *, turn_id: int, tip: int) -> Head:
    return Head(
        branch_id=campaign.head.branch_id,
        depth=campaign.head_depth,
        turn_id=turn_id,
        can_undo=campaign.head_depth > 0,
        can_redo=campaign.head_depth < tip,
    )


def _subtree_save_points(campaign: Campaign, branches: list[Branch]) -> dict[int, int]:
    counts = {branch.pk: 0 for branch in branches}
    for branch_id in SavePoint.objects.filter(campaign=campaign).values_list("branch_id", flat=True):
        counts[branch_id] += 1
    # A branch is younger than its parent: from the youngest on, every count is whole when it is passed up.
    for branch in reversed(branches):
        if branch.parent_id is not None:
            counts[branch.parent_id] += counts[branch.pk]
    return counts
