"""Whose certificate is trusted, with real TLS on loopback."""

import ssl
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from narrative.inference.base import RefusedByPolicyError, UnreachableError
from narrative.inference.http import HttpClient, Timeouts
from narrative.inference.ollama import OllamaBackend
from narrative.inference.trust import tls_context
from tests.inference_servers.certificates import Authority, make_authority
from tests.inference_servers.scripted import ScriptedServer
from tests.narrative.inference.servers import ask, read

TIMEOUTS = Timeouts(first_token=20, between_tokens=20)
Serve = Callable[[Path], ScriptedServer]


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return make_authority(tmp_path)


@pytest.fixture
def serve() -> Iterator[Serve]:
    with ExitStack() as stack:
        yield lambda certificate: stack.enter_context(ScriptedServer(certificate=certificate))


@pytest.fixture(autouse=True)
def _fresh_trust() -> Iterator[None]:
    tls_context.cache_clear()
    yield
    tls_context.cache_clear()


async def _here(host: str, port: int) -> list[str]:
    return ["127.0.0.1"]


def client_of(server: ScriptedServer, host: str, *, ca_file: Path | str = "") -> HttpClient:
    url = server.url.replace("127.0.0.1", host)
    return HttpClient(url, TIMEOUTS, resolve=_here, ca_file=str(ca_file))


@pytest.mark.parametrize("host", ["den.test", "127.0.0.1"])
async def test_an_authority_of_the_operators_own(authority: Authority, serve: Serve, host: str) -> None:
    server = serve(authority.sign(host))
    text, *_ = await read(OllamaBackend(client_of(server, host, ca_file=authority.file)), ask())
    assert text == "You wake in the rain."


async def test_an_authority_in_the_systems_store(
    authority: Authority, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.file))
    assert await client_of(serve(authority.sign("den.test")), "den.test").call("/api/version")


def test_certifis_authorities_are_trusted_beside_the_systems(
    authority: Authority, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.file))
    monkeypatch.setenv("SSL_CERT_DIR", str(authority.folder / "nothing"))
    assert len(tls_context().get_ca_certs()) > 50


@pytest.mark.parametrize("is_expired", [False, True])
async def test_what_is_not_trusted_is_sent_nothing(
    authority: Authority, serve: Serve, *, is_expired: bool
) -> None:
    server = serve(authority.sign("den.test", is_expired=is_expired))
    ca_file = authority.file if is_expired else ""
    with pytest.raises(RefusedByPolicyError, match=r"certificate of den\.test.*STORYTELLER_CA_FILE"):
        await read(OllamaBackend(client_of(server, "den.test", ca_file=ca_file)), ask())
    assert server.requests == []


async def test_a_certificate_for_another_name(authority: Authority, serve: Serve) -> None:
    server = serve(authority.sign("other.test"))
    with pytest.raises(RefusedByPolicyError, match=r"certificate of den\.test cannot be trusted"):
        await client_of(server, "den.test", ca_file=authority.file).call("/api/version")
    assert server.requests == []


async def test_a_server_that_speaks_no_tls(scripted_server: ScriptedServer) -> None:
    url = scripted_server.url.replace("http://", "https://")
    with pytest.raises(UnreachableError, match="does not speak TLS"):
        await HttpClient(url, TIMEOUTS).call("/api/version")


@pytest.mark.parametrize("content", [None, "no certificate"])
def test_a_file_of_no_certificates(tmp_path: Path, content: str | None) -> None:
    path = tmp_path / "authority.pem"
    if content is not None:
        path.write_text(content)
    with pytest.raises((FileNotFoundError, ssl.SSLError)):
        tls_context(str(path))
