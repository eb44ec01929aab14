"""All outgoing HTTP. No other module of the project opens a connection.

A host name is resolved here, its addresses are judged by the policy, and the connection goes to an address
that was judged: a name that answers differently a moment later gains nothing. Redirects and proxies are never
followed. Everything read is bounded in size and in silence, and every failure is one of the typed errors.
"""

import asyncio
import json
import socket
import ssl
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from typing import cast

import httpx

from narrative.inference.base import BadResponseError, InferenceError, RefusedByPolicyError, UnreachableError
from narrative.inference.policy import Endpoint, EndpointPolicy, bracketed, parse_endpoint
from narrative.inference.reading import LineStream, Patience, decode, read_body
from narrative.inference.server_json import JsonObject, parse_object
from narrative.inference.trust import tls_context

CONNECT_TIMEOUT = 3.0

Resolver = Callable[[str, int], Awaitable[Sequence[str]]]


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Seconds of silence a server is granted. There is no limit on a whole reply."""

    first_token: float
    between_tokens: float
    lookup: float = 10.0


class StatusError(BadResponseError):
    """The server answered with an error status. Back ends turn the ones they know into better errors."""

    def __init__(self, message: str, *, status: int, body: str) -> None:
        super().__init__(message)
        self.status = status
        self.body = body


async def resolve(host: str, port: int) -> list[str]:
    """The addresses this machine knows for ``host``, in order of preference."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


@dataclass(frozen=True, slots=True)
class HttpClient:
    """Speaks to the one model server at ``url``. Making one checks nothing and opens nothing."""

    url: str
    timeouts: Timeouts
    key: str = field(default="", repr=False)
    resolve: Resolver = resolve
    policy: EndpointPolicy = field(default_factory=EndpointPolicy)
    # A file of certificates that are trusted beside the system's and certifi's.
    ca_file: str = ""

    async def check_endpoint(self) -> None:
        """Judge the address as every connection does, without connecting. Raises InferenceError."""
        await self._checked_addresses(parse_endpoint(self.url))

    @asynccontextmanager
    async def stream(self, path: str, payload: JsonObject) -> AsyncIterator[LineStream]:
        """POST ``payload`` and offer the answer's lines; leaving the block closes the connection at once."""
        patience = Patience(self.timeouts.first_token, self.timeouts.between_tokens)
        async with self._open("POST", path, payload, patience) as response:
            yield LineStream(_raw(response), patience)

    async def call(self, path: str, payload: JsonObject | None = None) -> JsonObject:
        """GET, or POST ``payload`` where there is one, and return the JSON object answered."""
        patience = Patience(self.timeouts.lookup, self.timeouts.lookup)
        method = "GET" if payload is None else "POST"
        async with self._open(method, path, payload, patience) as response:
            return parse_object(decode(await read_body(_raw(response), patience)))

    @asynccontextmanager
    async def _open(
        self, method: str, path: str, payload: JsonObject | None, patience: Patience
    ) -> AsyncIterator[httpx.Response]:
        endpoint = parse_endpoint(self.url)
        headers = self._headers(endpoint)
        addresses = await self._checked_addresses(endpoint)
        # Half a surrogate pair is no text, and llama.cpp refuses the whole request for it.
        content = (
            None if payload is None else json.dumps(payload, ensure_ascii=False).encode(errors="replace")
        )
        timeout = httpx.Timeout(None, connect=CONNECT_TIMEOUT)
        try:
            async with httpx.AsyncClient(
                trust_env=False, follow_redirects=False, verify=tls_context(self.ca_file), timeout=timeout
            ) as client:
                requests = [
                    client.build_request(
                        method,
                        f"{endpoint.scheme}://{bracketed(address)}:{endpoint.port}{endpoint.path}{path}",
                        content=content,
                        headers=headers,
                        extensions={"sni_hostname": endpoint.host},
                    )
                    for address in addresses
                ]
                async with patience.waiting():
                    response = await _send_to_first(client, requests)
                async with aclosing(response):
                    await self._check_status(response, patience)
                    yield response
        except (httpx.ConnectError, httpx.ConnectTimeout) as error:
            raise _no_connection(endpoint, error) from None
        except (httpx.HTTPError, httpx.InvalidURL):
            # Not chained: httpx quotes offending headers, the key among them.
            raise BadResponseError(
                "The model server broke the connection off before it had finished. Try again; "
                "if it happens again, look at the server's own log."
            ) from None
        except InferenceError as error:
            # Some servers quote the key they refuse, before the stream or inside it.
            error.message = self._without_key(error.message)
            error.args = (error.message,)
            raise

    def _without_key(self, text: str) -> str:
        return text.replace(self.key, "…") if self.key else text

    def _headers(self, endpoint: Endpoint) -> Mapping[str, str]:
        headers = {
            "Host": endpoint.authority,
            "Content-Type": "application/json",
            "Accept-Encoding": "identity",  # a compressed reply could unfold to any size
            "User-Agent": "adventure-storyteller",
        }
        if self.key:
            if not self.key.isascii() or not self.key.isprintable():
                raise RefusedByPolicyError(
                    "STORYTELLER_INFERENCE_KEY holds characters that cannot be sent. Copy the key again."
                )
            headers["Authorization"] = f"Bearer {self.key}"
        return headers

    async def _checked_addresses(self, endpoint: Endpoint) -> list[str]:
        try:
            async with asyncio.timeout(CONNECT_TIMEOUT):
                addresses = await self.resolve(endpoint.host, endpoint.port)
        except (OSError, UnicodeError):  # TimeoutError is an OSError
            raise UnreachableError(
                f"This machine does not know the host of {endpoint.url}. Check the address on the settings "
                "page (or STORYTELLER_INFERENCE_URL), or choose the rehearsal narrator."
            ) from None
        return self.policy.check(endpoint, addresses)

    async def _check_status(self, response: httpx.Response, patience: Patience) -> None:
        if response.is_success:
            return
        if response.status_code < 400:
            raise RefusedByPolicyError(
                "The model server answered with a redirect, and redirects are never followed. Enter the "
                "address it really has on the settings page, or in STORYTELLER_INFERENCE_URL."
            )
        body = (await read_body(_raw(response), patience)).decode(errors="replace")
        raise StatusError(
            f"The model server answered with error {response.status_code}. "
            "Try again; if it happens again, look at the server's own log.",
            status=response.status_code,
            body=self._without_key(body),
        )


async def _send_to_first(client: httpx.AsyncClient, requests: Sequence[httpx.Request]) -> httpx.Response:
    """Send the request to the first address that can be connected to; nothing was sent to the others.

    localhost is ::1 as well as 127.0.0.1, and a server often listens on one of them alone.
    """
    for request in requests[:-1]:
        try:
            return await client.send(request, stream=True)
        except (httpx.ConnectError, httpx.ConnectTimeout):
            continue
    return await client.send(requests[-1], stream=True)


def _raw(response: httpx.Response) -> AsyncGenerator[bytes, None]:
    # httpx promises an iterator only, and gives a generator; it must be closed, not left to the collector.
    return cast(AsyncGenerator[bytes, None], response.aiter_raw())


def _no_connection(endpoint: Endpoint, error: Exception) -> InferenceError:
    """Why no connection came about: nobody there, or somebody whose certificate cannot be trusted."""
    cause = _tls_error(error)
    if isinstance(cause, ssl.SSLCertVerificationError):
        return RefusedByPolicyError(
            f"The certificate of {endpoint.host} cannot be trusted: {cause.verify_message.rstrip('.')}. If "
            "it is your own, put the certificate of its authority into a file and name that in "
            "STORYTELLER_CA_FILE."
        )
    if cause is not None:
        return UnreachableError(
            f"What answers at {endpoint.url} does not speak TLS. Write the address with http:// if the "
            "server is on this machine, or switch TLS on in the server."
        )
    return UnreachableError(
        f"Nothing answers at {endpoint.url}. Start the model server (for Ollama: ollama serve), enter where "
        "it is on the settings page (or in STORYTELLER_INFERENCE_URL), or choose the rehearsal narrator."
    )


def _tls_error(error: BaseException | None) -> ssl.SSLError | None:
    """The error of the TLS layer that lies behind one of httpx's, if there is one."""
    while error is not None:
        if isinstance(error, ssl.SSLError):
            return error
        error = error.__cause__ or error.__context__
    return None
