"""The panels beside the story. Each is part of an address, so that it can be linked and needs no script."""

from dataclasses import dataclass

from django.http import HttpRequest

from campaigns.models import Campaign
from campaigns.selectors import SavePointRow, list_save_points
from campaigns.views.answers import read_number
from campaigns.views.branch_panel import BranchPanel, read_branch_panel
from campaigns.views.story_panel import StoryPanel, read_story_panel

TITLES = {
    "state": "State",
    "story": "Story",
    "branches": "Branches",
    "save-points": "Save Points",
    "help": "Keys",
}


@dataclass(frozen=True, slots=True)
class Panel:
    """The open panel; ``renaming`` and ``deleting`` are the id of the row that shows its form."""

    name: str
    title: str
    renaming: int | None
    deleting: int | None
    branches: BranchPanel | None
    save_points: list[SavePointRow]
    story: StoryPanel | None


def read_panel(request: HttpRequest, campaign: Campaign) -> Panel | None:
    name = request.GET.get("panel", "")
    if name not in TITLES:
        return None
    renaming, deleting = (read_number(request.GET.get(key)) for key in ("rename", "delete"))
    is_branches, asked_for = name == "branches", renaming or deleting
    return Panel(
        name=name,
        title=TITLES[name],
        renaming=renaming,
        deleting=deleting,
        branches=read_branch_panel(request, campaign, asked_for=asked_for) if is_branches else None,
        save_points=list_save_points(campaign) if name == "save-points" else [],
        story=read_story_panel(request, campaign) if name == "story" else None,
    )
