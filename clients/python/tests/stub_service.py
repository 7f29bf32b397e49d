"""A service that gives prepared answers, and records the requests."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

Connection = BaseHTTPRequestHandler


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class Answer:
    """`misbehave` is called in place of an answer, with the connection."""

    status: int = 200
    body: object = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    misbehave: Callable[[Connection], None] | None = None


def hang_up(connection: Connection) -> None:
    connection.close_connection = True


def break_off(connection: Connection) -> None:
    connection.wfile.write(b"HTTP/1.1 202 Accepted\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{")
    connection.close_connection = True


class StubService:
    """Gives the answers in order, the last one again and again. A function makes an answer from the request."""

    def __init__(self, *answers: Answer | Callable[[Request], Answer]) -> None:
        self.requests: list[Request] = []
        remaining: list[Answer | Callable[[Request], Answer]] = list(answers)
        requests = self.requests

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                length = int(self.headers.get("content-length", 0))
                headers = {name.lower(): value for name, value in self.headers.items()}
                request = Request(self.command, self.path, headers, self.rfile.read(length))
                requests.append(request)
                prepared = remaining.pop(0) if len(remaining) > 1 else remaining[0]
                answer = prepared(request) if callable(prepared) else prepared
                if answer.misbehave:
                    answer.misbehave(self)
                    return
                content = answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body).encode()
                self.send_response_only(answer.status)
                for name, value in {"content-type": "application/json", **answer.headers}.items():
                    self.send_header(name, value)
                self.send_header("content-length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            do_POST = do_GET

            def log_message(self, format: str, *args: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> StubService:
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()

    @property
    def bodies(self) -> Sequence[Any]:
        return [request.json() for request in self.requests]


def accept_all(request: Request) -> Answer:
    """Answers a batch as the service does that accepts each event."""
    results = [{"id": event["id"], "status": "accepted"} for event in request.json()]
    return Answer(202, {"accepted": len(results), "rejected": 0, "results": results})
