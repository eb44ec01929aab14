"""As much of a WebSocket client as listening to a story needs."""

import json
import os
import socket
import struct
from base64 import b64encode
from types import TracebackType
from typing import Any, Self

from storyteller.bench.errors import BenchError

_TEXT, _CLOSE, _PING, _PONG = 0x1, 0x8, 0x9, 0xA
_FINAL, _MASKED = 0x80, 0x80
_SHORT, _TWO_BYTES, _EIGHT_BYTES = 125, 126, 127


class StorySocket:
    """A campaign's socket, opened with a session as the play page opens it. Raises BenchError."""

    def __init__(self, host: str, path: str, *, cookie: str) -> None:
        address, _, port = host.rpartition(":")
        self._socket = socket.create_connection((address, int(port)), timeout=60)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._stream = self._socket.makefile("rb")
        self._socket.sendall(
            f"GET {path} HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nCookie: {cookie}\r\n"
            "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            f"Sec-WebSocket-Key: {b64encode(os.urandom(16)).decode()}\r\n\r\n".encode()
        )
        status = self._stream.readline()
        if b" 101 " not in status:
            raise BenchError(f"The socket was refused: {status.decode().strip()}")
        while self._stream.readline().strip():
            pass

    def send(self, **frame: object) -> None:
        self._send(_TEXT, json.dumps(frame).encode())

    def receive(self) -> dict[str, Any]:
        """The next frame of the story."""
        while True:
            kind, data = self._read()
            if kind == _TEXT:
                frame: dict[str, Any] = json.loads(data)
                return frame
            if kind == _PING:
                self._send(_PONG, data)
            elif kind == _CLOSE:
                raise BenchError("The game closed the socket.")

    def _send(self, kind: int, data: bytes) -> None:
        if len(data) <= _SHORT:
            length = bytes([_MASKED | len(data)])
        else:
            length = bytes([_MASKED | _TWO_BYTES]) + struct.pack(">H", len(data))
        mask = os.urandom(4)
        masked = bytes(byte ^ mask[place % 4] for place, byte in enumerate(data))
        self._socket.sendall(bytes([_FINAL | kind]) + length + mask + masked)

    def _read(self) -> tuple[int, bytes]:
        head = self._stream.read(2)
        if len(head) < 2:
            raise BenchError("The game hung up.")
        length = head[1]
        if length == _TWO_BYTES:
            (length,) = struct.unpack(">H", self._stream.read(2))
        elif length == _EIGHT_BYTES:
            (length,) = struct.unpack(">Q", self._stream.read(8))
        return head[0] & 0x0F, self._stream.read(length)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stream.close()
        self._socket.close()
