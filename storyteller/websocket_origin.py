"""Which WebSocket handshakes are heard: those from a page of this game, at a name the game answers to.

A browser lets any page open a socket to any address and sends this site's cookies along; the same-origin rule
that guards other requests does not hold there. The Origin header is the one thing such a page cannot forge.
"""

from collections.abc import Awaitable, Callable, Iterable
from typing import Any

from django.conf import settings
from django.http.request import split_domain_port, validate_host

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

_DEFAULT_PORTS = {"http": "80", "https": "443"}
_PAGE_SCHEMES = {"ws": "http", "wss": "https"}


class SameOrigin:
    """Passes on handshakes of this game's own pages and refuses all others before they are accepted."""

    def __init__(self, application: Application) -> None:
        self.application = application

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        host, origin = _only(scope["headers"], b"host"), _only(scope["headers"], b"origin")
        # Daphne does not tell ws from wss; then the page's own scheme says which port goes without saying.
        if is_same_origin(host=host, origin=origin, page_scheme=_PAGE_SCHEMES.get(scope.get("scheme", ""))):
            await self.application(scope, receive, send)
        else:
            await refuse_socket(scope, receive, send)


async def refuse_socket(scope: Scope, receive: Receive, send: Send) -> None:
    """End a handshake unaccepted, which the server answers with 403."""
    await receive()
    await send({"type": "websocket.close"})


def is_same_origin(*, host: str, origin: str, page_scheme: str | None = None) -> bool:
    """Whether the page at ``origin`` is served under ``host``, which is one of this game's names."""
    scheme, separator, authority = origin.lower().partition("://")
    if not separator or scheme not in _DEFAULT_PORTS or page_scheme not in (None, scheme):
        return False
    domain, _ = split_domain_port(host)
    if not domain or not validate_host(domain, settings.ALLOWED_HOSTS):
        return False
    return _with_port(authority, scheme) == _with_port(host.lower(), scheme)


def _with_port(authority: str, scheme: str) -> tuple[str, str]:
    domain, port = split_domain_port(authority)
    return domain, port or _DEFAULT_PORTS[scheme]


def _only(headers: Iterable[tuple[bytes, bytes]], name: bytes) -> str:
    """A header's value, or nothing unless it was sent exactly once."""
    values = [value for key, value in headers if key.lower() == name]
    return values[0].decode("latin-1") if len(values) == 1 else ""
