"""The endpoint policy, a row for each way to write an address."""

import re

import pytest

from narrative.inference.base import RefusedByPolicyError
from narrative.inference.http import resolve
from narrative.inference.policy import (
    EndpointPolicy,
    check_written_address,
    is_remote_model_name,
    parse_endpoint,
)


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


# What is listed, what the address is, what its host leads to, and what is said where it is refused.
TABLE = [
    # This machine, however it is written.
    ("", "http://127.0.0.1:11434", ["127.0.0.1"], None),
    ("", "http://localhost", ["::1", "127.0.0.1"], None),
    ("", "http://127.9.9.9", ["127.9.9.9"], None),
    ("", "http://[::ffff:127.0.0.1]", ["::ffff:127.0.0.1"], None),
    ("", "https://my-pc", ["127.0.1.1"], None),
    # A private address: refused until it is listed.
    ("", "https://192.168.1.5", ["192.168.1.5"], "list 192.168.1.5 in"),
    ("192.168.1.5", "https://192.168.1.5:11434", ["192.168.1.5"], None),
    ("192.168.1.0/24", "https://192.168.1.5", ["192.168.1.5"], None),
    ("192.168.1.5", "https://192.168.1.6", ["192.168.1.6"], "list 192.168.1.6 in"),
    ("10.0.0.0/8", "https://10.1.2.3", ["10.1.2.3"], None),
    ("172.16.0.0/12", "https://172.31.255.254", ["172.31.255.254"], None),
    ("172.16.0.0/12", "https://172.32.0.1", ["172.32.0.1"], "not on this machine or your own network"),
    ("fd00::/8", "https://[fd12::9]", ["fd12::9"], None),
    ("fe80::/10", "https://laptop.local", ["fe80::1%2"], None),
    ("169.254.0.0/16", "https://169.254.7.7", ["169.254.7.7"], None),
    ("192.168.1.5", "https://192.168.1.5", ["::ffff:192.168.1.5"], None),
    ("10.0.0.0/8", "https://168430090", ["10.10.10.10"], None),
    # A name: what it leads to decides.
    ("den.lan", "https://den.lan:8443", ["192.168.1.5"], None),
    ("DEN.lan.", "https://den.LAN", ["192.168.1.5", "fd00::5"], None),
    ("den.lan", "https://den.lan", ["127.0.0.1"], None),
    ("den.lan", "https://other.lan", ["192.168.1.5"], "list other.lan in"),
    ("192.168.1.5", "https://den.lan", ["192.168.1.5"], None),
    ("den.lan", "https://den.lan", ["8.8.8.8"], "not on this machine or your own network"),
    ("den.lan", "https://den.lan", ["192.168.1.5", "8.8.8.8"], "not on this machine or your own network"),
    ("den.lan", "https://den.lan", [], "not on this machine"),
    # TLS outside this machine, unless the operator says otherwise for this one host.
    ("192.168.1.5", "http://192.168.1.5", ["192.168.1.5"], "TLS"),
    ("den.lan", "http://den.lan", ["192.168.1.5"], "TLS"),
    ("den.lan", "http://den.lan", ["127.0.0.1", "192.168.1.5"], "TLS"),
    ("http://192.168.1.5", "http://192.168.1.5:11434", ["192.168.1.5"], None),
    ("http://[fd00::5]", "http://[fd00:0::5]:11434", ["fd00::5"], None),
    ("http://den.lan", "http://den.lan", ["192.168.1.5"], None),
    ("http://den.lan, 192.168.1.6", "http://192.168.1.6", ["192.168.1.6"], "TLS"),
    # Never, listed or not.
    ("den.lan", "https://den.lan", ["169.254.169.254"], "not on this machine or your own network"),
    ("169.254.0.0/16", "http://169.254.169.254", ["169.254.169.254"], "not on this machine or your own"),
    ("fc00::/7", "https://[fd00:ec2::254]", ["fd00:ec2::254"], "not on this machine or your own network"),
    ("169.254.0.0/16", "https://169.254.170.2", ["169.254.170.2"], "not on this machine or your own"),
    ("den.lan", "https://den.lan", ["0.0.0.0"], "not on this machine or your own network"),  # noqa: S104
    ("den.lan", "https://den.lan", ["::"], "not on this machine or your own network"),
    ("den.lan", "https://den.lan", ["::ffff:8.8.8.8"], "not on this machine or your own network"),
    ("den.lan", "https://den.lan", ["64:ff9b::c0a8:105"], "not on this machine or your own network"),
    ("den.lan", "https://den.lan", ["2002:c0a8:105::1"], "not on this machine or your own network"),
    ("den.lan", "https://den.lan", ["::127.0.0.1"], "not on this machine or your own network"),
    ("den.lan", "https://den.lan", ["100.64.0.1"], "not on this machine or your own network"),
    ("den.lan", "https://den.lan", ["224.0.0.1"], "not on this machine or your own network"),
    ("den.lan", "https://den.lan", ["not an address"], "not on this machine or your own network"),
    ("", "https://8.8.8.8", ["8.8.8.8"], "not on this machine or your own network"),
]


@pytest.mark.parametrize(("listed", "url", "addresses", "refusal"), TABLE)
def test_the_policy(listed: str, url: str, addresses: list[str], refusal: str | None) -> None:
    policy = EndpointPolicy.from_entries(entry.strip() for entry in listed.split(",") if entry)
    endpoint = parse_endpoint(url)
    if refusal is None:
        assert policy.check(endpoint, addresses) == addresses
        return
    with pytest.raises(RefusedByPolicyError) as refused:
        policy.check(endpoint, addresses)
    assert refusal in refused.value.message


@pytest.mark.parametrize(
    "entry",
    [
        "8.8.8.8",
        "0.0.0.0/0",
        "::/0",
        "192.168.0.0/8",
        "172.0.0.0/8",
        "2001:db8::/32",
        "http://10.0.0.0/8",
        "192.168.1.5:11434",
        "[fd00::5]:11434",
        "http://den.lan/v1",
        "user@den.lan",
        "*.lan",
        "1234",
        "1.2.3",
        "http://",
        "dén.lan",
    ],
)
def test_what_cannot_be_listed_is_named(entry: str) -> None:
    with pytest.raises(ValueError, match=re.escape(repr(entry))):
        EndpointPolicy.from_entries([entry])


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
        ("192.168.257", False),
    ],
)
async def test_odd_spellings_are_judged_by_what_they_resolve_to(host: str, is_allowed: bool) -> None:
    addresses = await resolve(host, 11434)
    endpoint = parse_endpoint(f"http://[{host}]" if ":" in host else f"http://{host}")
    if is_allowed:
        assert EndpointPolicy().check(endpoint, addresses)
    else:
        with pytest.raises(RefusedByPolicyError):
            EndpointPolicy().check(endpoint, addresses)


def test_a_written_address_is_judged_without_asking_anybody() -> None:
    policy = EndpointPolicy.from_entries(["192.168.1.5"])
    assert check_written_address("https://192.168.1.5", policy).host == "192.168.1.5"
    assert check_written_address("http://a-name.example", policy).host == "a-name.example"
    for url in ("http://192.168.1.5", "https://192.168.1.6", "https://1.1.1.1"):
        with pytest.raises(RefusedByPolicyError):
            check_written_address(url, policy)


def test_a_model_that_runs_elsewhere_is_refused_unless_such_models_are_listed() -> None:
    with pytest.raises(RefusedByPolicyError, match="somebody else's machine"):
        EndpointPolicy().check_model("glm:cloud", is_remote=True)
    EndpointPolicy().check_model("glm", is_remote=False)
    EndpointPolicy.from_entries([":cloud"]).check_model("glm:cloud", is_remote=True)


@pytest.mark.parametrize(
    ("name", "is_remote"),
    [
        ("gpt-oss:120b-cloud", True),
        ("glm:Cloud", True),
        ("GPT:CLOUD ", True),
        ("x:cloud\u200b", True),
        ("cloudy:7b", False),
        ("llama3.2:3b", False),
    ],
)
def test_models_that_run_elsewhere_are_known_by_name(name: str, is_remote: bool) -> None:
    assert is_remote_model_name(name) is is_remote
