"""Deletes the departed lines that nothing needs, or says what would go."""

import json
from typing import Any

from django.core.management.base import CommandError, CommandParser

from campaigns.errors import StoryError
from campaigns.models import Campaign
from campaigns.schemas.tree import pruning_out
from campaigns.services.pruning import Pruning, prune_departed
from storyteller.database_file import require_ready_database
from storyteller.errors import DatabaseNotReadyError
from storyteller.management.command_help import CommandWithExamples


class Command(CommandWithExamples):
    help = (
        "Say which departed turns nothing needs, or delete them for good with --yes. What is read, kept, "
        "archived, named by a Save Point, or has words waiting on it stays."
    )
    epilog = """examples:
  manage.py prune              say what would go of every campaign; nothing is deleted
  manage.py prune 7            the same for campaign 7 alone
  manage.py prune 7 --yes      delete it, for good
  manage.py prune --json       for a program: a list of {"campaign", "title", "deleted", "turns", ...}

exit codes:
  0  done, or nothing to do
  1  there is no usable database, or a turn is being told; the message says what to do
  2  there is no such campaign
"""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("campaign", nargs="?", type=int, metavar="ID", help="this campaign alone")
        parser.add_argument("--yes", action="store_true", help="delete, instead of saying what would go")
        parser.add_argument("--json", action="store_true", help="answer in JSON")

    def handle(self, *args: object, **options: Any) -> None:
        try:
            require_ready_database()
            campaigns = _campaigns(options["campaign"])
            prunings = [
                (campaign, prune_departed(campaign_id=campaign.pk, dry_run=not options["yes"]))
                for campaign in campaigns
            ]
        except (DatabaseNotReadyError, StoryError) as error:
            raise CommandError(str(error)) from error
        if options["json"]:
            rows = [_row(campaign, pruning, is_done=options["yes"]) for campaign, pruning in prunings]
            self.stdout.write(json.dumps(rows, ensure_ascii=False, indent=2))
            return
        for campaign, pruning in prunings:
            self._tell(campaign, pruning, is_done=options["yes"])
        if not options["yes"] and any(pruning.turns or pruning.branches for _, pruning in prunings):
            self.stdout.write("Nothing was deleted. Add --yes to delete this for good.")

    def _tell(self, campaign: Campaign, pruning: Pruning, *, is_done: bool) -> None:
        verb = "Deleted" if is_done else "Would delete"
        self.stdout.write(
            f"{campaign.pk}  {campaign.title}: {verb} {pruning.turns} turns, {pruning.takes} takes, "
            f"{pruning.branches} branches."
        )
        for line in pruning.lines:
            part = "all of it" if line.is_whole else f"from turn {line.first} on"
            self.stdout.write(f"    {line.turns:>5}  “{line.name}”, {part}")
        for row in pruning.passed_over:
            self.stdout.write(f"    stays: {row.turns} turns of “{row.name}”. {row.reason}")


def _campaigns(campaign_id: int | None) -> list[Campaign]:
    campaigns = Campaign.objects.order_by("pk")
    if campaign_id is not None:
        campaigns = campaigns.filter(pk=campaign_id)
        if not campaigns.exists():
            raise CommandError(f"There is no campaign {campaign_id}.", returncode=2)
    return list(campaigns)


def _row(campaign: Campaign, pruning: Pruning, *, is_done: bool) -> dict[str, object]:
    counts = pruning_out(pruning).model_dump()
    return {"campaign": campaign.pk, "title": campaign.title, "deleted": is_done, **counts}
