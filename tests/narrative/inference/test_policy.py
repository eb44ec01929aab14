"""The endpoint policy, a row for each way to write an address."""

import pytest

from narrative.inference.base import RefusedByPolicyError
from narrative.inference.http import resolve
from narrative.inference.policy import check_addresses, is_remote_model_name, parse_endpoint


@pytest.mark.parametrize(
    ("url", "host", "port", "path"),
    [
        ("http://127.0.0.1:11434", "127.0.0.1", 11434, ""),
        (" http://localhost:8080/v1/ ", "localhost", 8080, "/v1"),
        ("https://localhost", "localhost", 443, ""),
        ("http://LOCALHOST", "localhost", 80, ""),
        ("http://[::1]:5001/api", "::1", 5001, "/api"),
        ("http://127.0.0.1.:11434", "127.0.0.1", 11434, ""),
        ("http://127.1", "127.1", 80, ""),
        ("http://2130706433", "2130706433", 80, ""),
    ],
)
def test_an_address_is_taken_apart(url: str, host: str, port: int, path: str) -> None:
    endpoint = parse_endpoint(url)
    assert (endpoint.host, endpoint.port, endpoint.path) == (host, port, path)


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("", "http://"),
        ("127.0.0.1:11434", "http://"),
        ("localhost:11434", "http://"),
        ("ftp://127.0.0.1", "http://"),
        ("file:///etc/passwd", "http://"),
        ("http://", "no host"),
        ("http://.", "no host"),
        ("http://127.0.0.1..", "no host"),
        ("http://user:secret@127.0.0.1", "STORYTELLER_INFERENCE_KEY"),
        ("http://@127.0.0.1", "STORYTELLER_INFERENCE_KEY"),
        ("http://127.0.0.1:0", "Port 0"),
        ("http://127.0.0.1:99999", "cannot be read"),
        ("http://[::1", "cannot be read"),
        ("http://127.0.0.1\\@8.8.8.8", "characters"),
        ("http://127.0.0.1\n.example", "characters"),
        ("http://127.0.0.1/?key=secret", "characters"),
        ("http://127.0.0.1/#secret", "characters"),
        ("http://[fe80::1%25eth0]", "characters"),
        ("http://１２７.0.0.1", "characters"),
        ("http://127。0。0。1", "characters"),
    ],
)
def test_what_is_no_server_address_is_refused(url: str, said: str) -> None:
    with pytest.raises(RefusedByPolicyError) as refusal:
        parse_endpoint(url)
    assert said in refusal.value.message
    assert "secret" not in refusal.value.message


@pytest.mark.parametrize(
    "addresses", [["127.0.0.1"], ["::1"], ["::1", "127.0.0.1"], ["127.9.9.9"], ["::ffff:127.0.0.1"]]
)
def test_this_machine_is_allowed(addresses: list[str]) -> None:
    assert check_addresses("localhost", addresses) == addresses


@pytest.mark.parametrize(
    "addresses",
    [
        [],
        ["0.0.0.0"],  # noqa: S104 - refused, not bound
        ["::"],
        ["8.8.8.8"],
        ["::ffff:8.8.8.8"],
        ["::ffff:0.0.0.0"],
        ["192.168.1.5"],
        ["10.0.0.1"],
        ["169.254.169.254"],
        ["fe80::1%1"],
        ["fd00::1"],
        ["64:ff9b::7f00:1"],
        ["::127.0.0.1"],
        ["127.0.0.1", "8.8.8.8"],
        ["::1", "192.168.1.5"],
        ["not an address"],
    ],
)
def test_everything_else_is_refused(addresses: list[str]) -> None:
    with pytest.raises(RefusedByPolicyError, match="STORYTELLER_INFERENCE_URL"):
        check_addresses("models.example", addresses)


@pytest.mark.parametrize(
    ("host", "is_allowed"),
    [
        ("127.1", True),
        ("0x7f000001", True),
        ("2130706433", True),
        ("017700000001", True),
        ("localhost", True),
        ("::1", True),
        ("0", False),
        ("134744072", False),
        ("0x08080808", False),
        ("::ffff:8.8.8.8", False),
    ],
)
async def test_odd_spellings_are_judged_by_what_they_resolve_to(host: str, is_allowed: bool) -> None:
    addresses = await resolve(host, 11434)
    if is_allowed:
        assert check_addresses(host, addresses)
    else:
        with pytest.raises(RefusedByPolicyError):
            check_addresses(host, addresses)


@pytest.mark.parametrize(
    ("name", "is_remote"),
    [("gpt-oss:120b-cloud", True), ("glm:Cloud", True), ("cloudy:7b", False), ("llama3.2:3b", False)],
)
def test_models_that_run_elsewhere_are_known_by_name(name: str, is_remote: bool) -> None:
    assert is_remote_model_name(name) is is_remote
