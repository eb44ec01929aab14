"""Check that the stored stories are whole."""

import asyncio
import json
from typing import Any

from django.core.management.base import CommandError, CommandParser

from campaigns.models import Campaign
from campaigns.verification import CHECKS as STORY_CHECKS
from campaigns.verification import Breach
from narrative.derived.verification import CHECKS as MEMORY_CHECKS
from narrative.derived.verification import repair
from narrative.verification import CHECKS as STATE_CHECKS
from storyteller.database_file import require_ready_database
from storyteller.errors import DatabaseNotReadyError
from storyteller.management.command_help import CommandWithExamples

CHECKS = (*STORY_CHECKS, *STATE_CHECKS, *MEMORY_CHECKS)


class Command(CommandWithExamples):
    help = (
        "Check that every story is whole: head, states, turns, takes, branches, Save Points, database file."
    )
    epilog = """examples:
  manage.py verify                    check every campaign
  manage.py verify 7                  check campaign 7 alone
  manage.py verify --json             the same for a program: {"campaigns", "checked", "breaches", "repaired"}
  manage.py verify --repair-derived   make memories and summaries again where they have to be

exit codes:
  0  everything is as it must be
  1  at least one breach was found, and each is named; or there is no database yet
  2  it could not be checked, for instance because there is no such campaign
"""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("campaign", nargs="?", type=int, metavar="ID", help="check this campaign alone")
        parser.add_argument(
            "--repair-derived",
            action="store_true",
            help="also make memories and summaries again; the story itself is never changed",
        )
        parser.add_argument("--json", action="store_true", help="answer in JSON")

    def handle(self, *args: object, **options: Any) -> None:
        try:
            require_ready_database()
        except DatabaseNotReadyError as error:
            raise CommandError(str(error)) from error
        campaign_id: int | None = options["campaign"]
        campaigns = Campaign.objects.count()
        if campaign_id is not None:
            campaigns = Campaign.objects.filter(pk=campaign_id).count()
            if not campaigns:
                raise CommandError(f"There is no campaign {campaign_id}.", returncode=2)
        found = [(check, list(check.find(campaign_id))) for check in CHECKS]
        breaches = [breach for _, of_check in found for breach in of_check]
        repaired = asyncio.run(repair(campaign_id)) if options["repair_derived"] else []
        if options["json"]:
            self._write_json(campaigns, breaches, repaired)
        else:
            for check, of_check in found:
                self.stdout.write(f"{'BREACH' if of_check else 'ok':8}{check.invariant}: {check.what}")
                for breach in of_check:
                    self.stdout.write(f"{'':8}{_where(breach)}: {breach.detail}")
            for done in repaired:
                self.stdout.write(f"{'repaired':10}{done}")
            if options["repair_derived"] and not repaired:
                self.stdout.write("Memories and summaries are as they must be, and none was due.")
            self.stdout.write(f"Campaigns checked: {campaigns}. Breaches: {len(breaches)}.")
        if breaches:
            raise CommandError(f"Breaches found: {len(breaches)}.", returncode=1)

    def _write_json(self, campaigns: int, breaches: list[Breach], repaired: list[str]) -> None:
        report = {
            "campaigns": campaigns,
            "checked": [{"invariant": check.invariant, "what": check.what} for check in CHECKS],
            "breaches": [
                {"invariant": breach.invariant, "campaign": breach.campaign_id, "detail": breach.detail}
                for breach in breaches
            ],
            "repaired": repaired,
        }
        self.stdout.write(json.dumps(report, indent=2))


def _where(breach: Breach) -> str:
    return "database" if breach.campaign_id is None else f"campaign {breach.campaign_id}"
