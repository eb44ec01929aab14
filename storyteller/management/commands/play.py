"""Starts the game."""

import os
import sys
import threading
import webbrowser
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.management.base import CommandError, CommandParser
from django.db import DatabaseError, connections
from django.urls import reverse

from campaigns import leases
from campaigns.services.story_write import fail_interrupted
from knowledge.tokens import encoding
from storyteller import access
from storyteller.database_file import fold_in_journal, held_open, upgrade_database
from storyteller.errors import AccessError, ListenError
from storyteller.listening import in_url, is_every_address, is_loopback, open_listener
from storyteller.management.command_help import CommandWithExamples


class Command(CommandWithExamples):
    help = (
        "Start the game: prepare the database, print the address and a sign-in link, and serve until Ctrl+C."
    )
    epilog = """examples:
  manage.py play
  manage.py play --port 8001 --no-browser
  manage.py play --port 0                   any free port
  STORYTELLER_HOSTS=den.lan manage.py play --host 0.0.0.0

exit codes:
  0  it was ended with Ctrl+C or SIGTERM
  1  it could not start; the message says what to do
  2  the command line was not understood
"""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: 127.0.0.1)")
        parser.add_argument(
            "--port", type=int, default=8000, help="port to listen on, 0 for any (default: 8000)"
        )
        parser.add_argument("--no-browser", action="store_true", help="do not open a browser")

    def handle(self, *, host: str, port: int, no_browser: bool, **options: Any) -> None:
        try:
            self._play(host.strip("[]"), port, is_browser_wanted=not no_browser)
        except (AccessError, ListenError) as error:
            raise CommandError(str(error)) from error
        except (DatabaseError, OSError) as error:
            raise CommandError(
                f"The data folder {settings.DATA_FOLDER} cannot be used: {error}. "
                "Is the disk full, or the folder somebody else's?"
            ) from error
        except KeyboardInterrupt:  # before the server took over the signal
            return

    def _play(self, host: str, port: int, *, is_browser_wanted: bool) -> None:
        if not 0 <= port <= 65535:
            raise CommandError("--port must be from 0 to 65535.")
        if is_loopback(host) and in_url(host) not in settings.ALLOWED_HOSTS:
            settings.ALLOWED_HOSTS.append(in_url(host))  # this machine by another of its names
        with open_listener(host, port) as listener:
            copy = upgrade_database()
            if copy is not None:
                self.stdout.write(f"The database was upgraded. A copy of the old one is {copy}")
            owner = access.ensure_owner()
            _require_guarded(host, owner)
            fail_interrupted()
            leases.clear_dead()
            _load_sample(owner)
            # Loads the whole application, which --help and a refused start need not wait for.
            from storyteller.asgi import application
            from storyteller.serving import serve

            address = f"http://{_shown_host(host)}:{listener.getsockname()[1]}"
            link = address + reverse("sign-in-link", args=[access.make_sign_in_link(owner)])
            self.stdout.write(
                f"The game is at {address}/\nSign in with this link, which works once:\n  {link}"
            )
            self.stdout.write("Press Ctrl+C to end it.")
            self.stdout.flush()  # a pipe would hold it back for as long as the game runs
            connections.close_all()
            if is_browser_wanted and _can_open_browser():
                threading.Thread(target=_open_browser, args=[link], daemon=True).start()
            # The token table takes half a second to load; the first turn should not have to wait for it.
            threading.Thread(target=encoding, daemon=True).start()
            with held_open():
                serve(application, listener)
            fold_in_journal()


def _require_guarded(host: str, owner: User) -> None:
    """Other machines get in only where a password guards the door and the operator has named it."""
    if is_loopback(host):
        return
    if not owner.has_usable_password():
        raise CommandError(
            f"{host} can be reached from other machines, and no password is set. "
            f"Set one first: manage.py changepassword {owner.get_username()}"
        )
    if not _names_for_others():
        raise CommandError(
            f"{host} can be reached from other machines, but the game answers to no name they could use. "
            "Set STORYTELLER_HOSTS to the names or addresses they will open, separated by commas."
        )


def _load_sample(owner: User) -> None:
    from narrative.samples import load_first_sample

    load_first_sample(owner.pk)


def _shown_host(host: str) -> str:
    """What a browser can open: listening everywhere is no address."""
    if not is_every_address(host):
        return in_url(host)
    named = [name for name in _names_for_others() if name[0] not in "*."]
    return named[0] if named else "127.0.0.1"


def _names_for_others() -> list[str]:
    return [name for name in settings.ALLOWED_HOSTS if name not in settings.LOOPBACK_HOSTS]


def _can_open_browser() -> bool:
    """A person is looking, and there is a screen to show it on: not inside the terminal itself."""
    has_display = (
        sys.platform in ("darwin", "win32") or "DISPLAY" in os.environ or "WAYLAND_DISPLAY" in os.environ
    )
    return sys.stdout.isatty() and has_display


def _open_browser(address: str) -> None:
    try:
        webbrowser.open(address)
    except (webbrowser.Error, OSError):
        return  # the address is on the screen
