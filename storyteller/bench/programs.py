"""The game and its commands as processes of their own, on this run's data folder."""

import http.client
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from http import HTTPStatus

from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client

from storyteller.bench.errors import BenchError

_LISTENING = re.compile(r"http://(\S+:\d+)")


@dataclass(frozen=True, slots=True)
class Reader:
    """The owner's browser, as far as its requests go: one connection that stays open."""

    connection: http.client.HTTPConnection
    cookie: str

    def first_byte(self, path: str) -> float:
        """The milliseconds until a page begins to arrive; then it is read. Raises BenchError."""
        start = time.perf_counter()
        self.connection.request("GET", path, headers={"Cookie": self.cookie})
        response = self.connection.getresponse()
        taken = (time.perf_counter() - start) * 1000
        response.read()
        if response.status != HTTPStatus.OK:
            raise BenchError(f"{path} was answered with {response.status}.")
        return taken


@contextmanager
def reading(host: str, cookie: str) -> Iterator[Reader]:
    with closing(http.client.HTTPConnection(host, timeout=60)) as connection:
        yield Reader(connection, cookie)


def post_for_lines(host: str, path: str, document: object) -> Iterator[bytes]:
    """The lines of a streamed answer, each as it arrives."""
    with closing(http.client.HTTPConnection(host, timeout=60)) as connection:
        connection.request("POST", path, json.dumps(document))
        yield from connection.getresponse()


def sign_in(owner: User) -> str:
    """A session of the owner's, as a Cookie header."""
    client = Client()
    client.force_login(owner)
    return f"{settings.SESSION_COOKIE_NAME}={client.cookies[settings.SESSION_COOKIE_NAME].value}"


@contextmanager
def running_game(**environment: str) -> Iterator[str]:
    """The game on a free port; its host and port."""
    command = manage("play", "--port", "0", "--no-browser")
    with running(command, until="Ctrl+C", environment=environment) as printed:
        yield _address(printed)


@contextmanager
def running(command: list[str], *, until: str, environment: dict[str, str]) -> Iterator[str]:
    """A program, from the line that it prints when it is ready. Leaving the block ends it."""
    process = subprocess.Popen(  # noqa: S603 - this project's own programs
        command, stdout=subprocess.PIPE, text=True, env=os.environ | environment, cwd=settings.BASE_DIR
    )
    try:
        yield _read_until(process, until)
    finally:
        process.terminate()
        process.communicate(timeout=20)


def run(command: list[str]) -> None:
    """A program to its end, which must be a good one."""
    subprocess.run(command, check=True, capture_output=True, cwd=settings.BASE_DIR)  # noqa: S603


def manage(*arguments: str) -> list[str]:
    return [sys.executable, str(settings.BASE_DIR / "manage.py"), *arguments]


def _read_until(process: "subprocess.Popen[str]", ready: str) -> str:
    printed = ""
    if process.stdout is not None:
        for line in process.stdout:
            printed += line
            if ready in line:
                return printed
    raise BenchError(f"A program ended before it was ready. It said: {printed.strip() or 'nothing'}")


def _address(printed: str) -> str:
    found = _LISTENING.search(printed)
    if found is None:
        raise BenchError(f"The game named no address: {printed.strip()}")
    return found[1]
