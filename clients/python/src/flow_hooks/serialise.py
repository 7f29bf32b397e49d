"""Python values as the service expects them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple
from uuid import uuid4

from .errors import FlowHooksError
from .events import Instant, NewFlowEvent


class PreparedEvent(NamedTuple):
    """A flow event as every attempt sends it."""

    id: str
    json: bytes


def prepare(event: NewFlowEvent) -> PreparedEvent:
    """Gives the event an id if it has none, and serialises it. Raises ValueError if it is no JSON."""
    sent: dict[str, Any] = {name: value for name, value in event.items() if name == "data" or value is not None}
    if "occurredAt" in sent:
        sent["occurredAt"] = instant_text(sent["occurredAt"])
    sent.setdefault("id", str(uuid4()))
    return PreparedEvent(sent["id"], json_bytes(sent))


def json_bytes(value: object) -> bytes:
    """As UTF-8. Raises ValueError for values that JSON does not have."""
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
    except (TypeError, RecursionError) as error:
        raise ValueError(str(error)) from error


def instant_text(instant: Instant) -> str:
    """Raises ValueError for a datetime without a time zone: on another machine it would be another instant."""
    if not isinstance(instant, datetime):
        return instant
    if instant.utcoffset() is None:
        raise ValueError("a datetime needs a time zone")
    return instant.isoformat()


def body_of(value: object) -> bytes:
    """As `json_bytes`. Raises FlowHooksError."""
    try:
        return json_bytes(value)
    except ValueError as error:
        raise FlowHooksError("invalid_option", f"the request is no JSON: {error}") from error


def options_of(fields: Mapping[str, object]) -> dict[str, Any]:
    """The fields that are set, datetimes as text. Raises FlowHooksError."""
    try:
        return {
            name: instant_text(value) if isinstance(value, datetime) else value
            for name, value in fields.items()
            if value is not None
        }
    except ValueError as error:
        raise FlowHooksError("invalid_option", str(error)) from error
