"""Answers of the service, and errors made from them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import urllib3

from .errors import FlowHooksError
from .retries import parse_retry_after

REDIRECTS = (301, 302, 303, 307, 308)


@dataclass(frozen=True)
class Answer:
    status: int
    reason: str | None
    headers: urllib3.HTTPHeaderDict
    body: bytes

    @property
    def is_json(self) -> bool:
        return "json" in self.headers.get("content-type", "")

    def json(self, *fields: str) -> Any:
        """An object with these fields, or any JSON. Raises `unexpected_answer`: this may be another service."""
        try:
            found = json.loads(self.body) if self.is_json else None
        except ValueError:
            found = None
        if found is None or (fields and not (isinstance(found, dict) and set(fields) <= found.keys())):
            raise self.unexpected()
        return found

    def page(self, *fields: str) -> Any:
        """A page of a list, with these fields too. Raises `unexpected_answer`."""
        found = self.json("items", "next", *fields)
        if not isinstance(found["items"], list):
            raise self.unexpected()
        return found

    def unexpected(self) -> FlowHooksError:
        return FlowHooksError("unexpected_answer", "the answer is not one of Flow Hooks", **self.facts)

    @property
    def facts(self) -> dict[str, Any]:
        return {
            "status": self.status,
            "request_id": self.headers.get("x-request-id"),
            "retry_after": parse_retry_after(self.headers.get("retry-after"), self.headers.get("date")),
        }


def error_of(answer: Answer) -> FlowHooksError:
    if answer.status in REDIRECTS:
        to = urlsplit(answer.headers.get("location", ""))
        place = urlunsplit((to.scheme, to.netloc.rpartition("@")[2], to.path, "", ""))
        return FlowHooksError("unexpected_redirect", f"redirected to {place}, which is not followed", **answer.facts)
    try:
        body = json.loads(answer.body) if answer.is_json else None
    except ValueError:
        body = None
    if not isinstance(body, dict) or not isinstance(body.get("error"), str):
        return FlowHooksError("http_error", f"{answer.status} {answer.reason or ''}".rstrip(), **answer.facts)
    message = body.get("message", body.get("error_description", body["error"]))
    facts = answer.facts
    if isinstance(body.get("requestId"), str):  # proxies may remove headers that they do not know
        facts["request_id"] = body["requestId"]
    return FlowHooksError(body["error"], str(message), **facts)
