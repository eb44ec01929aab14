"""Bodies that are too large or too slow: refused by the real server before they are stored (SEC-16)."""

import http.client
import json
import socket
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import pytest
from twisted.internet.task import Clock
from twisted.internet.testing import StringTransport

from storyteller.body_limits import MIB, ORDINARY, limit_for
from storyteller.bounded_requests import BoundedHTTPFactory
from tests.storyteller.game import Game

SIZE = ORDINARY.size
PAGE = "/sign-in/"
API = "/api/v1/campaigns"
process = pytest.mark.process


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the game puts what it stores for the length of a request."""
    return tmp_path_factory.mktemp("scratch")


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory, scratch: Path) -> Iterator[Game]:
    with Game(tmp_path_factory.mktemp("data"), TMPDIR=str(scratch)) as game:
        yield game


class Line:
    """A connection by hand, as a client that keeps to no rules would have it."""

    def __init__(self, game: Game) -> None:
        self.socket = socket.create_connection(("127.0.0.1", game.port), timeout=20)
        self._host = game.host

    def begin(self, path: str, *headers: str) -> None:
        lines = [f"POST {path} HTTP/1.1", f"Host: {self._host}", *headers]
        self.socket.sendall("\r\n".join(lines).encode() + b"\r\n\r\n")

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def send_chunk(self, data: bytes) -> None:
        self.socket.sendall(b"%x\r\n%s\r\n" % (len(data), data))

    def answer(self) -> tuple[int, http.client.HTTPMessage, bytes]:
        response = http.client.HTTPResponse(self.socket)
        response.begin()
        return response.status, response.headers, response.read()

    def is_closed_after_that(self) -> bool:
        return self.socket.recv(1) == b""

    def __enter__(self) -> "Line":
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()


def problem_of(answer: tuple[int, http.client.HTTPMessage, bytes], status: int, code: str) -> None:
    got, headers, body = answer
    assert (got, headers["Content-Type"]) == (status, "application/problem+json")
    document = json.loads(body)
    assert set(document) == {"type", "title", "status", "code", "detail"}
    assert (document["status"], document["code"]) == (status, code)


@process
@pytest.mark.parametrize("path", [API, f"{API}/1/turns?x=1", "/api/v1/nothing"])
def test_too_much_is_refused_at_its_declaration(game: Game, path: str) -> None:
    with Line(game) as line:
        line.begin(path, f"Content-Length: {SIZE + 1}")
        problem_of(line.answer(), 413, "too_large")  # and not a byte of it was sent
        assert line.is_closed_after_that()


@process
def test_a_page_says_it_in_a_sentence(game: Game) -> None:
    with Line(game) as line:
        line.begin(PAGE, "Content-Length: 200000000")
        status, headers, body = line.answer()
        assert line.is_closed_after_that()
    assert (status, headers["Content-Type"]) == (413, "text/plain; charset=utf-8")
    assert body.decode() == "The request is larger than the 2 MiB that are accepted here.\n"
    assert headers["Connection"] == "close"
    assert headers["X-Content-Type-Options"] == "nosniff"


@process
def test_nobody_is_told_to_go_on_with_too_much(game: Game) -> None:
    with Line(game) as line:
        line.begin(API, f"Content-Length: {SIZE + 1}", "Expect: 100-continue")
        problem_of(line.answer(), 413, "too_large")
        assert line.is_closed_after_that()


@process
def test_what_arrives_is_counted_where_nothing_is_declared(game: Game) -> None:
    with Line(game) as line:
        line.begin(API, "Transfer-Encoding: chunked")
        line.send_chunk(b"x" * SIZE)
        line.send_chunk(b"x")
        problem_of(line.answer(), 413, "too_large")  # though the body has not ended
        assert line.is_closed_after_that()


@process
def test_one_chunk_that_is_too_large_is_cut(game: Game) -> None:
    with Line(game) as line:
        line.begin(API, "Transfer-Encoding: chunked")
        line.send(b"%x\r\n" % (100 * MIB))
        line.send(b"x" * (SIZE + 1))
        problem_of(line.answer(), 413, "too_large")


@process
def test_more_than_was_declared_is_no_part_of_the_body(game: Game) -> None:
    with Line(game) as line:
        line.begin(API, "Content-Length: 2")
        line.send(b"{}" + b"x" * 20_000)
        problem_of(line.answer(), 401, "not_signed_in")
        with suppress(ConnectionResetError):  # the rest was read as a request, which it is not
            assert line.is_closed_after_that()


@process
@pytest.mark.parametrize("is_declared", [True, False])
def test_exactly_the_limit_comes_through(game: Game, is_declared: bool) -> None:
    with Line(game) as line:
        if is_declared:
            line.begin(API, f"Content-Length: {SIZE}")
            line.send(b"x" * SIZE)
        else:
            line.begin(API, "Transfer-Encoding: chunked")
            line.send_chunk(b"x" * SIZE)
            line.send(b"0\r\n\r\n")
        problem_of(line.answer(), 401, "not_signed_in")  # by the application, and the connection goes on
        line.begin(API, "Content-Length: 0")
        problem_of(line.answer(), 401, "not_signed_in")


@process
def test_an_ordinary_client_reads_why(game: Game) -> None:
    """One that sends everything before it looks: 64 MiB, far more than fits between the two programs."""
    connection = http.client.HTTPConnection(game.host, timeout=20)
    connection.request("POST", API, body=b"x" * (64 * MIB))
    response = connection.getresponse()
    assert (response.status, json.loads(response.read())["code"]) == (413, "too_large")
    connection.close()


@process
@pytest.mark.parametrize("header", [f"Content-Length: {200 * MIB}", "Transfer-Encoding: chunked"])
def test_many_at_once_fill_neither_disk_nor_memory(game: Game, scratch: Path, header: str) -> None:
    before = memory(game)
    with ExitStack() as stack:
        lines = [stack.enter_context(Line(game)) for _ in range(20)]
        for line in lines:
            line.begin(API, header)
            if header.startswith("Content-Length"):
                line.send(b"x" * (8 * MIB))
            else:
                line.send_chunk(b"x" * (8 * MIB))
        for line in lines:
            problem_of(line.answer(), 413, "too_large")
        assert stored(game, scratch) == []  # with every connection still open
    assert list(scratch.iterdir()) == []
    assert memory(game) - before < 60 * MIB  # of the 160 that were sent


def stored(game: Game, scratch: Path) -> list[str]:
    """Files without a name: what a request's body is kept in."""
    links = []
    for descriptor in Path(f"/proc/{game.process.pid}/fd").iterdir():
        try:
            links.append(str(descriptor.readlink()))
        except FileNotFoundError:
            continue
    return [link for link in links if link.startswith(str(scratch))]


def memory(game: Game) -> int:
    status = Path(f"/proc/{game.process.pid}/status").read_text()
    return 1024 * int(status.split("VmRSS:")[1].split()[0])


@process
def test_a_body_on_its_way_would_be_seen(game: Game, scratch: Path) -> None:
    with Line(game) as line:
        line.begin(API, f"Content-Length: {SIZE}")
        line.send(b"x" * (SIZE - 1))
        while not stored(game, scratch):
            pass
        line.send(b"x")
        problem_of(line.answer(), 401, "not_signed_in")


class NoServer:
    """As much of a server as a connection needs before its request is complete."""

    def protocol_connected(self, protocol: object) -> None: ...

    def protocol_disconnected(self, protocol: object) -> None: ...


class Transport(StringTransport):
    is_write_closed = False

    def loseWriteConnection(self) -> None:  # noqa: N802 - Twisted's name
        self.is_write_closed = True


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def connection(clock: Clock) -> Any:
    factory = BoundedHTTPFactory(NoServer())
    factory.reactor = clock
    protocol = factory.buildProtocol(None)
    protocol.makeConnection(Transport())  # type: ignore[no-untyped-call]
    return protocol


def test_a_body_that_does_not_arrive_is_given_up(clock: Clock, connection: Any) -> None:
    connection.dataReceived(
        b"POST /api/v1/campaigns HTTP/1.1\r\nHost: localhost\r\nContent-Length: 500\r\n\r\n"
    )
    transport = connection._channel.transport
    for _ in range(ORDINARY.seconds):  # a byte a second, so that it is never idle
        assert transport.value() == b""
        connection.dataReceived(b"x")
        clock.advance(1)
    head, _, body = transport.value().partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 408 ")
    assert json.loads(body)["code"] == "too_slow"
    assert transport.is_write_closed
    assert not transport.disconnecting
    clock.advance(30)
    assert transport.disconnecting


def test_a_client_that_never_stops_sending_is_not_waited_for(clock: Clock, connection: Any) -> None:
    connection.dataReceived(b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n")
    transport = connection._channel.transport
    for _ in range(60):
        connection.dataReceived(b"%x\r\n%s\r\n" % (MIB, b"x" * MIB))
        clock.advance(1)
        if transport.disconnecting:
            break
    assert transport.disconnecting
    assert transport.value().startswith(b"HTTP/1.1 413 ")


def test_a_client_that_goes_away_leaves_no_timer(clock: Clock, connection: Any) -> None:
    connection.dataReceived(b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 500\r\n\r\nabc")
    assert clock.getDelayedCalls()
    connection._channel.connectionLost(None)
    assert clock.getDelayedCalls() == []


@pytest.mark.parametrize(
    ("target", "size"),
    [
        (b"/", 2),
        (b"/api/v1/campaigns/7/turns", 2),
        (b"/api/v1/campaigns/7/knowledge", 3),
        (b"/campaigns/7/knowledge/?next=/", 3),
        (b"/campaigns/7/knowledgeable", 2),
        (b"/campaigns/7/k%6eowledge/", 2),
        (b"/sign-in/?/campaigns/7/knowledge/", 2),
        (b"//campaigns/7/knowledge/", 2),
        (b"*", 2),
        (b"", 2),
    ],
)
def test_a_path_has_its_limit(target: bytes, size: int) -> None:
    assert limit_for(target).size == size * MIB
