"""Requests to the service: timeouts and repeats."""

from __future__ import annotations

import logging
import math
import re
from collections.abc import Mapping
from time import monotonic, sleep
from typing import Any
from urllib.parse import urlencode, urlsplit

import urllib3

from .answers import Answer, error_of
from .errors import FlowHooksError
from .retries import delay_after, is_refusal, is_temporary
from .version import __version__

logger = logging.getLogger("flow_hooks")

IDLE_CONNECTIONS = 32
"""Kept for further requests: as many as threads that share a client. urllib3 warns of each that it has to close."""


class Transport:
    """Sends requests to one service. Threads may share it."""

    def __init__(
        self, url: str, key: str, *, timeout: float, retries: int, deadline: float, pool: urllib3.PoolManager | None
    ) -> None:
        self.url = checked_url(url)
        if not re.fullmatch(r"[\x21-\x7e]+", key):
            # Without the key itself, which HTTP libraries quote in their errors.
            raise FlowHooksError("invalid_option", "key: must be printable ASCII, without spaces")
        for name, seconds in (("timeout", timeout), ("deadline", deadline)):
            if not 0 < seconds < math.inf:
                raise FlowHooksError("invalid_option", f"{name}: must be a number of seconds above 0")
        if retries < 0:
            raise FlowHooksError("invalid_option", "retries: must be 0 or more")
        self._key = key
        self._timeout = timeout
        self._retries = retries
        self._deadline = deadline
        self._owns_pool = pool is None
        self._pool = urllib3.PoolManager(maxsize=IDLE_CONNECTIONS) if pool is None else pool

    def close(self) -> None:
        if self._owns_pool:
            self._pool.clear()

    def send(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
        body_type: str = "application/json",
        repeat: bool,
    ) -> Answer:
        """A successful answer, at the latest after `deadline`. Raises FlowHooksError.

        `repeat`: the request has the same effect when it is sent again, so a failure that may be temporary is followed
        by another attempt.
        """
        url = f"{self.url}{path}?{urlencode(query_texts(query))}" if query else self.url + path
        sent = {
            "accept": "application/json",
            "user-agent": f"flow-hooks-python/{__version__}",
            **header_bytes(headers or {}),
        }
        if body is not None:
            sent["content-type"] = body_type
        ends = monotonic() + self._deadline
        attempt = 1
        all_refused = True
        while True:
            try:
                return self._attempt(method, url, sent, body, ends)
            except FlowHooksError as error:
                all_refused = all_refused and is_refusal(error.status)
                error.outcome = "not_recorded" if all_refused else "unknown"
                delay = delay_after(attempt, error.retry_after)
                is_last = not repeat or attempt > self._retries or not may_pass(error)
                if is_last or monotonic() + delay >= ends:
                    raise
                logger.info("attempt %d of %s %s failed, next in %.1f s: %s", attempt, method, path, delay, error)
            sleep(delay)
            attempt += 1

    def _attempt(self, method: str, url: str, headers: Mapping[str, str], body: bytes | None, ends: float) -> Answer:
        limit = min(monotonic() + self._timeout, ends)
        try:
            response = self._pool.request(
                method,
                url,
                body=body,
                headers={**headers, "authorization": f"Bearer {self._key}"},
                timeout=urllib3.Timeout(total=max(limit - monotonic(), 0.001)),
                retries=False,
                redirect=False,
                preload_content=False,
            )
            answer = Answer(response.status, response.reason, response.headers, read_until(response, limit))
        except (urllib3.exceptions.HTTPError, OSError) as error:
            request = f"{method} {urlsplit(url).path}"
            if is_timeout(error):
                raise FlowHooksError("timeout", f"{request}: no answer in time") from error
            raise FlowHooksError("connection_failed", f"{request}: {error}") from error
        except ValueError as error:  # of http.client, for line breaks and other characters that headers cannot have
            raise FlowHooksError("invalid_option", "headers: a value is not valid") from error
        if not 200 <= answer.status < 300:
            raise error_of(answer)
        return answer


def query_texts(query: Mapping[str, Any]) -> Mapping[str, Any]:
    return {name: str(value).lower() if isinstance(value, bool) else value for name, value in query.items()}


def header_bytes(headers: Mapping[str, str]) -> Mapping[str, str]:
    """http.client sends the characters up to U+00FF as bytes. The service reads IDs of users and organisations as UTF-8."""
    try:
        return {name: value.encode().decode("latin-1") for name, value in headers.items()}
    except ValueError as error:  # half of a surrogate pair
        raise FlowHooksError("invalid_option", "headers: a value is not valid") from error


def may_pass(error: FlowHooksError) -> bool:
    return error.code in ("connection_failed", "timeout") if error.status is None else is_temporary(error.status)


def is_timeout(error: Exception) -> bool:
    if isinstance(error, urllib3.exceptions.NewConnectionError):
        return False  # of a refused connection, although urllib3 derives it from its TimeoutError
    return isinstance(error, (urllib3.exceptions.TimeoutError, TimeoutError))


def read_until(response: urllib3.BaseHTTPResponse, limit: float) -> bytes:
    """The whole body. Raises TimeoutError if it has not arrived by then."""
    parts: list[bytes] = []
    try:
        while part := response.read1(65_536):
            parts.append(part)
            if monotonic() > limit:
                raise TimeoutError
    except BaseException:
        response.close()
        raise
    response.release_conn()
    return b"".join(parts)


def checked_url(url: str) -> str:
    try:
        parts = urlsplit(url)
        valid = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        valid = False
    if not valid or parts.username is not None or parts.password is not None or re.search(r"[?#\s]", url):
        message = "url: must be http or https, without user name, password, query and fragment"
        raise FlowHooksError("invalid_option", message)
    return url.rstrip("/")
