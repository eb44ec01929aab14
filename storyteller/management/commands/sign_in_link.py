"""Prints a new sign-in link for the owner."""

from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.urls import reverse

from storyteller import access
from storyteller.database_file import require_ready_database
from storyteller.errors import AccessError, DatabaseNotReadyError
from storyteller.listening import in_url
from storyteller.management.command_help import CommandWithExamples


class Command(CommandWithExamples):
    help = (
        "Print a link that signs the owner in: once, within 24 hours. The link alone goes to standard output."
    )
    epilog = """examples:
  manage.py sign_in_link
  manage.py sign_in_link --port 8001

exit codes:
  0  the link is printed
  1  there is no usable database or owner; the message says what to do
"""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--host", default="127.0.0.1", help="where the game runs (default: 127.0.0.1)")
        parser.add_argument("--port", type=int, default=8000, help="its port (default: 8000)")

    def handle(self, *, host: str, port: int, **options: Any) -> None:
        try:
            require_ready_database()
            token = access.make_sign_in_link(access.ensure_owner())
        except (AccessError, DatabaseNotReadyError) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"http://{in_url(host)}:{port}{reverse('sign-in-link', args=[token])}")
