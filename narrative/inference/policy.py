"""Where a model may run: on this machine, and on those of the local network that the operator lists.

An address is judged twice: the way it is written (``parse_endpoint``) and, at every connection, what it
resolves to (``EndpointPolicy.check``). Spellings such as ``127.1``, ``0x7f000001`` or a name say nothing by
themselves; only resolved addresses are trusted. Which addresses are allowed is decided in ``EndpointPolicy``
alone:

    this machine                          always, with or without TLS
    a private address that is listed      over TLS; without it only where it is listed with http://
    a name that is listed                 as long as every address it leads to is private or this machine
    any other address, public or not      never, listed or not
"""

import ipaddress
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from narrative.inference.base import RefusedByPolicyError

EXAMPLE = "http://127.0.0.1:11434"
DEFAULT_PORTS = {"http": 80, "https": 443}
# Ollama on this machine passes a request for such a model on to its maker's servers.
REMOTE_MODEL_ENDINGS = (":cloud", "-cloud")
# The entry in the list of allowed endpoints that lets such models be used.
REMOTE_MODELS_ENTRY = ":cloud"

IPAddress = ipaddress.IPv4Address | ipaddress.IPv6Address
IPNetwork = ipaddress.IPv4Network | ipaddress.IPv6Network

# RFC 1918, RFC 4193 and the link-local ranges: what can be listed at all.
PRIVATE_NETWORKS: tuple[IPNetwork, ...] = tuple(
    ipaddress.ip_network(text)
    for text in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16", "fc00::/7", "fe80::/10")
)
# Inside those ranges, but no machine of anybody's: they hand a cloud machine its credentials.
METADATA_NETWORKS: tuple[IPNetwork, ...] = tuple(
    ipaddress.ip_network(text)
    for text in ("169.254.169.254/32", "169.254.170.0/24", "169.254.169.253/32", "fd00:ec2::/32")
)


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


@dataclass(frozen=True, slots=True)
class EndpointPolicy:
    """What the operator lists beside this machine. The default lists nothing."""

    networks: tuple[IPNetwork, ...] = ()
    names: frozenset[str] = frozenset()
    # Hosts, by name or address, that may be spoken to without TLS.
    plain_hosts: frozenset[str] = frozenset()
    allows_remote_models: bool = False

    @classmethod
    def from_entries(cls, entries: Iterable[str]) -> "EndpointPolicy":
        """Read a list such as ``192.168.1.20``, ``10.1.0.0/16``, ``den.lan``, ``http://den.lan``, ``:cloud``.

        Raises ValueError with a sentence about the first entry that cannot be listed.
        """
        networks: list[IPNetwork] = []
        names: set[str] = set()
        plain: set[str] = set()
        allows_remote_models = False
        for entry in entries:
            if entry == REMOTE_MODELS_ENTRY:
                allows_remote_models = True
                continue
            host = _listed_host(entry)
            network = _listed_network(entry, host)
            if network is None:
                names.add(host)
            else:
                networks.append(network)
            if entry.startswith("http://"):
                if network is not None and network.num_addresses > 1:
                    raise ValueError(
                        f"{entry!r}: TLS can be left out for single hosts only, not for a network."
                    )
                plain.add(_host_key(host))
        return cls(tuple(networks), frozenset(names), frozenset(plain), allows_remote_models)

    def check(self, endpoint: Endpoint, addresses: Sequence[str]) -> list[str]:
        """Return ``addresses`` if every one of them may be connected to; otherwise refuse them all.

        A mixed answer is refused whole: which of its addresses is used would be up to whoever gave it.
        """
        parsed = [_address(address) for address in addresses]
        if not parsed or not all(self._is_allowed(endpoint.host, address) for address in parsed):
            raise RefusedByPolicyError(_refusal(endpoint.host, parsed))
        is_here = all(address is not None and address.is_loopback for address in parsed)
        if endpoint.scheme != "https" and not is_here and _host_key(endpoint.host) not in self.plain_hosts:
            raise RefusedByPolicyError(
                f"{endpoint.host} is not this machine, so it is spoken to over TLS only. Write its address "
                f"with https://, or list http://{bracketed(endpoint.host)} in STORYTELLER_ALLOWED_ENDPOINTS "
                "to send stories over your network unencrypted."
            )
        return list(addresses)

    def check_model(self, name: str, *, is_remote: bool) -> None:
        """Refuse a model that runs on somebody else's machine, unless such models are allowed."""
        if is_remote and not self.allows_remote_models:
            raise remote_model_refused(name)

    def _is_allowed(self, host: str, address: IPAddress | None) -> bool:
        if address is None:
            return False
        if address.is_loopback:
            return True
        is_listed = host in self.names or any(address in network for network in self.networks)
        return is_listed and _is_private(address)


def check_written_address(url: str, policy: EndpointPolicy) -> Endpoint:
    """Judge ``url`` as far as it can be without asking for a name: its form, and an IP address as its host.

    What a name leads to is judged at every connection. Raises RefusedByPolicyError.
    """
    endpoint = parse_endpoint(url)
    if _address(endpoint.host) is not None:
        policy.check(endpoint, [endpoint.host])
    return endpoint


def is_remote_model_name(name: str) -> bool:
    # Without what cannot be seen: a server may read a name without it as well.
    visible = "".join(character for character in name if character.isprintable()).strip()
    return visible.lower().endswith(REMOTE_MODEL_ENDINGS)


def remote_model_refused(name: str) -> RefusedByPolicyError:
    return RefusedByPolicyError(
        f"“{name}” runs on somebody else's machine, and stories stay on yours. Choose a model that runs "
        "here, on the settings page or with STORYTELLER_MODEL."
    )


def _host(parts: SplitResult) -> str:
    # A dot at the end makes glibc look 127.0.0.1 up as a name, on the network.
    host = (parts.hostname or "").removesuffix(".")
    if not host or host.endswith("."):
        raise RefusedByPolicyError(
            f"The model server's address names no host. Write it in the form {EXAMPLE}."
        )
    return host


def _address(text: str) -> IPAddress | None:
    """The address that is meant: an IPv4 one that is written inside an IPv6 one is the IPv4 one."""
    try:
        parsed = ipaddress.ip_address(text)
    except ValueError:
        return None
    if isinstance(parsed, ipaddress.IPv6Address) and parsed.ipv4_mapped is not None:
        return parsed.ipv4_mapped
    return parsed


def _host_key(host: str) -> str:
    """``host`` as it is compared: an address can be written in more than one way."""
    address = _address(host.split("/")[0])
    return host if address is None else str(address)


def _is_private(address: IPAddress) -> bool:
    return any(address in network for network in PRIVATE_NETWORKS) and not any(
        address in network for network in METADATA_NETWORKS
    )


def _listed_host(entry: str) -> str:
    """The host in an entry of the list, as a URL's host is compared: lower case, without a dot at its end."""
    host = entry.removeprefix("http://").removeprefix("https://").lower().removesuffix(".")
    host = host.removeprefix("[").removesuffix("]")
    has_port = host.count(":") == 1 or "]" in host
    if not host or has_port or any(sign in host for sign in "@?#%\\* ") or not host.isascii():
        raise ValueError(
            f"{entry!r} cannot be listed. Name a host (den.lan), a private address (192.168.1.20), a private "
            f"network (10.1.0.0/16), or {REMOTE_MODELS_ENTRY}; with no port and no path."
        )
    return host


def _listed_network(entry: str, host: str) -> IPNetwork | None:
    """The network that an entry lists; None where it lists a name."""
    try:
        network = ipaddress.ip_network(host, strict=False)
    except ValueError:
        if "/" in host or host.replace(".", "").isdigit():
            raise ValueError(f"{entry!r} is no network and no name of a host.") from None
        return None
    if network.is_loopback or any(_contains(private, network) for private in PRIVATE_NETWORKS):
        return network
    raise ValueError(
        f"{entry!r} is not a private address. Only those of a local network can be listed: 10.0.0.0/8, "
        "172.16.0.0/12, 192.168.0.0/16, fc00::/7 and link-local ones."
    )


def _contains(private: IPNetwork, network: IPNetwork) -> bool:
    if isinstance(private, ipaddress.IPv4Network) and isinstance(network, ipaddress.IPv4Network):
        return network.subnet_of(private)
    if isinstance(private, ipaddress.IPv6Network) and isinstance(network, ipaddress.IPv6Network):
        return network.subnet_of(private)
    return False


def _refusal(host: str, addresses: Sequence[IPAddress | None]) -> str:
    """Why a host is refused, and what to do: a private one can be listed, a public one cannot."""
    if addresses and all(
        address is not None and (address.is_loopback or _is_private(address)) for address in addresses
    ):
        return (
            f"{host} is not this machine. If it is a machine of your own network, list {host} in "
            "STORYTELLER_ALLOWED_ENDPOINTS and start the game again."
        )
    return (
        f"{host} is not on this machine or your own network, and stories stay there. Choose a server that "
        f"runs here, such as {EXAMPLE}, on the settings page or with STORYTELLER_INFERENCE_URL, or the "
        "rehearsal narrator."
    )
