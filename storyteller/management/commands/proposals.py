"""Prints what was proposed for a story's state, and what became of it."""

import json
from collections.abc import Iterator
from typing import Any

from django.core.management.base import CommandError, CommandParser

from campaigns.errors import NotFoundError
from campaigns.models import Campaign
from narrative.models import Proposal
from narrative.schemas.state import proposal_out
from narrative.state_history import list_proposals
from storyteller.database_file import require_ready_database
from storyteller.errors import DatabaseNotReadyError
from storyteller.management.command_help import CommandWithExamples

_DEFAULT_LIMIT = 40


class Command(CommandWithExamples):
    help = "Print what was proposed for the state of a campaign, newest first: accepted, refused, and why."
    epilog = """examples:
  manage.py proposals 7               the newest proposals of campaign 7
  manage.py proposals 7 --turn 120    those of the turn with the id 120
  manage.py proposals 7 --limit 500   more of them
  manage.py proposals 7 --json        for a program: a list of proposals, as the API shows them

exit codes:
  0  done
  1  there is no usable database; the message says what to do
  2  there is no such campaign or turn
"""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("campaign", type=int, metavar="ID", help="the campaign")
        parser.add_argument("--turn", type=int, metavar="ID", help="of this turn alone")
        parser.add_argument("--limit", type=int, default=_DEFAULT_LIMIT, help="at most so many (default: 40)")
        parser.add_argument("--json", action="store_true", help="answer in JSON")

    def handle(self, *args: object, **options: Any) -> None:
        try:
            require_ready_database()
        except DatabaseNotReadyError as error:
            raise CommandError(str(error)) from error
        campaign = Campaign.objects.filter(pk=options["campaign"]).first()
        if campaign is None:
            raise CommandError(f"There is no campaign {options['campaign']}.", returncode=2)
        if options["limit"] < 1:
            raise CommandError("--limit must be at least 1.", returncode=2)
        try:
            proposals = list_proposals(campaign, turn_id=options["turn"], limit=options["limit"])
        except NotFoundError as error:
            raise CommandError(error.message, returncode=2) from error
        if options["json"]:
            rows = [proposal_out(proposal).model_dump(mode="json") for proposal in proposals]
            self.stdout.write(json.dumps(rows, ensure_ascii=False, indent=2))
            return
        for proposal in proposals:
            for line in _lines(proposal):
                self.stdout.write(line)


def _lines(proposal: Proposal) -> Iterator[str]:
    turn = proposal.take.turn
    way = f" by {proposal.way}" if proposal.way else ""
    yield f"turn {turn.depth} ({turn.pk}), {proposal.get_source_display().lower()}{way}: {proposal.status}"
    for event in proposal.events.all():
        yield f"    accepted  {event.line}{'  [not in the text]' if event.is_unsupported else ''}"
    for event in proposal.redundant:
        yield f"    redundant {event['type']}"
    for refused in proposal.refused:
        named = refused["event"].get("type") if isinstance(refused["event"], dict) else refused["event"]
        yield f"    refused   {str(named)[:60]} ({refused['layer']}): {refused['detail']}"
    if proposal.note:
        yield f"    note      {proposal.note}"
