"""A model server that does as it is told: real TCP on loopback, both APIs, every fault. The suite's one fake
edge.

    with ScriptedServer() as server:
        server.play("You wake in the rain.")               # text, streamed a word at a time
        server.play(Script(("You ", "wake."), fault=Fault.HANG_MIDWAY), "Again.")
        server.play(refusal(503, "server busy"))

``play`` sets the queue of answers to chat requests, one a request; the last repeats. The call that asks what
a turn changed answers from a queue of its own (``answer_changes``; nothing changed, until it is set) and is
kept in ``extractions``; so is the call for a memory or a summary (``answer_notes``, ``notes``), which is
answered by a function of its messages. Lookups (``/api/tags``,
``/api/show``, ``/api/version``, ``/v1/models``) answer from ``models``, name to context length; a name in
``remote_models`` is shown as one that runs elsewhere; a model in neither is a 404. Every request is kept in
``requests``, the chats among them in ``chats``. A ``Gate`` in a script holds its stream. ``client_closed`` is
set when a client hangs up before its answer is complete. ``refused_fields`` makes ``/v1`` answer 400 to a
body with one of them. With a ``certificate`` (a file with its key) it speaks TLS; scripts that wait do not
work then.

As a process: ``python -m tests.inference_servers.scripted --port 0 --reply "You wake." --rate 20`` prints
``READY http://127.0.0.1:PORT`` and serves until it is ended.
"""

import argparse
import json
import select
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tests.inference_servers.scripts import Fault, Gate, Script, in_words, refusal
from tests.inference_servers.wire import OllamaWire, OpenAIWire, Wire

__all__ = ["MODEL", "Fault", "Gate", "Received", "Script", "ScriptedServer", "in_words", "refusal"]

MODEL = "scripted"
POLL_SECONDS = 0.01
CHATS: dict[str, Wire] = {"/api/chat": OllamaWire(), "/v1/chat/completions": OpenAIWire()}


@dataclass(frozen=True, slots=True)
class Received:
    path: str
    headers: dict[str, str]
    body: dict[str, Any] = field(default_factory=dict)


class HungUpError(Exception):
    """The client closed its connection, or the server is closing."""


class ScriptedServer:
    """See the module. ``url`` is its address; it listens from the moment it is made."""

    def __init__(self, *, port: int = 0, certificate: Path | None = None) -> None:
        self.models = {MODEL: 8192}
        self.remote_models: set[str] = set()
        # Name to context window in use; None: every model is loaded.
        self.loaded: dict[str, int] | None = None
        self.capabilities: tuple[str, ...] = ("completion", "thinking")
        self.refused_fields: tuple[str, ...] = ()
        # Paths that begin with this are not known, as on a server with one of the APIs only.
        self.without: str | None = None
        self.version = "0.33.0"
        self.requests: list[Received] = []
        self.client_closed = threading.Event()
        self.is_closing = threading.Event()
        self._scripts = [Script(in_words("You wake in the rain."))]
        self._changes = [_answer([])]
        self._note: Callable[[list[dict[str, str]]], str | Script] = last_sentence
        self._lock = threading.Lock()
        self._http = _Listener(("127.0.0.1", port), self)
        if certificate is not None:
            tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            tls.load_cert_chain(certificate)
            self._http.socket = tls.wrap_socket(self._http.socket, server_side=True)
        scheme = "http" if certificate is None else "https"
        self.url = f"{scheme}://127.0.0.1:{self._http.server_address[1]}"
        self._thread = threading.Thread(target=self._http.serve_forever, args=(POLL_SECONDS,), daemon=True)
        self._thread.start()

    def play(self, *scripts: Script | str) -> None:
        with self._lock:
            self._scripts = [
                Script(in_words(script)) if isinstance(script, str) else script for script in scripts
            ]

    def next_script(self) -> Script:
        with self._lock:
            return self._scripts.pop(0) if len(self._scripts) > 1 else self._scripts[0]

    def answer_changes(self, *answers: Script | str | list[Any]) -> None:
        """What is answered to the calls that ask what changed: events, text as it is, or a script."""
        with self._lock:
            self._changes = [_answer(answer) for answer in answers]

    def next_change(self) -> Script:
        with self._lock:
            return self._changes.pop(0) if len(self._changes) > 1 else self._changes[0]

    def answer_notes(self, answer: Callable[[list[dict[str, str]]], str | Script]) -> None:
        """How calls for a memory or a summary are answered: by their messages."""
        self._note = answer

    def next_note(self, body: dict[str, Any]) -> Script:
        return _answer(self._note(body["messages"]))

    @property
    def chats(self) -> list[Received]:
        """Requests to tell a turn."""
        others = (asks_for_changes, asks_for_note)
        return [request for request in self._talks if not any(asks(request.body) for asks in others)]

    @property
    def notes(self) -> list[Received]:
        return [request for request in self._talks if asks_for_note(request.body)]

    @property
    def extractions(self) -> list[Received]:
        return [request for request in self._talks if asks_for_changes(request.body)]

    @property
    def _talks(self) -> list[Received]:
        return [
            request for request in self.requests if request.path in CHATS and request.body.get("messages")
        ]

    @property
    def loads(self) -> list[Received]:
        """Requests to load a model: chats without a message."""
        return [
            request
            for request in self.requests
            if request.path == "/api/chat" and not request.body.get("messages")
        ]

    def load(self, model: str, window: int) -> None:
        if self.loaded is not None:
            self.loaded[model] = window

    def close(self) -> None:
        self.is_closing.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def asks_for_changes(body: dict[str, Any]) -> bool:
    """Whether a chat is the call that asks what the last narration changed."""
    messages = body.get("messages") or [{}]
    return str(messages[-1].get("content", "")).startswith("[Read what was just told")


def asks_for_note(body: dict[str, Any]) -> bool:
    """Whether a chat asks for a memory or a summary."""
    messages = body.get("messages") or [{}]
    return str(messages[0].get("content", "")).startswith(("[Remember]", "[Summarize]"))


def last_sentence(messages: list[dict[str, str]]) -> str:
    """The last sentence that was told in a request for a note."""
    return messages[-1]["content"].rstrip(".").rsplit(". ", 1)[-1].rsplit("Story: ", 1)[-1] + "."


def _answer(answer: Script | str | list[Any]) -> Script:
    if isinstance(answer, Script):
        return answer
    text = answer if isinstance(answer, str) else json.dumps({"events": answer})
    return Script(in_words(text))


class _Listener(ThreadingHTTPServer):
    daemon_threads = False  # so that closing waits for the handlers and no socket outlives a test
    request_queue_size = 64

    def __init__(self, address: tuple[str, int], scripted: ScriptedServer) -> None:
        self.scripted = scripted
        super().__init__(address, _Handler)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Listener
    connection: socket.socket
    is_complete = False  # the last word is out: clients need not wait for the end of the body

    def log_message(self, format: str, *args: object) -> None:
        """Silent: the tests' output is for the tests."""

    def handle(self) -> None:
        try:
            super().handle()
        except (HungUpError, ConnectionError):
            if not self.is_complete and not self.server.scripted.is_closing.is_set():
                self.server.scripted.client_closed.set()

    def do_GET(self) -> None:
        self._receive()
        scripted = self.server.scripted
        names = [*scripted.models, *scripted.remote_models]
        if self._lacks_path():
            self._send(404, b"404 page not found", "text/plain")
        elif self.path == "/api/version":
            self._answer({"version": self.server.scripted.version})
        elif self.path == "/api/ps":
            loaded = scripted.models if scripted.loaded is None else scripted.loaded
            self._answer(
                {"models": [{"name": name, "context_length": length} for name, length in loaded.items()]}
            )
        elif self.path == "/api/tags":
            self._answer({"models": [{"name": name, "model": name, **self._origin(name)} for name in names]})
        elif self.path == "/v1/models":
            self._answer({"object": "list", "data": [{"id": name, "object": "model"} for name in names]})
        else:
            self._send(404, b"404 page not found", "text/plain")

    def do_POST(self) -> None:
        body = self._receive().body
        wire = CHATS.get(self.path)
        if self._lacks_path() or (wire is None and self.path != "/api/show"):
            self._send(404, b"404 page not found", "text/plain")
            return
        model = str(body.get("model", ""))
        refused = [name for name in self.server.scripted.refused_fields if name in body]
        if not self._has(model):
            self._fail(404, f"model '{model}' not found")
        elif wire is None:
            self._show(model)
        elif self.path == "/api/chat" and not body.get("messages"):
            self.server.scripted.load(model, body.get("options", {}).get("num_ctx", 4096))
            self._answer({"model": model, "done": True, "done_reason": "load"})
        elif refused:
            self._fail(400, f"Unrecognized request argument supplied: {refused[0]}")
        else:
            scripted = self.server.scripted
            if asks_for_note(body):
                script = scripted.next_note(body)
            else:
                script = scripted.next_change() if asks_for_changes(body) else scripted.next_script()
            self._play(script, wire, body)

    # -- chats -------------------------------------------------------------------------------------------

    def _play(self, script: Script, wire: Wire, body: dict[str, Any]) -> None:
        if script.fault is Fault.HANG_BEFORE:
            self._wait(lambda: False)
        if script.fault is Fault.REDIRECT:
            self._send(307, b"", "text/plain", {"Location": "http://127.0.0.1:1/elsewhere"})
        elif script.status != 200:
            self._send(script.status, script.body, "application/json")
        else:
            self.send_response(200)
            self.send_header("Content-Type", wire.content_type)
            self.send_header("Transfer-Encoding", "chunked")
            self.send_header("Connection", "close")
            self.end_headers()
            for data in self._stream(script, wire, body) if script.raw is None else [script.raw]:
                self._write_chunk(data)
            if script.fault is not Fault.CUT_MIDWAY:
                self._write_chunk(b"")

    def _stream(self, script: Script, wire: Wire, body: dict[str, Any]) -> Iterator[bytes]:
        model = str(body["model"])
        fault = None if script.fault is Fault.NO_END else script.fault
        for text in script.thinking:
            yield wire.thinking(model, text)
        due = time.monotonic()
        for count, text in enumerate(script.chunks):
            if self._hold(script, count):
                due = time.monotonic()
            if fault is not None and count == script.after:
                break
            yield wire.delta(model, text)
            if script.rate:
                # By the clock: a wait that took too long is made up for by the chunks after it.
                due += 1 / script.rate
                self._wait(lambda due=due: time.monotonic() >= due)  # type: ignore[misc]
        self._hold(script, len(script.chunks))
        if fault is not None:
            yield from self._break(fault, wire, model)
        elif script.fault is not Fault.NO_END:
            has_usage = bool((body.get("stream_options") or {}).get("include_usage"))
            self.is_complete = True
            yield wire.ending(model, script, has_usage=has_usage)

    def _break(self, fault: Fault, wire: Wire, model: str) -> Iterator[bytes]:
        if fault is Fault.HANG_MIDWAY:
            self._wait(lambda: False)
        elif fault is Fault.CUT_MIDWAY:
            line = wire.delta(model, "never whole")
            yield line[: len(line) // 2]
        elif fault is Fault.ERROR_MIDWAY:
            yield wire.error("llama runner process has terminated")
        elif fault is Fault.GARBAGE:
            yield b"data: <html>not a model</html>\n" * 3
        elif fault is Fault.INVALID_UTF8:
            yield wire.delta(model, "@").replace(b"@", b"\xff\xfe")
        elif fault is Fault.HUGE:
            for _ in range(1000):
                yield wire.delta(model, "ten thousand letters".ljust(10_000))
        elif fault is Fault.LONG_LINE:
            yield b" " * 2_000_000

    def _hold(self, script: Script, count: int) -> bool:
        """Wait where a gate stands; whether there was one."""
        gate = script.gate
        if gate is None or count != gate.after:
            return False
        gate.reached.set()
        self._wait(gate.opened.is_set)
        return True

    def _wait(self, is_over: Callable[[], bool]) -> None:
        """Wait, watching whether the client is still there; raises ``HungUpError`` once it is not."""
        while not is_over():
            readable, _, _ = select.select([self.connection], [], [], POLL_SECONDS)
            if readable and not self.connection.recv(1, socket.MSG_PEEK):
                raise HungUpError
            if self.server.scripted.is_closing.is_set():
                raise HungUpError

    # -- lookups -----------------------------------------------------------------------------------------

    def _has(self, model: str) -> bool:
        scripted = self.server.scripted
        return model.removesuffix(":latest") in {*scripted.models, *scripted.remote_models}

    def _origin(self, model: str) -> dict[str, str]:
        is_remote = model in self.server.scripted.remote_models
        return {"remote_host": "https://models.example:443"} if is_remote else {}

    def _show(self, model: str) -> None:
        length = self.server.scripted.models.get(model.removesuffix(":latest"), 0)
        self._answer(
            {
                "capabilities": list(self.server.scripted.capabilities),
                "model_info": {"general.architecture": "llama", "llama.context_length": length},
                **self._origin(model),
            }
        )

    # -- plumbing ----------------------------------------------------------------------------------------

    def _receive(self) -> Received:
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        request = Received(self.path, dict(self.headers.items()), json.loads(raw) if raw else {})
        self.server.scripted.requests.append(request)
        return request

    def _lacks_path(self) -> bool:
        without = self.server.scripted.without
        return without is not None and self.path.startswith(without)

    def _answer(self, document: object, status: int = 200) -> None:
        self._send(status, json.dumps(document).encode(), "application/json")

    def _fail(self, status: int, text: str) -> None:
        is_v1 = self.path.startswith("/v1/")
        self._answer({"error": {"message": text, "type": "api_error"} if is_v1 else text}, status)

    def _send(self, status: int, body: bytes, kind: str, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": kind, **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)

    def _write_chunk(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()


def main() -> None:
    parser = argparse.ArgumentParser(description="A model server that does as it is told.")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--model", default=MODEL)
    parser.add_argument("--reply", default="You wake in the rain.")
    parser.add_argument("--rate", type=float, default=0.0)
    parser.add_argument("--fault", choices=[fault.value for fault in Fault])
    arguments = parser.parse_args()
    fault = Fault(arguments.fault) if arguments.fault else None
    with ScriptedServer(port=arguments.port) as server:
        server.models = {arguments.model: 8192}
        server.play(Script(in_words(arguments.reply), rate=arguments.rate, fault=fault))
        print(f"READY {server.url}", flush=True)  # noqa: T201
        threading.Event().wait()


if __name__ == "__main__":
    main()
