"""Where a model may run. For now: on this machine and nowhere else.

An address is judged twice: the way it is written (``parse_endpoint``) and, at every connection, what it
resolves to (``check_addresses``). Spellings such as ``127.1``, ``0x7f000001`` or a name say nothing by
themselves; only resolved addresses are trusted. Which addresses are allowed is decided in ``_is_allowed``
alone.
"""

import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from narrative.inference.base import RefusedByPolicyError

EXAMPLE = "http://127.0.0.1:11434"
DEFAULT_PORTS = {"http": 80, "https": 443}
# Ollama on this machine passes a request for such a model on to its maker's servers.
REMOTE_MODEL_ENDINGS = (":cloud", "-cloud")


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A model server's address as the operator wrote it, taken apart. ``path`` has no slash at its end."""

    scheme: str
    host: str
    port: int
    path: str

    @property
    def authority(self) -> str:
        """Host and port as a ``Host`` header names them."""
        host = bracketed(self.host)
        return host if self.port == DEFAULT_PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def url(self) -> str:
        return f"{self.scheme}://{self.authority}{self.path}"


def bracketed(host: str) -> str:
    """``host`` as it stands in a URL: an IPv6 address goes in brackets."""
    return f"[{host}]" if ":" in host else host


def parse_endpoint(url: str) -> Endpoint:
    """Take ``url`` apart; raise ``RefusedByPolicyError`` where it is not a plain server address.

    No message repeats the address: what was mistyped into it may be a password.
    """
    text = url.strip()
    if not text.isascii() or not text.isprintable() or any(sign in text for sign in " \\?#%"):
        raise RefusedByPolicyError(
            "The model server's address holds characters that do not belong in one. "
            f"Write it in the form {EXAMPLE}."
        )
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        raise RefusedByPolicyError(
            f"The model server's address cannot be read. Write it in the form {EXAMPLE}."
        ) from None
    if parts.scheme not in DEFAULT_PORTS:
        raise RefusedByPolicyError(
            f"The model server's address must begin with http:// or https://, as in {EXAMPLE}."
        )
    if "@" in parts.netloc:
        raise RefusedByPolicyError(
            "The model server's address holds a user name or password. Take it out; "
            "a key belongs in STORYTELLER_INFERENCE_KEY."
        )
    if port == 0:
        raise RefusedByPolicyError(f"Port 0 is not an address. Write the server's port, as in {EXAMPLE}.")
    return Endpoint(parts.scheme, _host(parts), port or DEFAULT_PORTS[parts.scheme], parts.path.rstrip("/"))


def check_addresses(host: str, addresses: Sequence[str]) -> list[str]:
    """Return ``addresses`` if every one of them may be connected to; otherwise refuse them all.

    A mixed answer is refused whole: which of its addresses is used would be up to whoever gave it.
    """
    if addresses and all(_is_allowed(address) for address in addresses):
        return list(addresses)
    raise RefusedByPolicyError(
        f"{host} is not this machine, and stories stay on this machine. Set STORYTELLER_INFERENCE_URL to a "
        f"server that runs here, such as {EXAMPLE}, or choose the rehearsal narrator."
    )


def is_remote_model_name(name: str) -> bool:
    return name.lower().endswith(REMOTE_MODEL_ENDINGS)


def remote_model_refused(name: str) -> RefusedByPolicyError:
    return RefusedByPolicyError(
        f"“{name}” runs on somebody else's machine, and stories stay on this one. "
        "Set STORYTELLER_MODEL to a model that runs here."
    )


def _host(parts: SplitResult) -> str:
    # A dot at the end makes glibc look 127.0.0.1 up as a name, on the network.
    host = (parts.hostname or "").removesuffix(".")
    if not host or host.endswith("."):
        raise RefusedByPolicyError(
            f"The model server's address names no host. Write it in the form {EXAMPLE}."
        )
    return host


def _is_allowed(address: str) -> bool:
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return False
    if isinstance(parsed, ipaddress.IPv6Address) and parsed.ipv4_mapped is not None:
        return parsed.ipv4_mapped.is_loopback
    return parsed.is_loopback
