"""Stands between a client and a service, and loses answers."""

from __future__ import annotations

import socket
import threading
from types import TracebackType
from urllib.parse import urlsplit


class LossyRelay:
    """Hands each request on, and closes its connection in place of the first answers."""

    def __init__(self, service: str, lost_answers: int) -> None:
        target = urlsplit(service)
        self._target = (target.hostname or "", target.port or 80)
        self._lost_answers = lost_answers
        self.requests = 0
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    def __enter__(self) -> LossyRelay:
        threading.Thread(target=self._serve, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._listener.close()

    def _serve(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            with client:
                self._hand_on(client)

    def _hand_on(self, client: socket.socket) -> None:
        request = b""
        while not is_complete(request):
            request += client.recv(65_536)
        self.requests += 1
        with socket.create_connection(self._target, timeout=30) as service:
            service.sendall(request)
            answer = service.recv(65_536)
        if self.requests > self._lost_answers:
            client.sendall(answer)


def is_complete(request: bytes) -> bool:
    head, found, body = request.partition(b"\r\n\r\n")
    lengths = [line.split(b":")[1] for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")]
    return bool(found) and len(body) >= int(lengths[0] if lengths else 0)
