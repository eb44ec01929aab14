"""Requests whose bodies are held to their limits while they arrive.

Daphne stores a whole body, in a file from 100,000 bytes on, before the application hears of the request, so
that the application can refuse nothing that matters: a stranger could fill the disk. Here the declared length
is looked at before anything is read, and what arrives is counted.
"""

from collections.abc import Callable
from io import BytesIO
from typing import Any

from daphne.http_protocol import HTTPFactory, WebRequest
from django.http import HttpResponse

from storyteller.body_limits import ORDINARY, limit_for, too_large, too_slow

# A connection that is closed while bytes wait in it is reset, and the reset can overtake the answer. So long
# the rest of a refused body is read, and dropped, for the client to come to reading.
_LINGER_SECONDS = 5


class BoundedRequest(WebRequest):  # type: ignore[misc]  # Daphne has no types
    """A request that is refused once its body is known to be too large, or takes too long to come."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        # Django reads forms. Twisted would read each before that, whole and in the event loop, for nobody.
        super().__init__(*args, parsePOSTFormSubmission=False, **kwargs)
        self._limit = ORDINARY
        self._received = 0
        self._is_refused = False
        self._timer: Any = None

    def gotLength(self, length: int | None) -> None:  # noqa: N802 - Twisted's name
        self._limit = limit_for(self._target)
        if length is not None and length > self._limit.size:
            self.content = BytesIO()
            self._refuse(too_large)
            return
        super().gotLength(length)
        if length != 0:
            self._start_timer(self._limit.seconds, self._refuse, too_slow)

    def handleContentChunk(self, data: bytes) -> None:  # noqa: N802
        if self._is_refused:
            return
        self._received += len(data)
        if self._received > self._limit.size:
            self._refuse(too_large)
        else:
            super().handleContentChunk(data)

    def requestReceived(self, command: bytes, path: bytes, version: bytes) -> None:  # noqa: N802
        self._stop_timer()
        if self._is_refused:
            self._close()
        else:
            super().requestReceived(command, path, version)

    def connectionLost(self, reason: Any) -> None:  # noqa: N802
        self._stop_timer()
        super().connectionLost(reason)

    @property
    def _target(self) -> bytes:
        # Known to the connection alone until the body is complete.
        target: bytes = self.channel._path
        return target

    def _refuse(self, why: Callable[[bytes], HttpResponse]) -> None:
        """Answer at once, let go of what came, and keep the connection just long enough to be heard."""
        self._is_refused = True
        self.content.close()
        self.content = BytesIO()
        self.requestHeaders.removeHeader(b"expect")  # or it would be told to go on
        self.channel.persistent = False
        self._write(why(self._target))
        self.channel.transport.loseWriteConnection()
        self._start_timer(_LINGER_SECONDS, self._close)

    def _write(self, answer: HttpResponse) -> None:
        self.method, self.uri = self.channel._command, self._target
        self.clientproto = self.channel._version
        self.setResponseCode(answer.status_code)
        answer["Connection"], answer["Content-Length"] = "close", str(len(answer.content))
        for name, value in answer.items():
            self.responseHeaders.addRawHeader(name.encode(), value.encode())
        self.write(answer.content)

    def _close(self) -> None:
        self._stop_timer()
        self.finish()

    def _start_timer(self, seconds: int, act: Callable[..., None], *arguments: object) -> None:
        self._stop_timer()
        self._timer = self.channel.callLater(seconds, act, *arguments)

    def _stop_timer(self) -> None:
        if self._timer is not None and self._timer.active():
            self._timer.cancel()


class BoundedHTTPFactory(HTTPFactory):  # type: ignore[misc]
    """Daphne's connections, with requests that know their limits."""

    def buildProtocol(self, address: Any) -> Any:  # noqa: N802
        protocol = super().buildProtocol(address)
        protocol.requestFactory = BoundedRequest
        return protocol
