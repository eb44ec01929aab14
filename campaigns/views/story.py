"""What the play page shows of a campaign, gathered in a number of queries that no story makes longer."""

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from campaigns.errors import NotFoundError
from campaigns.models import Branch, Campaign, TurnRequest
from campaigns.selectors import (
    WINDOW,
    StoryWindow,
    get_active_request,
    get_turn,
    list_requests,
    list_takes,
    read_story,
)
from campaigns.services.story_write import fail_interrupted
from campaigns.views.answers import answers_errors, own_campaign, read_number
from campaigns.views.panels import Panel, read_panel

_MOST_ON_PAGE = 500
_MOST_RECOVERIES = 5


@dataclass(frozen=True, slots=True)
class Recovery:
    """A submission that did not become a turn. It can be taken up again only where it was made."""

    request: TurnRequest
    is_here: bool
    branch: Branch


@dataclass(frozen=True, slots=True)
class Story:
    campaign: Campaign
    branch: Branch
    window: StoryWindow
    active_request: TurnRequest | None
    recoveries: list[Recovery]
    more_recoveries: int
    panel: Panel | None

    @property
    def head_key(self) -> str:
        """The head as one word, for the page's script to compare."""
        head = self.window.head
        return f"{head.branch_id}:{head.depth}:{head.turn_id}"

    @property
    def oldest_depth(self) -> int:
        return self.window.turns[0].depth if self.window.turns else 0

    @property
    def profile_lines(self) -> list[tuple[str, str]]:
        lines = self.campaign.profile.items()
        return [(name.replace("_", " ").capitalize(), value) for name, value in lines if value]

    @property
    def offered(self) -> TurnRequest | None:
        """The newest words that found no place in the story: they wait in the composer of every browser."""
        lost = (r.request for r in self.recoveries if r.request.kind == TurnRequest.Kind.NEW)
        return next((request for request in lost if request.text), None)


def read_page(request: HttpRequest, campaign: Campaign) -> Story:
    """The story from ``?from=`` (a depth) or its newest turns, and the panel that ``?panel=`` names."""
    before = read_number(request.GET.get("before"))
    first = read_number(request.GET.get("from"), otherwise=campaign.head_depth)
    reach = campaign.head_depth - (first or 0) + 1
    limit = WINDOW if before is not None else min(max(WINDOW, reach), _MOST_ON_PAGE)
    fail_interrupted(campaign_id=campaign.pk)
    active_request = get_active_request(campaign)
    lost = list_requests(campaign, statuses=TurnRequest.RECOVERABLE, limit=_MOST_RECOVERIES)
    branches = Branch.objects.in_bulk([campaign.head.branch_id, *(request.branch_id for request in lost)])
    return Story(
        campaign=campaign,
        branch=branches[campaign.head.branch_id],
        window=read_story(campaign, before=before, limit=limit),
        active_request=active_request,
        recoveries=[
            Recovery(r, is_here=r.position == campaign.head, branch=branches[r.branch_id]) for r in lost
        ],
        more_recoveries=_count_recoverable(campaign) - len(lost) if len(lost) == _MOST_RECOVERIES else 0,
        panel=read_panel(request, campaign),
    )


def _count_recoverable(campaign: Campaign) -> int:
    return TurnRequest.objects.filter(campaign=campaign, status__in=TurnRequest.RECOVERABLE).count()


@require_safe
@answers_errors
def take(request: HttpRequest, campaign_id: int, turn_id: int, number: int) -> HttpResponse:
    """One take of a turn, to read. Nothing moves."""
    campaign = own_campaign(request, campaign_id)
    turn = get_turn(campaign_id=campaign.pk, turn_id=turn_id)
    take = next((take for take in list_takes(turn) if take.ordinal == number - 1), None)
    if take is None:
        raise NotFoundError("There is no such take of this turn.")
    return render(request, "campaigns/take.html", {"campaign": campaign, "turn": turn, "take": take})
