"""A listener that keeps what it receives."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import NamedTuple


class Received(NamedTuple):
    path: str
    headers: Message
    body: bytes


class Listener:
    def __init__(self) -> None:
        self._received: list[Received] = []
        received = self._received

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                received.append(Received(self.path, self.headers, body))
                self.send_response(204)
                self.end_headers()

            def log_message(self, format: str, *args: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Listener:
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()

    def received(self, path: str, count: int = 1) -> Sequence[Received]:
        """What came to this path, once it is at least as much as this."""
        ends = time.monotonic() + 30
        while True:
            found = [each for each in self._received if each.path == path]
            if len(found) >= count:
                return found
            if time.monotonic() > ends:
                raise AssertionError(f"{len(found)} of {count} deliveries came to {path}")
            time.sleep(0.02)
