"""Makes, lists and revokes the tokens that let programs in."""

import json
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import CommandError, CommandParser

from storyteller import access
from storyteller.database_file import require_ready_database
from storyteller.errors import AccessError, DatabaseNotReadyError
from storyteller.management.command_help import CommandWithExamples
from storyteller.models import ApiToken


class Command(CommandWithExamples):
    help = "Make, list and revoke API tokens. A program sends one as: Authorization: Bearer TOKEN"
    epilog = """examples:
  manage.py api_token create "story bot"    prints the token, this once
  manage.py api_token list --json
  manage.py api_token revoke "story bot"

exit codes:
  0  done
  1  refused; the message says why
"""

    def add_arguments(self, parser: CommandParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True, metavar="create|list|revoke")
        create = actions.add_parser("create", help="make a token and print it alone on standard output")
        create.add_argument("name", help="what it is for; no two tokens in use have the same name")
        listing = actions.add_parser("list", help="all tokens, without their secrets")
        listing.add_argument("--json", action="store_true", help="for a program to read")
        revoke = actions.add_parser("revoke", help="close the door to a token, at once and for good")
        revoke.add_argument("token", metavar="NAME|ID")

    def handle(self, *, action: str, **options: Any) -> None:
        try:
            require_ready_database()
            owner = access.ensure_owner()
            if action == "create":
                self.stdout.write(access.create_token(owner, options["name"]))
            elif action == "revoke":
                token = access.revoke_token(owner, options["token"])
                self.stderr.write(f"“{token.name}” lets nobody in any more.")
            else:
                self._list(owner, is_json=options["json"])
        except (AccessError, DatabaseNotReadyError) as error:
            raise CommandError(str(error)) from error

    def _list(self, owner: User, *, is_json: bool) -> None:
        rows = [_row(token) for token in access.list_tokens(owner)]
        if is_json:
            self.stdout.write(json.dumps(rows, ensure_ascii=False, indent=2))
            return
        for row in rows:
            state = (
                f"revoked {row['revoked_at']}"
                if row["revoked_at"]
                else f"last used {row['last_used_at'] or 'never'}"
            )
            self.stdout.write(f"{row['id']:>4}  {row['name']}  ({state})")


def _row(token: ApiToken) -> dict[str, int | str | None]:
    times = {name: getattr(token, name) for name in ("created_at", "last_used_at", "revoked_at")}
    return {
        "id": token.pk,
        "name": token.name,
        **{name: time.isoformat(timespec="seconds") if time else None for name, time in times.items()},
    }
