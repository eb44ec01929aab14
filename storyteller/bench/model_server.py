"""A model server that keeps a pace: so many tokens a second by the clock, whatever the reader does.

It speaks as much of the OpenAI-compatible API as a turn needs. The first token of a reply is the time at
which it was sent, in nanoseconds of the clock that all processes of a machine share. Run as a program of its
own, so that it shares no interpreter with what is measured:

    python -m storyteller.bench.model_server --rate 2000 --tokens 4000
"""

import argparse
import json
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

MODEL = "paced"
WORD = "word "
# As often as a sleeping process is woken without burning a core.
_TICK_SECONDS = 0.001


class PacedServer(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, *, rate: float, tokens: int) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.rate = rate
        self.tokens = tokens

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def due_tokens(self) -> Iterator[list[str]]:
        """Lists of the tokens that have become due. A tick that comes late brings more of them, so that the
        pace as a whole holds."""
        start = time.monotonic()
        yield [f"{time.monotonic_ns()} "]
        sent = 1
        while sent < self.tokens:
            time.sleep(_TICK_SECONDS)
            due = min(self.tokens, 1 + int((time.monotonic() - start) * self.rate))
            if due > sent:
                yield [WORD] * (due - sent)
                sent = due


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: PacedServer

    def log_message(self, format: str, *args: object) -> None:
        """Silent."""

    def do_GET(self) -> None:
        body = json.dumps({"object": "list", "data": [{"id": MODEL, "object": "model"}]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        for tokens in self.server.due_tokens():
            self.wfile.write(b"".join(_event({"content": token}) for token in tokens))
        self.wfile.write(_event({}, finish="stop") + b"data: [DONE]\n\n")


def _event(delta: dict[str, str], *, finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return f"data: {json.dumps({'model': MODEL, 'choices': [choice]})}\n\n".encode()


def main() -> None:
    parser = argparse.ArgumentParser(description="A model server that keeps a pace.")
    parser.add_argument("--rate", type=float, default=2000.0, help="tokens a second")
    parser.add_argument("--tokens", type=int, default=4000, help="tokens in a reply")
    arguments = parser.parse_args()
    with PacedServer(rate=arguments.rate, tokens=arguments.tokens) as server:
        print(f"READY {server.url}", flush=True)  # noqa: T201
        server.serve_forever()


if __name__ == "__main__":
    main()
