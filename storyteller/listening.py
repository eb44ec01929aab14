"""Where the server listens: which addresses are this machine's alone, and whether a port is free."""

import errno
import ipaddress
import socket

from storyteller.errors import ListenError


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a server there. A name other than localhost may point anywhere."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def is_every_address(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_unspecified
    except ValueError:
        return False


def in_url(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def open_listener(host: str, port: int) -> socket.socket:
    """A socket that listens there already; what connects waits until it is served. Raises ListenError."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listener = socket.socket(family, kind, protocol)
    except OSError as error:
        raise ListenError(f"The address {host} cannot be used: {error.strerror}.") from error
    try:
        # Without this a port stays taken for a minute after the game on it has ended.
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(128)
        listener.settimeout(0)  # the reactor accepts until nobody is left; it must not wait for the next
    except OSError as error:
        listener.close()
        raise ListenError(_why_not(host, port, error)) from error
    return listener


def _why_not(host: str, port: int, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return (
            f"Port {port} is taken. If a game is running there already, open http://{in_url(host)}:{port}/ "
            "(manage.py sign_in_link prints a link for it). Else choose another port, for example: "
            f"--port {port % 65535 + 1}"
        )
    if error.errno == errno.EACCES:
        return f"Port {port} is not open to this account. Choose one above 1023, for example: --port 8000"
    return f"The game cannot listen on {host} port {port}: {error.strerror}."
