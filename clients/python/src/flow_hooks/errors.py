from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from .events import PublishResult


class FlowHooksError(Exception):
    """A request that failed, or input that is refused before anything is sent.

    `code` is for programs, `message` for people. An answer of the service has its `error` in `code`; an error answer
    without that, of a proxy for example, is `http_error`. Codes of the client: `invalid_option`, `invalid_event`,
    `payload_too_large`, `connection_failed`, `timeout`, `invalid_signature`, `invalid_body`, all without `status`, and
    `unexpected_redirect` and `unexpected_answer`.
    """

    def __init__(
        self,
        code: str,
        message: str,
        *,
        status: int | None = None,
        request_id: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message
        self.status = status
        """Of the answer. None: there was none."""
        self.request_id = request_id
        """Finds the request in the log of the service."""
        self.retry_after = retry_after
        """Seconds that the service asked to wait."""
        self.results: Sequence[PublishResult] | None = None
        """After publishing: a result for each event, in order. None: nothing was sent.

        Publish `unknown` and `not_recorded` ones again, with these ids.
        """
        self.outcome: Literal["unknown", "not_recorded"] = "unknown"
        """`not_recorded`: the service refused every attempt, so the request had no effect."""

    def __str__(self) -> str:
        facts = [self.code]
        if self.status is not None:
            facts.append(f"status {self.status}")
        if self.request_id is not None:
            facts.append(f"request {self.request_id}")
        return f"{self.message} ({', '.join(facts)})"
